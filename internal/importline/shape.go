package importline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// need says what a new thing needs of a field, and whether null may clear it.
type need uint8

const (
	// optional: may be left out; null clears it.
	optional need = iota
	// defaulted: may be left out, a new thing then gets a value of ours; null is refused.
	defaulted
	// required: a new thing must have it; null is refused.
	required
	// derived: read and checked, and without effect.
	derived
)

// field is one field of an object, as lines write it.
type field struct {
	name string
	need need
	// set reads a value into the field of an object.
	set func(s *scope, object any, value jsontext.Value)
	// move copies the field from one object to another.
	move func(to, from any)
	// nested are the fields of the object that the field holds, or of the objects in its list; the
	// documentation is held against them.
	nested *table
}

// at describes the field of a T that lies at place and is read by read. T is the struct, objects
// are pointers to it.
func at[T, V any](name string, need need, place func(*T) *V, read func(*scope, jsontext.Value) V) field {
	return field{
		name: name,
		need: need,
		set: func(s *scope, object any, value jsontext.Value) {
			switch {
			case value.Kind() != 'n':
				*place(object.(*T)) = read(s, value)
			case need == required || need == defaulted:
				s.fault("must not be null")
			default:
				var zero V
				*place(object.(*T)) = zero
			}
		},
		move: func(to, from any) { *place(to.(*T)) = *place(from.(*T)) },
	}
}

// holding says which fields the objects in a field have.
func (f field) holding(nested *table) field {
	f.nested = nested
	return f
}

// fieldSet is a set of fields of one table, by their place in it.
type fieldSet uint64

func (f fieldSet) has(i int) bool { return f&(1<<i) != 0 }

// table lists the fields of an object in the order in which they are documented.
type table struct {
	fields []field
	index  map[string]int
}

func newTable(fields ...field) *table {
	t := &table{fields: fields, index: make(map[string]int, len(fields))}
	for i, field := range fields {
		t.index[field.name] = i
	}
	return t
}

// read sets the fields of object that are among the members.
func (t *table) read(s *scope, object any, members []member) (present fieldSet) {
	for _, m := range members {
		i, known := t.index[m.name]
		if !known {
			s.unknown(t, m.name)
			continue
		}
		present |= 1 << i
		s.enter(m.name)
		t.fields[i].set(s, object, m.value)
		s.leave()
	}
	return present
}

// unknown notes a field that there is not.
func (s *scope) unknown(t *table, name string) {
	s.enter(cmp.Or(catalogue.Shorten(name), `""`))
	defer s.leave()
	for _, field := range t.fields {
		if strings.EqualFold(field.name, name) {
			s.fault("there is no such field: did you mean %q?", field.name)
			return
		}
	}
	s.fault("there is no such field")
}

// missing lists the required fields that are not present.
func (t *table) missing(present fieldSet) (names []string) {
	for i, field := range t.fields {
		if field.need == required && !present.has(i) {
			names = append(names, field.name)
		}
	}
	return names
}

func (t *table) move(to, from any, present fieldSet) {
	for i, field := range t.fields {
		if present.has(i) {
			field.move(to, from)
		}
	}
}

// shape is the table of a kind.
type shape struct {
	*table
	fresh func() catalogue.Item
	clone func(catalogue.Item) catalogue.Item
	// judgedWith names, for a field whose faults depend on another one, that other field.
	judgedWith map[string]string
	// instead names, for a field that a line may say in another form, the field that holds that form.
	instead map[string]string
}

// shapeOf makes the shape of the kind whose items are *T.
func shapeOf[T any](fields ...field) *shape {
	return &shape{
		table: newTable(fields...),
		fresh: func() catalogue.Item { return any(new(T)).(catalogue.Item) },
		clone: func(item catalogue.Item) catalogue.Item {
			copied := *any(item).(*T)
			return any(&copied).(catalogue.Item)
		},
	}
}

// decidedBy reports whether a line with these fields decides by itself if the named one is right.
func (s *shape) decidedBy(name string, present fieldSet) bool {
	if other, ok := s.judgedWith[name]; ok && !present.has(s.index[other]) {
		return false
	}
	return s.says(name, present)
}

// says reports whether a line with these fields holds the named one, in whatever form.
func (s *shape) says(name string, present fieldSet) bool {
	i, ok := s.index[name]
	if ok && present.has(i) {
		return true
	}
	other, ok := s.instead[name]
	return ok && s.says(other, present)
}

// missing lists the required fields that a line with these fields does not hold in any form.
func (s *shape) missing(present fieldSet) []string {
	return slices.DeleteFunc(s.table.missing(present), func(name string) bool { return s.says(name, present) })
}

var shapes = map[catalogue.Kind]*shape{
	catalogue.KindContract:         contractShape(),
	catalogue.KindLegalRestriction: legalRestrictionShape(),
	catalogue.KindEducationLevel:   educationLevelShape(),
	catalogue.KindTag:              tagShape(),
	catalogue.KindContentWarning:   contentWarningShape(),
	catalogue.KindSubject:          subjectShape(),
	catalogue.KindDiscipline:       disciplineShape(),
	catalogue.KindTopic:            topicShape(),
	catalogue.KindPhrase:           phraseShape(),
	catalogue.KindSynonym:          synonymShape(),
	catalogue.KindSearchRule:       searchRuleShape(),
	catalogue.KindProvider:         providerShape(),
	catalogue.KindChannel:          channelShape(),
	catalogue.KindVideo:            videoShape(),
	catalogue.KindCaptions:         captionsShape(),
	catalogue.KindMaterial:         materialShape(),
	catalogue.KindHighlight:        highlightShape(),
	catalogue.KindTheme:            themeShape(),
	catalogue.KindDistrict:         districtShape(),
	catalogue.KindSchool:           schoolShape(),
	collection.Kind:                collectionShape(),
}
