package storelogic

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// The index of persons says where in the event log a name occurs, so that nobody needs to scan the log for one person.
// It divides the log into segments, and a segment into blocks. For each segment that is whole, it has a few rows, each
// with a part of the names that occur in the segment and the blocks in which they occur. Names are keyed hashes.
const (
	// PersonSegment is how many positions a segment covers. The events after the last segment are scanned.
	PersonSegment = 1 << 17
	// personBlock is how many positions a block covers.
	personBlock = 64
	// PersonRowCount is how many rows a segment has. A body then takes some hundred bytes.
	PersonRowCount = 256
	// PersonPiece is how many positions of the index one transaction changes: whole blocks.
	PersonPiece = 78 * personBlock
	// PersonsAtOnce is how many segments one statement looks up.
	PersonsAtOnce = 256
)

// PersonKey is a hash of 48 bits of an account and a name. Its first byte selects the row of a segment.
type PersonKey uint64

const suffixBytes = 5

func (k PersonKey) suffix() uint64 { return uint64(k) & (1<<(8*suffixBytes) - 1) }

// Row returns the ID of the row that contains the key, for the segment after a position.
func (k PersonKey) Row(segment event.Position) int64 {
	return segment*PersonRowCount + int64(k>>(8*suffixBytes))
}

// PersonRows returns the IDs of the first and the last row of the segment after a position.
func PersonRows(segment event.Position) (first, last int64) {
	return segment * PersonRowCount, segment*PersonRowCount + PersonRowCount - 1
}

// PersonHasher computes keys under the secret of a log.
type PersonHasher struct {
	secret []byte
	buffer []byte
	known  map[string]PersonKey
}

// NewPersonHasher returns a hasher for the names of one part of the log.
func NewPersonHasher(secret []byte) *PersonHasher {
	return &PersonHasher{secret: secret, known: map[string]PersonKey{}}
}

// keyOf returns the key of a name: kind is 'x' for an external user and 'u' for a user of a token.
func (h *PersonHasher) keyOf(kind byte, account, name []byte) PersonKey {
	h.buffer = append(binary.AppendUvarint(append(h.buffer[:0], kind), uint64(len(account))), account...)
	h.buffer = append(h.buffer, name...)
	if key, known := h.known[string(h.buffer)]; known {
		return key
	}
	mac := hmac.New(sha256.New, h.secret)
	mac.Write(h.buffer)
	key := PersonKey(binary.BigEndian.Uint64(mac.Sum(nil)) >> 16)
	h.known[string(h.buffer)] = key
	return key
}

// IsIndexed reports whether the index finds the events of a query.
func IsIndexed(query store.EventQuery) bool {
	return len(query.Names) > 0 || query.Person != "" && query.Account != ""
}

// KeysOf returns the keys of a query for which IsIndexed is true.
func (h *PersonHasher) KeysOf(query store.EventQuery) (keys []PersonKey) {
	names := query.Names
	if len(names) == 0 {
		names = []string{query.Person}
	}
	for _, name := range names {
		keys = append(keys, h.keyOf(name[0], []byte(query.Account), []byte(name[1:])))
	}
	return keys
}

// CheckNames returns an error of code Invalid if the names of a query are not valid.
func CheckNames(query store.EventQuery) error {
	if len(query.Names) > store.MaxNames {
		return fault.InvalidRequest("%d names are more than the %d that one query may have", len(query.Names), store.MaxNames)
	}
	for _, name := range query.Names {
		if len(name) < 2 || name[0] != 'x' && name[0] != 'u' {
			return fault.InvalidRequest("the name %q does not begin with x or u", name)
		}
	}
	return nil
}

// PersonBlocks contains the blocks in which each name of a segment occurs, in ascending order.
type PersonBlocks map[PersonKey][]uint32

// Add adds the names of an event. Positions must ascend.
func (b PersonBlocks) Add(h *PersonHasher, segment, position event.Position, account, user, external []byte) {
	block := uint32((position - segment - 1) / personBlock)
	if len(user) > 0 {
		b.add(h.keyOf('u', account, user), block)
	}
	if len(external) > 0 {
		b.add(h.keyOf('x', account, external), block)
	}
}

