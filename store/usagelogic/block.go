package usagelogic

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"github.com/filmstrip/filmstrip/event"
)

// Block contains plays of one account and one month. Its columns are compressed; the other fields and the summary let
// readers skip it.
type Block struct {
	Key BlockKey
	// Plays is the number of plays, from 1 to BlockPlays.
	Plays int64
	// From and To are the first and the last instant of the plays, First and Last their first and last position.
	From, To    event.Instant
	First, Last event.Position
	// Voided reports whether voids take any of the plays out of the counts.
	Voided bool
	// Size is the length of Summary and Body in bytes.
	Size int64
	// Summary lists the persons and the videos of the plays. Body contains the plays and refers to the summary.
	Summary, Body []byte
}

// BlockKey identifies a block. Blocks of an account and a month have increasing numbers.
type BlockKey struct {
	Account Number
	// Month is the bucket of Month that contains all plays.
	Month  int64
	Number int64
}

func (k BlockKey) compare(other BlockKey) int {
	return cmp.Or(cmp.Compare(k.Account, other.Account), cmp.Compare(k.Month, other.Month), cmp.Compare(k.Number, other.Number))
}

// BlockPlays is the largest number of plays in a block.
const BlockPlays = 4096

var errBlock = errors.New("store: a block of plays is damaged")

// title is what the plays of a video have in common.
type title struct {
	video, channel Number
	subjects       []Number
	next           int // the next title of the same video, or -1
}

// blockEncoder encodes blocks and reuses its memory.
type blockEncoder struct {
	persons, videos, clients []Number
	titles                   []title
	titleOf                  map[Number]int // the first title of a video
	values                   []uint64
	body                     []byte
}

// EncodeBlock returns a block of 1 to BlockPlays plays of one account and month. It sorts plays by position.
func EncodeBlock(key BlockKey, plays []Play) Block { return (&blockEncoder{}).encode(key, plays) }

func byPosition(a, b Play) int { return cmp.Compare(a.Position, b.Position) }

func (e *blockEncoder) encode(key BlockKey, plays []Play) Block {
	if !slices.IsSortedFunc(plays, byPosition) {
		slices.SortFunc(plays, byPosition)
	}
	b := Block{
		Key: key, Plays: int64(len(plays)), From: plays[0].At, To: plays[0].At, First: plays[0].Position, Last: plays[len(plays)-1].Position,
	}
	e.persons, e.videos, e.clients = e.persons[:0], e.videos[:0], e.clients[:0]
	for i := range plays {
		p := &plays[i]
		b.From, b.To, b.Voided = min(b.From, p.At), max(b.To, p.At), b.Voided || p.Void != 0
		e.persons, e.videos = append(e.persons, p.Person), append(e.videos, p.Video)
		if n := len(e.clients); n == 0 || e.clients[n-1] != p.Client {
			e.clients = append(e.clients, p.Client)
		}
	}
	e.persons, e.videos, e.clients = sortedOnce(e.persons), sortedOnce(e.videos), sortedOnce(e.clients)
	b.Summary = appendNumbers(appendNumbers(nil, e.persons), e.videos)
	e.body = e.body[:0]
	e.encodeTitles(plays)
	e.body = appendNumbers(e.body, e.clients)
	last := plays[0]
	e.column(len(plays), func(i int) uint64 {
		difference := plays[i].Position - last.Position
		last.Position = plays[i].Position
		return uint64(difference)
	})
	e.column(len(plays), func(i int) uint64 {
		difference := plays[i].At - last.At
		last.At = plays[i].At
		return zigzag(int64(difference))
	})
	e.column(len(plays), func(i int) uint64 { return indexOf(e.persons, plays[i].Person) })
	e.column(len(plays), func(i int) uint64 { return indexOf(e.clients, plays[i].Client) })
	e.column(len(plays), func(i int) uint64 { return zigzag(plays[i].Start) })
	e.column(len(plays), func(i int) uint64 { return zigzag(plays[i].End - plays[i].Start) })
	e.column(len(plays), func(i int) uint64 { return zigzag(plays[i].Excess) })
	e.column(len(plays), func(i int) uint64 { return uint64(plays[i].Void) })
	e.column(len(plays), func(i int) uint64 { return uint64(truth(plays[i].Sandbox) | truth(plays[i].Continues)<<1) })
	b.Body = slices.Clone(e.body)
	b.Size = int64(len(b.Summary) + len(b.Body))
	return b
}

