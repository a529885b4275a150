package importline

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Kept is a held field whose value an import did not apply.
type Kept struct {
	Field string
	// Stored and Imported are the value that stays and the value of the line, in JSON.
	Stored, Imported []byte
}

// Edit is Apply for changes over GraphQL: the fields of a stored item whose values change are held from then on.
func (r *Record) Edit(stored catalogue.Item) (catalogue.Item, fault.FieldErrors) {
	item, faults := r.Apply(stored)
	if stored == nil || len(faults) > 0 {
		return item, faults
	}
	head := item.Head()
	held := slices.Clone(head.Held)
	for i, field := range r.shape.fields {
		if r.present.has(i) && field.need != derived && !bytes.Equal(field.encode(stored), field.encode(item)) {
			for _, name := range r.shape.together(field.name) {
				held = hold(held, name)
			}
		}
	}
	if video, ok := item.(*catalogue.Video); ok && video.Pruned && r.shape.says("retired", r.present) {
		video.Pruned = false // the caller decides, even if the video stays retired
		for _, name := range r.shape.together("retired") {
			held = hold(held, name)
		}
	}
	head.Held = held
	return item, nil
}

// hold adds a field to a list in the order of names.
func hold(held []catalogue.Held, name string) []catalogue.Held {
	at, found := slices.BinarySearchFunc(held, name, byField)
	if found {
		return held
	}
	return slices.Insert(held, at, catalogue.Held{Field: name})
}

func byField(held catalogue.Held, name string) int { return strings.Compare(held.Field, name) }

// Import is Apply for lines of an import: held fields keep their values, and the item notes the values that are not applied.
// A video that pruning retired is restored first.
func (r *Record) Import(stored catalogue.Item) (catalogue.Item, []Kept, fault.FieldErrors) {
	if video, ok := stored.(*catalogue.Video); ok && video.Pruned {
		restored := *video
		restored.Retired, restored.Pruned = false, false
		stored = &restored
	}
	if stored == nil || len(stored.Head().Held) == 0 {
		item, faults := r.Apply(stored)
		return item, nil, faults
	}
	free := *r
	held := slices.Clone(stored.Head().Held)
	var kept []Kept
	for i, field := range r.shape.fields {
		at, found := slices.BinarySearchFunc(held, r.shape.canonical(field.name), byField)
		if !found || !r.present.has(i) {
			continue
		}
		free.present &^= 1 << i
		if field.name == transcriptName {
			continue // which is stored apart from the item, and cannot be compared here
		}
		before, said := field.encode(stored), field.encode(r.said)
		switch {
		case bytes.Equal(before, said):
			held[at].Imported = nil
			continue
		case len(said) <= catalogue.MaxHeldValue:
			held[at].Imported = said
		default:
			held[at].Imported = nil
		}
		kept = append(kept, Kept{Field: held[at].Field, Stored: before, Imported: said})
	}
	item, faults := free.Apply(stored)
	if len(faults) > 0 {
		return nil, nil, faults
	}
	item.Head().Held = held
	return item, kept, nil
}

// Release returns a stored item without holds on the named fields, or without any if there are no names. With imported, the
// fields get the latest values that imports did not apply. The faults name fields that are not held.
func Release(stored catalogue.Item, names []string, imported bool) (catalogue.Item, fault.FieldErrors) {
	shape := shapes[stored.Kind()]
	item := shape.clone(stored)
	head := item.Head()
	var all []string
	for _, held := range head.Held {
		all = append(all, held.Field)
	}
	if names == nil {
		names = all
	}
	var faults fault.FieldErrors
	var released []string
	for _, name := range names {
		if !slices.Contains(all, name) {
			faults = append(faults, fault.FieldError{Field: "fields", Problem: "of the held fields, " + fault.NotOneOf(name, all)})
			continue
		}
		released = append(released, shape.together(name)...)
	}
	head.Held = slices.DeleteFunc(slices.Clone(head.Held), func(held catalogue.Held) bool {
		if !slices.Contains(released, held.Field) {
			return false
		}
		if imported && held.Imported != nil {
			field, from := shape.fields[shape.index[held.Field]], shape.fresh()
			if err := field.decode(held.Imported, from); err != nil {
				faults = append(faults, fault.FieldError{Field: held.Field, Problem: "the imported value cannot be read"})
				return false
			}
			field.move(item, from)
		}
		return true
	})
	if len(faults) == 0 {
		faults = item.Validate()
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return item, nil
}

// canonical returns the name under which a field is held: that of the field that has the same value in its stored form.
func (s *shape) canonical(name string) string {
	for field, other := range s.instead {
		if other == name {
			return field
		}
	}
	return name
}

// together returns the names under which a field is held: its own, and those of the fields whose faults depend on it or on
// which its own depend.
func (s *shape) together(name string) []string {
	names := []string{s.canonical(name)}
	for field, other := range s.judgedWith {
		switch name {
		case field:
			names = append(names, other)
		case other:
			names = append(names, field)
		}
	}
	return names
}

// encode returns the field of an object in JSON; times within videos are seconds.
func (f field) encode(object any) []byte {
	value := f.pointer(object)
	if time, ok := value.(*catalogue.Millis); ok {
		value = time.Seconds()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil // which no value of an item is
	}
	return text
}

// decode sets the field of an object to a value that encode returned.
func (f field) decode(text []byte, object any) error {
	value := f.pointer(object)
	if time, ok := value.(*catalogue.Millis); ok {
		var seconds float64
		err := json.Unmarshal(text, &seconds)
		*time = catalogue.Millis(math.Round(seconds * 1000))
		return err
	}
	return json.Unmarshal(text, value)
}
