package importline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
)

// need states whether a new item needs a field, and whether null may clear it.
type need uint8

const (
	// optional fields may be left out; null clears them.
	optional need = iota
	// defaulted fields may be left out, and a new item then gets our default; null is refused.
	defaulted
	// required fields must be present in a new item; null is refused.
	required
	// derived fields are read and checked, but have no effect.
	derived
)

// field is one field of an object in a line.
type field struct {
	name string
	need need
	// set reads a value into the field of an object.
	set func(s *scope, object any, value jsontext.Value)
	// move copies the field from one object to another.
	move func(to, from any)
	// pointer returns a pointer to the field of an object.
	pointer func(object any) any
	// nested are the fields of the object in this field, or of the objects in its list. A test compares them with the
	// documentation.
	nested *table
}

// at returns the field of a T that place locates and read reads. T is the struct; objects are pointers to it.
func at[T, V any](name string, need need, place func(*T) *V, read func(*scope, jsontext.Value) V) field {
	return field{
		name: name,
		need: need,
		set: func(s *scope, object any, value jsontext.Value) {
			switch {
			case value.Kind() != 'n':
				*place(object.(*T)) = read(s, value)
			case need == required || need == defaulted:
				s.Fault("must not be null")
			default:
				var zero V
				*place(object.(*T)) = zero
			}
		},
		move:    func(to, from any) { *place(to.(*T)) = *place(from.(*T)) },
		pointer: func(object any) any { return place(object.(*T)) },
	}
}

// holding sets the fields of the objects in a field.
func (f field) holding(nested *table) field {
	f.nested = nested
	return f
}

// fieldSet is a set of fields of one table, by index.
type fieldSet uint64

func (f fieldSet) has(i int) bool { return f&(1<<i) != 0 }

// table lists the fields of an object in the order of the documentation.
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
func (t *table) read(s *scope, object any, members []jsonobject.Member) (present fieldSet) {
	for _, m := range members {
		i, known := t.index[m.Name]
		if !known {
			s.unknown(t, m.Name)
			continue
		}
		present |= 1 << i
		s.Enter(m.Name)
		t.fields[i].set(s, object, m.Value)
		s.Leave()
	}
	return present
}

// unknown records an unknown field.
func (s *scope) unknown(t *table, name string) {
	s.Enter(cmp.Or(fault.Shorten(name), `""`))
	defer s.Leave()
	for _, field := range t.fields {
		if strings.EqualFold(field.name, name) {
			s.Fault("there is no such field: did you mean %q?", field.name)
			return
		}
	}
	s.Fault("there is no such field")
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
	// judgedWith maps a field to another field that its faults depend on.
	judgedWith map[string]string
	// instead maps a field to another field that may hold the same value in another form.
	instead map[string]string
}

// shapeOf returns the shape of the kind whose items are *T.
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

// decidedBy reports whether a line with these fields determines on its own whether the named field is valid.
func (s *shape) decidedBy(name string, present fieldSet) bool {
	if other, ok := s.judgedWith[name]; ok && !present.has(s.index[other]) {
		return false
	}
	return s.says(name, present)
}

// says reports whether a line with these fields has the named one, in any form.
func (s *shape) says(name string, present fieldSet) bool {
	i, ok := s.index[name]
	if ok && present.has(i) {
		return true
	}
	other, ok := s.instead[name]
	return ok && s.says(other, present)
}

// missing lists the required fields that a line with these fields does not have in any form.
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
