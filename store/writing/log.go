package writing

import "github.com/filmstrip/filmstrip/store"

// Behind makes the answer of store.Catalogue's Changes of what was read in one moment: the head, and the
// first entries behind a position, of which there is at least one where there is any.
func Behind(after, head store.Position, entries []store.Change, limit int) ([]store.Change, error) {
	switch {
	case head == after:
		return nil, nil
	case len(entries) == 0 || entries[0].Position != after+1:
		return nil, store.ErrTrimmed
	}
	return entries[:min(len(entries), max(0, limit))], nil
}