func (b PersonBlocks) add(key PersonKey, block uint32) {
	blocks := b[key]
	if len(blocks) == 0 || blocks[len(blocks)-1] != block {
		b[key] = append(blocks, block)
	}
}

// Append adds the names of a later part of the same segment.
func (b PersonBlocks) Append(later PersonBlocks) {
	for key, blocks := range later {
		for _, block := range blocks {
			b.add(key, block)
		}
	}
}

// Rows yields the rows of the segment after a position, in the order of their IDs.
func (b PersonBlocks) Rows(segment event.Position) iter.Seq2[int64, []byte] {
	return func(yield func(int64, []byte) bool) {
		var (
			id   int64
			body []byte
		)
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if row := key.Row(segment); row != id {
				if len(body) > 0 && !yield(id, body) {
					return
				}
				id, body = row, nil
			}
			body = appendPerson(body, key.suffix(), b[key])
		}
		if len(body) > 0 {
			yield(id, body)
		}
	}
}

// A body is a list of entries in the order of suffixes: the suffix, the number of blocks, the first block, and the
// distances between blocks. All but the suffix are varints.
func appendPerson(body []byte, suffix uint64, blocks []uint32) []byte {
	var big [8]byte
	binary.BigEndian.PutUint64(big[:], suffix)
	body = append(body, big[8-suffixBytes:]...)
	body = binary.AppendUvarint(body, uint64(len(blocks)))
	before := uint32(0)
	for _, block := range blocks {
		body = binary.AppendUvarint(body, uint64(block-before))
		before = block
	}
	return body
}

var errPersons = errors.New("the index of persons is damaged")

// persons yields the entries of a body: the suffix, and the bytes of the whole entry and of its blocks.
func persons(body []byte, entry func(suffix uint64, whole []byte, blocks []uint32) bool) error {
	for len(body) > 0 {
		rest := body
		if len(rest) < suffixBytes {
			return errPersons
		}
		var big [8]byte
		copy(big[8-suffixBytes:], rest)
		suffix := binary.BigEndian.Uint64(big[:])
		rest = rest[suffixBytes:]
		next := func() (n uint64, ok bool) {
			n, size := binary.Uvarint(rest)
			if size <= 0 || n > 1<<31 {
				return 0, false
			}
			rest = rest[size:]
			return n, true
		}
		count, ok := next()
		if !ok || count > uint64(len(rest)) {
			return errPersons
		}
		blocks, before := make([]uint32, count), uint64(0)
		for i := range blocks {
			distance, ok := next()
			if !ok {
				return errPersons
			}
			before += distance
			blocks[i] = uint32(before)
		}
		if !entry(suffix, body[:len(body)-len(rest)], blocks) {
			return nil
		}
		body = rest
	}
	return nil
}

// blocksIn returns the blocks of a key in the body of its row.
func blocksIn(body []byte, key PersonKey) (blocks []uint32, err error) {
	err = persons(body, func(suffix uint64, _ []byte, found []uint32) bool {
		if suffix == key.suffix() {
			blocks = found
		}
		return suffix < key.suffix()
	})
	return blocks, err
}

// PersonChange is a change of the blocks of a name.
type PersonChange struct{ removed, added []uint32 }

// ChangesOf compares the names of the same blocks before and after an erasure.
func ChangesOf(before, after PersonBlocks) map[PersonKey]PersonChange {
	changes := map[PersonKey]PersonChange{}
	for key, blocks := range before {
		if removed := without(blocks, after[key]); len(removed) > 0 {
			changes[key] = PersonChange{removed: removed}
		}
	}
	for key, blocks := range after {
		if added := without(blocks, before[key]); len(added) > 0 {
			changes[key] = PersonChange{removed: changes[key].removed, added: added}
		}
	}
	return changes
}

// without returns the elements of a list that another does not contain. Both are in ascending order.
func without(list, other []uint32) (left []uint32) {
	for _, one := range list {
		if _, found := slices.BinarySearch(other, one); !found {
			left = append(left, one)
		}
	}
	return left
}

