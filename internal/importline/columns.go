package importline

import (
	"reflect"

	"github.com/filmstrip/filmstrip/catalogue"
)

// FieldType is what a text of a column must become to be the value of a field.
type FieldType uint8

// The types.
const (
	// TextField is a JSON string: texts, references, days, codes and names of enumerations.
	TextField FieldType = iota
	// NumberField is a whole number, BooleanField true or false, and DurationField a number of seconds or a string.
	NumberField
	BooleanField
	DurationField
	// ListField is a list of strings.
	ListField
)

// FieldInfo describes a field of import lines.
type FieldInfo struct {
	// Name is a path for a nested field, such as playback.duration.
	Name string
	Type FieldType
	// Required fields must be present in a new item.
	Required bool
}

// ColumnFields returns the fields of a kind that a column of a table can fill, in the order of the documentation: all
// but lists of objects. The fields id and ref are not among them. It returns nil for an unknown kind.
func ColumnFields(kind catalogue.Kind) []FieldInfo {
	shape := shapes[kind]
	if shape == nil {
		return nil
	}
	return shape.columns("", reflect.ValueOf(shape.fresh()).Interface())
}

func (t *table) columns(prefix string, object any) (list []FieldInfo) {
	for _, field := range t.fields {
		if field.need == derived {
			continue
		}
		pointer := field.pointer(object)
		of := reflect.TypeOf(pointer).Elem()
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		info := FieldInfo{Name: prefix + field.name, Required: field.need == required}
		switch {
		case field.nested != nil && of.Kind() == reflect.Struct:
			list = append(list, field.nested.columns(info.Name+".", reflect.New(of).Interface())...)
			continue
		case field.nested != nil:
			continue
		case of == reflect.TypeFor[catalogue.Duration]() || of == reflect.TypeFor[catalogue.Millis]():
			info.Type = DurationField
		case of.Kind() == reflect.Slice:
			info.Type = ListField
		case of.Kind() == reflect.Bool:
			info.Type = BooleanField
		case of == reflect.TypeFor[int]():
			info.Type = NumberField
		}
		list = append(list, info)
	}
	return list
}
