package sqlite

import (
	"encoding/json"

	"github.com/filmstrip/filmstrip/catalogue"
)

// The functions below convert values to columns and back.

// optional returns NULL for a nil pointer and for an empty text.
func optional[T ~string](s *T) any {
	if s == nil || *s == "" {
		return nil
	}
	return string(*s)
}

// unless returns NULL for a value that equals its usual value.
func unless[T comparable](value, usual T) any {
	if value == usual {
		return nil
	}
	return value
}

// idList returns IDs as the JSON list that a statement reads with json_each. An invalid ID becomes "", under which
// nothing is stored, so that the elements keep their places.
func idList(ids []catalogue.ID) string {
	list := make([]byte, 0, 2+len(ids)*(catalogue.IDLength+3))
	list = append(list, '[')
	for i, id := range ids {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, '"')
		if id.Valid() {
			list = append(list, id...)
		}
		list = append(list, '"')
	}
	return string(append(list, ']'))
}

// jsonList returns a list of strings or numbers as JSON for json_each.
func jsonList[T ~string | ~int64](values []T) string {
	list, err := json.Marshal(values)
	if err != nil || values == nil { // strings and numbers always encode
		return "[]"
	}
	return string(list)
}