// encodeTitles appends the first position and instant, the titles, and the title of each play.
func (e *blockEncoder) encodeTitles(plays []Play) {
	if e.titleOf == nil {
		e.titleOf = map[Number]int{}
	}
	clear(e.titleOf)
	e.titles = e.titles[:0]
	index := make([]uint32, len(plays))
	for i := range plays {
		p := &plays[i]
		first, known := e.titleOf[p.Video]
		if !known {
			first = -1
		}
		at := first
		for at >= 0 && (e.titles[at].channel != p.Channel || !slices.Equal(e.titles[at].subjects, p.Subjects)) {
			at = e.titles[at].next
		}
		if at < 0 {
			at = len(e.titles)
			e.titles = append(e.titles, title{p.Video, p.Channel, p.Subjects, first})
			e.titleOf[p.Video] = at
		}
		index[i] = uint32(at)
	}
	e.body = binary.AppendUvarint(e.body, zigzag(plays[0].Position))
	e.body = binary.AppendUvarint(e.body, zigzag(int64(plays[0].At)))
	e.body = binary.AppendUvarint(e.body, uint64(len(e.titles)))
	e.column(len(e.titles), func(i int) uint64 { return indexOf(e.videos, e.titles[i].video) })
	e.column(len(e.titles), func(i int) uint64 { return uint64(e.titles[i].channel) })
	e.column(len(e.titles), func(i int) uint64 { return uint64(len(e.titles[i].subjects)) })
	var subjects []Number
	for _, t := range e.titles {
		subjects = append(subjects, t.subjects...)
	}
	e.column(len(subjects), func(i int) uint64 { return uint64(subjects[i]) })
	e.column(len(plays), func(i int) uint64 { return uint64(index[i]) })
}

