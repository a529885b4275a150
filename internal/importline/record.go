package importline

import (
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
)

// Format is the number of the format that Decode reads, the "format" of every line.
const Format = 1

// DefaultSource is the source of a line that names none.
const DefaultSource = "default"

// Kinds lists the kinds that lines may have, each after those it may refer to: those of the catalogue, and
// collections, which refer to one another too.
func Kinds() []catalogue.Kind { return append(catalogue.Kinds(), collection.Kind) }

// Record is what one line says about one thing.
type Record struct {
	// Kind and ID say which thing it is; each is empty where a fault keeps it from being known.
	Kind catalogue.Kind
	ID   catalogue.ID
	// Source is the source that the line names, DefaultSource where it names none.
	Source string
	// Faults is what is wrong with the line, whatever is stored. A record with faults must not be
	// applied.
	Faults fault.FieldErrors

	// source and reference are what the thing gets, "" where it keeps those that it has.
	source, reference string
	shape             *shape
	// said holds the fields of the line, its other fields their defaults.
	said    catalogue.Item
	present fieldSet
	// incomplete is what is wrong with said where nothing is stored yet.
	incomplete fault.FieldErrors
}

// Apply returns stored with the fields of the line laid over it, or, where stored is nil, a new
// item. The faults are those that only the two together show: a new item lacks a field that it must
// have, or the line's fields contradict stored ones. With faults there is no item; without them the
// item passes its Validate. Neither the record nor stored changes, but for lists and texts, which
// the item shares with them.
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

// judge sorts what Validate finds in said: a fault of a field that the line holds is the line's own;
// the others count only where nothing is stored.
func (r *Record) judge() {
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

// rootOf cuts "attachments[1].link" to "attachments".
func rootOf(field string) string {
	if end := strings.IndexAny(field, ".["); end >= 0 {
		return field[:end]
	}
	return field
}
