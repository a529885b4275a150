package postgres

import (
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Conversions between values and columns.

func instant(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

// optional returns nil, for NULL, if s is empty.
func optional(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s)
}

// bytesOf converts texts to bytea values that are never NULL.
func bytesOf(texts []string) [][]byte {
	list := make([][]byte, len(texts))
	for i, text := range texts {
		list[i] = []byte(text)
	}
	return list
}

// idList returns IDs as a statement argument. It replaces invalid IDs by "", which identifies nothing, because the
// server rejects some texts.
func idList(ids []catalogue.ID) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		if id.Valid() {
			list[i] = string(id)
		}
	}
	return list
}
