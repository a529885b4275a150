package storelogic

import "github.com/filmstrip/filmstrip/store"

// Behind returns the result of Changes of store.Catalogue. head and entries are as of one moment. entries are the first
// entries after the position, at least one if any exists. The error is store.ErrTrimmed if the first entry does not
// follow the position.
func Behind(after, head store.Position, entries []store.Change, limit int) ([]store.Change, error) {
	switch {
	case head == after:
		return nil, nil
	case len(entries) == 0 || entries[0].Position != after+1:
		return nil, store.ErrTrimmed
	}
	return entries[:min(len(entries), max(0, limit))], nil
}

// TrimmedAtOnce is the maximum number of entries that one transaction deletes, so that writers wait only briefly.
const TrimmedAtOnce = 10_000

// TrimTo returns the position up to which one transaction of Trim deletes entries; 0: it deletes none. The log starts
// at first (0: it is empty) and ends at head, and the last keep entries remain. more reports whether another
// transaction must continue.
func TrimTo(first, head store.Position, keep int) (upTo store.Position, more bool) {
	last := head - store.Position(max(0, keep))
	if first == 0 || last < first {
		return 0, false
	}
	return min(last, first+TrimmedAtOnce-1), last-first >= TrimmedAtOnce
}
