package importline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
)

// Format is the format that Decode reads, the value of "format" in every line.
const Format = 1

// DefaultSource is the source of lines that name none.
const DefaultSource = "default"

// Kinds lists the kinds that lines may have, each after the kinds it may refer to: those of the catalogue, then
// collections, which also refer to one another.
func Kinds() []catalogue.Kind { return append(catalogue.Kinds(), collection.Kind) }

// Record is the content of one line about one item.
type Record struct {
	// Kind and ID identify the item; each is empty if a fault hides it.
	Kind catalogue.Kind
	ID   catalogue.ID
	// Source is the source that the line names, or DefaultSource.
	Source string
	// Faults are the faults of the line itself, regardless of the stored record. A record with faults must not be applied.
	Faults fault.FieldErrors

	// source and reference are the new values of the item; "" keeps the stored ones.
	source, reference string
	shape             *shape
	// said holds the fields of the line, and defaults in all others.
	said    catalogue.Item
	present fieldSet
	// incomplete are the faults of said if nothing is stored yet.
	incomplete fault.FieldErrors
	references []reference
}

// reference is a reference as a line writes it, and the id that it stands for.
type reference struct {
	id          catalogue.ID
	kind        catalogue.Kind
	source, ref string
}

// Head returns a record with the kind and the id of r, which knows the references to items of the same kind.
func (r *Record) Head() *Record {
	others := func(one reference) bool { return one.kind != r.Kind }
	return &Record{Kind: r.Kind, ID: r.ID, references: slices.DeleteFunc(slices.Clone(r.references), others)}
}

// Replacement returns the video into which the line retires its own, or "".
func (r *Record) Replacement() catalogue.ID {
	video, ok := r.said.(*catalogue.Video)
	if !ok || video.RetiredInto == nil {
		return ""
	}
	return *video.RetiredInto
}

// AsWritten returns a problem of the line with references as the line writes them, where the problem quotes the ids that
// they stand for.
func (r *Record) AsWritten(problem string) string {
	for _, one := range r.references {
		problem = strings.ReplaceAll(problem, strconv.Quote(string(one.id)), fmt.Sprintf("%q of the source %q", one.ref, one.source))
	}
	return problem
}

// Apply returns stored with the fields of the line applied or, if stored is nil, a new item. The faults are those that
// only the combination shows: a new item lacks a required field, or a field of the line contradicts a stored one. With
// faults, the item is nil; without, it passes Validate. Apply changes neither the record nor stored, but the item
// shares lists and texts with them.
func (r *Record) Apply(stored catalogue.Item) (catalogue.Item, fault.FieldErrors) {
	if stored == nil {
		if len(r.incomplete) > 0 {
			return nil, r.incomplete
		}
		return r.shape.clone(r.said), nil
	}
	item := r.shape.clone(stored)
	r.shape.move(item, r.said, r.present)
	head := item.Head()
	if r.source != "" {
		head.Source = r.source
	}
	if r.reference != "" {
		head.Reference = r.reference
	}
	if faults := item.Validate(); len(faults) > 0 {
		return nil, faults
	}
	return item, nil
}

// classify sorts the results of Validate on said: a fault of a field in the line is the line's own; the others count only
// if nothing is stored.
func (r *Record) classify() {
	missing := r.shape.missing(r.present)
	for _, name := range missing {
		r.incomplete = append(r.incomplete, fault.FieldError{Field: name, Problem: "is required"})
	}
	for _, problem := range r.said.Validate() {
		name := rootOf(problem.Field)
		if slices.Contains(missing, name) {
			continue
		}
		r.incomplete = append(r.incomplete, problem)
		if r.shape.decidedBy(name, r.present) {
			r.Faults = append(r.Faults, problem)
		}
	}
}

// rootOf shortens "attachments[1].link" to "attachments".
func rootOf(field string) string {
	if end := strings.IndexAny(field, ".["); end >= 0 {
		return field[:end]
	}
	return field
}