// sortedOnce sorts numbers and removes duplicates.
func sortedOnce(numbers []Number) []Number {
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

func indexOf(sorted []Number, n Number) uint64 {
	at, _ := slices.BinarySearch(sorted, n)
	return uint64(at)
}

func zigzag(n int64) uint64   { return uint64(n<<1) ^ uint64(n>>63) }
func unzigzag(n uint64) int64 { return int64(n>>1) ^ -int64(n&1) }

// appendNumbers appends the number of sorted numbers and their differences.
func appendNumbers(buffer []byte, sorted []Number) []byte {
	buffer, last := binary.AppendUvarint(buffer, uint64(len(sorted))), Number(0)
	for _, n := range sorted {
		buffer, last = binary.AppendUvarint(buffer, uint64(n-last)), n
	}
	return buffer
}

// A column is stored in the smaller of two forms: as varints, or as differences from its lowest value with a fixed
// number of bits. The first byte is that number, or formVarints.
const (
	formVarints = 255
	maxBits     = 56
)

func (e *blockEncoder) column(n int, value func(i int) uint64) {
	if n == 0 {
		return
	}
	e.values = e.values[:0]
	lowest, highest, length := ^uint64(0), uint64(0), 0
	for i := range n {
		v := value(i)
		lowest, highest = min(lowest, v), max(highest, v)
		length += (bits.Len64(v|1) + 6) / 7
		e.values = append(e.values, v)
	}
	width := bits.Len64(highest - lowest)
	if width > maxBits || length < (n*width+7)/8 {
		e.body = append(e.body, formVarints)
		for _, v := range e.values {
			e.body = binary.AppendUvarint(e.body, v)
		}
		return
	}
	e.body = binary.AppendUvarint(append(e.body, byte(width)), lowest)
	if width == 0 {
		return
	}
	waiting, held := uint64(0), 0
	for _, v := range e.values {
		waiting |= (v - lowest) << held
		for held += width; held >= 8; held -= 8 {
			e.body = append(e.body, byte(waiting))
			waiting >>= 8
		}
	}
	if held > 0 {
		e.body = append(e.body, byte(waiting))
	}
}

// blockReader reads the encoded values one after the other. After an error, it returns zero values.
type blockReader struct {
	rest   []byte
	values []uint64 // of column
	err    error
}

func (r *blockReader) fail() uint64 {
	r.rest, r.err = nil, errBlock
	return 0
}

func (r *blockReader) number() uint64 {
	if len(r.rest) > 0 && r.rest[0] < 0x80 {
		n := r.rest[0]
		r.rest = r.rest[1:]
		return uint64(n)
	}
	n, length := binary.Uvarint(r.rest)
	if length <= 0 {
		return r.fail()
	}
	r.rest = r.rest[length:]
	return n
}

// numbers reads a list of appendNumbers.
func (r *blockReader) numbers() []Number {
	n := r.number()
	if n > BlockPlays {
		r.fail()
		return nil
	}
	list, last := make([]Number, n), uint64(0)
	for i := range list {
		last += r.number()
		list[i] = Number(last)
	}
	return list
}

// contains reads a list of appendNumbers and reports whether any of sorted is in it.
func (r *blockReader) contains(sorted []Number) (found bool) {
	n, last, rest := r.number(), uint64(0), r.rest
	if n > BlockPlays {
		return r.fail() > 0
	}
	for range n {
		var difference uint64
		if len(rest) > 0 && rest[0] < 0x80 {
			difference, rest = uint64(rest[0]), rest[1:]
		} else {
			long, length := binary.Uvarint(rest)
			if length <= 0 {
				return r.fail() > 0
			}
			difference, rest = long, rest[length:]
		}
		last += difference
		for len(sorted) > 0 && uint64(sorted[0]) < last {
			sorted = sorted[1:]
		}
		found = found || len(sorted) > 0 && uint64(sorted[0]) == last
	}
	r.rest = rest
	return found
}

// column returns the n values of a column, which are valid until the next call. After an error, they are not meaningful.
func (r *blockReader) column(n int) []uint64 {
	r.values = slices.Grow(r.values[:0], n)[:n]
	values := r.values
	if n == 0 || r.err != nil {
		clear(values)
		return values
	}
	if len(r.rest) == 0 {
		r.fail()
		return values
	}
	width := int(r.rest[0])
	r.rest = r.rest[1:]
	if width == formVarints {
		for i := range values {
			values[i] = r.number()
		}
		return values
	}
	lowest := r.number()
	length := (n*width + 7) / 8
	if width > maxBits || length > len(r.rest) {
		r.fail()
		clear(values)
		return values
	}
	packed, mask := r.rest[:length], uint64(1)<<width-1
	r.rest = r.rest[length:]
	waiting, held := uint64(0), 0
	for i := range values {
		for held < width {
			waiting |= uint64(packed[0]) << held
			packed, held = packed[1:], held+8
		}
		values[i] = lowest + waiting&mask
		waiting, held = waiting>>width, held-width
	}
	return values
}

// from returns an element of a list.
func from[T any](r *blockReader, list []T, index uint64) (element T) {
	if index >= uint64(len(list)) {
		r.fail()
		return element
	}
	return list[index]
}

// Decode appends the plays of the block to plays, in the order of positions. Plays share their Subjects.
func (b *Block) Decode(plays []Play) ([]Play, error) {
	n := int(b.Plays)
	if b.Plays < 1 || b.Plays > BlockPlays {
		return plays, errBlock
	}
	summary := &blockReader{rest: b.Summary}
	persons, videos := summary.numbers(), summary.numbers()
	r := &blockReader{rest: b.Body, err: summary.err}
	position, at := unzigzag(r.number()), unzigzag(r.number())
	titles := r.titles(videos)
	before := len(plays)
	plays = slices.Grow(plays, n)[:before+n]
	decoded := plays[before:]
	for i, v := range r.column(n) {
		t := from(r, titles, v)
		decoded[i] = Play{Account: b.Key.Account, Video: t.video, Channel: t.channel, Subjects: t.subjects}
	}
	clients := r.numbers()
	for i, v := range r.column(n) {
		position += int64(v)
		decoded[i].Position = position
	}
	for i, v := range r.column(n) {
		at += unzigzag(v)
		decoded[i].At = event.Instant(at)
	}
	for i, v := range r.column(n) {
		decoded[i].Person = from(r, persons, v)
	}
	for i, v := range r.column(n) {
		decoded[i].Client = from(r, clients, v)
	}
	for i, v := range r.column(n) {
		decoded[i].Start = unzigzag(v)
	}
	for i, v := range r.column(n) {
		decoded[i].End = decoded[i].Start + unzigzag(v)
	}
	for i, v := range r.column(n) {
		decoded[i].Excess = unzigzag(v)
	}
	for i, v := range r.column(n) {
		decoded[i].Void = int64(v)
	}
	for i, v := range r.column(n) {
		decoded[i].Sandbox, decoded[i].Continues = v&1 != 0, v&2 != 0
	}
	if r.err != nil || len(r.rest) > 0 {
		return plays[:before], errBlock
	}
	return plays, nil
}

// maxSubjects is the largest number of subjects of all titles of a block that a reader accepts.
const maxSubjects = 1 << 22

func (r *blockReader) titles(videos []Number) []title {
	n := r.number()
	if n > BlockPlays {
		r.fail()
		return nil
	}
	titles, total := make([]title, n), uint64(0)
	for i, v := range r.column(len(titles)) {
		titles[i].video = from(r, videos, v)
	}
	for i, v := range r.column(len(titles)) {
		titles[i].channel = Number(v)
	}
	lengths := make([]uint64, n)
	for i, v := range r.column(len(titles)) {
		lengths[i] = min(v, maxSubjects+1)
		total += lengths[i]
	}
	if total > maxSubjects {
		r.fail()
		return nil
	}
	subjects := make([]Number, total)
	for i, v := range r.column(len(subjects)) {
		subjects[i] = Number(v)
	}
	for i := range titles {
		if length := lengths[i]; length > 0 && r.err == nil {
			titles[i].subjects, subjects = subjects[:length:length], subjects[length:]
		}
	}
	return titles
}

// has reports whether the block may contain plays of one of the persons and of one of the videos, which must be sorted.
// nil stands for all.
func (b *Block) has(persons, videos []Number) (bool, error) {
	r := &blockReader{rest: b.Summary}
	if found := r.contains(persons); persons != nil && (!found || videos == nil) || r.err != nil {
		return found, r.err
	}
	found := r.contains(videos)
	return found || videos == nil, r.err
}
