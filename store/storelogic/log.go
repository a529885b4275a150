package storelogic

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

// TrimmedAtOnce is how many entries one transaction forgets, so that writers wait little.
const TrimmedAtOnce = 10_000

// TrimTo says what one transaction of Trim forgets of a log that begins at first, 0: it is empty, and has come to
// head, where the last keep entries stay: what lies at upTo and before, 0: nothing. more: another transaction
// has to go on.
func TrimTo(first, head store.Position, keep int) (upTo store.Position, more bool) {
	last := head - store.Position(max(0, keep))
	if first == 0 || last < first {
		return 0, false
	}
	return min(last, first+TrimmedAtOnce-1), last-first >= TrimmedAtOnce
}