// Apply returns the body of the row of a key after the change. It is empty if the row contains no names any more.
func (c PersonChange) Apply(body []byte, key PersonKey) (changed []byte, err error) {
	done := false
	put := func(before []uint32) {
		done = true
		blocks := append(without(before, c.removed), c.added...)
		slices.Sort(blocks)
		if blocks = slices.Compact(blocks); len(blocks) > 0 {
			changed = appendPerson(changed, key.suffix(), blocks)
		}
	}
	err = persons(body, func(suffix uint64, whole []byte, blocks []uint32) bool {
		if !done && suffix >= key.suffix() {
			if suffix == key.suffix() {
				put(blocks)
				return true
			}
			put(nil)
		}
		changed = append(changed, whole...)
		return true
	})
	if !done {
		put(nil)
	}
	return changed, err
}

// Segment is a segment of the index.
type Segment struct {
	// The segment covers the positions from After+1 to Last.
	After, Last event.Position
	// IsCurrent reports whether the rows of the segment show its events. Otherwise readers scan it.
	IsCurrent bool
}

// PersonRun is a run of positions that may contain events of a person.
type PersonRun struct {
	After, Last event.Position
	// IsIndexed reports whether the run consists of whole blocks of the segment after the position Segment. The bounds of
	// such a run may lie outside of those of the query.
	IsIndexed bool
	Segment   event.Position
}

// Pieces yields the parts of the run with at most size positions, which is a multiple of a block.
func (r PersonRun) Pieces(size event.Position) iter.Seq[PersonRun] {
	return func(yield func(PersonRun) bool) {
		for piece := r; piece.After < r.Last; piece.After = piece.Last {
			piece.Last = min(r.Last, piece.After+size)
			if !yield(piece) {
				return
			}
		}
	}
}

// GroupPieces divides runs into groups that one transaction reads or changes: short pieces of segments, or one piece of
// the rest, with at most size positions.
func GroupPieces(runs []PersonRun, size event.Position) (groups [][]PersonRun) {
	var length event.Position
	for _, r := range runs {
		most := size
		if r.IsIndexed {
			most = PersonPiece
		}
		for piece := range r.Pieces(most) {
			n := len(groups)
			if length += piece.Last - piece.After; n > 0 && length <= PersonPiece && r.IsIndexed {
				groups[n-1] = append(groups[n-1], piece)
				continue
			}
			groups, length = append(groups, []PersonRun{piece}), piece.Last-piece.After
		}
	}
	return groups
}

// PersonRuns collects the runs of positions that may contain events of a person.
type PersonRuns struct {
	Runs []PersonRun
	// At is the position up to which the runs are complete. UpTo is the last position.
	At, UpTo event.Position
}

func (r *PersonRuns) add(run PersonRun) {
	if run.After >= run.Last {
		return
	}
	if n := len(r.Runs); n > 0 {
		before := &r.Runs[n-1]
		if before.Last == run.After && before.IsIndexed == run.IsIndexed && (!run.IsIndexed || before.Segment == run.Segment) {
			before.Last = run.Last
			return
		}
	}
	r.Runs = append(r.Runs, run)
}

// scan adds the positions up to last that no run covers.
func (r *PersonRuns) scan(last event.Position) {
	last = min(last, r.UpTo)
	r.add(PersonRun{After: r.At, Last: last})
	r.At = max(r.At, last)
}

// Add adds a segment. Segments must ascend. bodies are the bodies of the keys' rows, by ID; they are only read if the
// segment is current.
func (r *PersonRuns) Add(segment Segment, keys []PersonKey, bodies map[int64][]byte) error {
	if segment.After >= r.UpTo {
		r.End()
	}
	if segment.Last <= r.At || r.At >= r.UpTo {
		return nil
	}
	r.scan(segment.After)
	if !segment.IsCurrent {
		r.scan(segment.Last)
		return nil
	}
	var all []uint32
	for _, key := range keys {
		blocks, err := blocksIn(bodies[key.Row(segment.After)], key)
		if err != nil {
			return err
		}
		all = append(all, blocks...)
	}
	slices.SortFunc(all, cmp.Compare[uint32])
	for _, block := range slices.Compact(all) {
		after := segment.After + event.Position(block)*personBlock
		last := min(segment.Last, after+personBlock)
		if last > r.At && after < r.UpTo {
			r.add(PersonRun{After: after, Last: last, IsIndexed: true, Segment: segment.After})
		}
	}
	r.At = min(r.UpTo, segment.Last)
	return nil
}

// End adds the positions behind the last segment.
func (r *PersonRuns) End() { r.scan(r.UpTo) }
