package counting

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// content is what a span of the log contains. It follows from the log and the voids alone: seals are applied when it is
// added to a recount, so a new seal changes no content.
type content struct {
	events int64
	// first is when the first event was received; 0: there is none.
	first event.Instant
	gaps  []gap
	// sums and weights are those of all plays. The weights are of the videos of each list.
	sums    map[sumKey]spanSum
	weights map[listPlace]uint64
	// voided is what voids change in the ledger, and held what they take out of the lists.
	voided map[voidedKey]usage.Measures
	held   map[listPlace]listed
}

// gap is a number of missing events, from a position on.
type gap struct {
	From  event.Position
	Count int64
}

// maxGaps is the greatest number of gaps in a content; the last one counts the events of all further gaps.
const maxGaps = 100

// sumKey identifies a sum of plays, without its seal.
type sumKey struct {
	account, client string
	month           usage.Month
	sandbox         bool
}

// spanSum is a sum of plays, with the first and the last hour of them.
type spanSum struct {
	usage.Measures
	from, to int64
}

// voidedKey identifies plays that voids move in the ledger: away from their own sum if void is "", or to the adjustments
// of a void, in the first seal after a month.
type voidedKey struct {
	sumKey
	void  string
	after usage.Month
}

func newContent() *content {
	return &content{
		sums: map[sumKey]spanSum{}, weights: map[listPlace]uint64{}, voided: map[voidedKey]usage.Measures{}, held: map[listPlace]listed{},
	}
}

// add adds an event.
func (c *content) add(e *event.Event, m *derived, weigh func(video string) usage.Weight) {
	if c.events == 0 {
		c.first = e.Received
	}
	c.events++
	if e.Played() == 0 {
		return
	}
	month, measures := usage.MonthOf(e.At), measuresOf(e)
	key := sumKey{e.Account, e.Client, month, e.Sandbox}
	hour := int64(e.At / event.Hour)
	sum, known := c.sums[key]
	if !known {
		sum.from, sum.to = hour, hour
	}
	sum.Measures, sum.from, sum.to = plus(sum.Measures, measures), min(sum.from, hour), max(sum.to, hour)
	c.sums[key] = sum
	at, weight := listPlace{place{e.Account, month}, e.Sandbox}, weigh(videoOf(e)).Of(measures.Plays, measures.Milliseconds, measures.Excess)
	c.weights[at] += weight
	if len(m.voids) == 0 {
		return
	}
	p := playOf(e)
	if m.voids.Holder(&p) != 0 {
		held := c.held[at]
		held.Measures, held.weight = plus(held.Measures, measures), held.weight+weight
		c.held[at] = held
	}
	billed, adjustments := m.voids.Bill(&p, usage.SealOf(m.seals, month, e.Position))
	if !billed {
		c.move(voidedKey{sumKey: key}, measures, true)
	}
	for _, a := range adjustments {
		c.move(voidedKey{key, a.Void, a.After}, measures, a.Negative)
	}
}

func (c *content) move(key voidedKey, measures usage.Measures, negative bool) {
	if negative {
		measures = usage.Measures{Plays: -measures.Plays, Milliseconds: -measures.Milliseconds, Excess: -measures.Excess}
	}
	c.voided[key] = plus(c.voided[key], measures)
}

func (c *content) miss(from event.Position, count int64) {
	if len(c.gaps) == maxGaps {
		c.gaps[maxGaps-1].Count += count
		return
	}
	c.gaps = append(c.gaps, gap{from, count})
}

// sameLog reports whether two contents are of the same log, regardless of voids.
func (c *content) sameLog(other *content) bool {
	return c.events == other.events && c.first == other.first && slices.Equal(c.gaps, other.gaps) &&
		maps.Equal(c.sums, other.sums) && maps.Equal(c.weights, other.weights)
}

// changes describes how the log of a later content differs.
func (c *content) changes(later *content, span *usage.Span) (found []usage.Difference) {
	where := fmt.Sprintf("events %d to %d of the log have changed since they were counted on %s: ", span.From+1, span.To, span.Counted)
	if c.events != later.events {
		found = append(found, usage.Difference{What: fmt.Sprintf("%sthere were %d events, there are %d", where, c.events, later.events)})
	}
	all := maps.Clone(c.sums)
	maps.Copy(all, later.sums)
	moved := map[listPlace]bool{}
	for _, key := range slices.SortedFunc(maps.Keys(all), compareSumKeys) {
		if had, has := c.sums[key], later.sums[key]; had != has {
			moved[key.list()] = true
			what := fmt.Sprintf("%sclient %q had %s, it has %s", where, key.client, formatMeasures(had.Measures), formatMeasures(has.Measures))
			if had.Measures == has.Measures {
				what = fmt.Sprintf("%sthe plays of client %q have other times", where, key.client)
			}
			found = append(found, usage.Difference{Account: key.account, Month: key.month, What: what})
		}
	}
	lists := maps.Clone(c.weights)
	maps.Copy(lists, later.weights)
	for _, at := range slices.SortedFunc(maps.Keys(lists), compareListPlaces) {
		if c.weights[at] != later.weights[at] && !moved[at] {
			found = append(found, usage.Difference{Account: at.account, Month: at.month, What: where + "the plays are of other videos"})
		}
	}
	if len(found) == 0 {
		found = append(found, usage.Difference{What: where + "other events are missing, or they were received at other times"})
	}
	return found
}

func compareSumKeys(a, b sumKey) int {
	return byPlace(usage.Sum{Account: a.account, Month: a.month, Client: a.client}, usage.Sum{Account: b.account, Month: b.month, Client: b.client})
}

func (k sumKey) list() listPlace { return listPlace{place{k.account, k.month}, k.sandbox} }

// touchedBy reports whether a void may have changed plays of a span since an act with the given number.
func (c *content) touchedBy(v *usage.Void, span *usage.Span) bool {
	isNew := v.Made.Number >= span.Voids || (v.Undone != nil && v.Undone.Number >= span.Voids)
	switch {
	case !isNew || v.Position <= span.From || v.First == nil:
		return false
	case v.Event != "":
		return v.EventPosition > span.From && v.EventPosition <= span.To
	}
	for key, sum := range c.sums {
		_, concerned := slices.BinarySearch(v.Accounts, key.account)
		if concerned && (v.Client == "" || v.Client == key.client) &&
			event.Instant(sum.to+1)*event.Hour > max(v.From, *v.First) && (v.To == 0 || event.Instant(sum.from)*event.Hour < v.To) {
			return true
		}
	}
	return false
}

// storedContent is a content as it is stored. Texts are numbers in Names.
type storedContent struct {
	Events, First int64
	Gaps          []gap
	Names         []string
	// Sums has for each sum: account, client, month, sandbox, plays, milliseconds, excess, first and last hour.
	Sums []int64
	// Voided has for each key: account, client, month, sandbox, void, after, plays, milliseconds, excess.
	Voided []int64
	// Lists has for each list: account, month, sandbox, and plays, milliseconds and excess of held plays.
	Lists []int64
	// Weights has for each list the weight of all plays, and of held plays.
	Weights []uint64
}

const (
	sumWidth    = 9
	listWidth   = 6
	weightWidth = 2
	// checkLength is the number of bytes of the hash before a stored content.
	checkLength = 8
)

// encode returns the content as decodeContent reads it.
func (c *content) encode() ([]byte, error) {
	s, numbers := storedContent{Events: c.events, First: int64(c.first), Gaps: c.gaps}, map[string]int64{}
	number := func(text string) int64 {
		n, known := numbers[text]
		if !known {
			n = int64(len(s.Names))
			numbers[text] = n
			s.Names = append(s.Names, text)
		}
		return n
	}
	for key, sum := range c.sums {
		s.Sums = append(s.Sums, number(key.account), number(key.client), monthCode(key.month), flag(key.sandbox),
			sum.Plays, sum.Milliseconds, sum.Excess, sum.from, sum.to)
	}
	for key, m := range c.voided {
		s.Voided = append(s.Voided, number(key.account), number(key.client), monthCode(key.month), flag(key.sandbox),
			number(key.void), monthCode(key.after), m.Plays, m.Milliseconds, m.Excess)
	}
	for at, weight := range c.weights {
		held := c.held[at]
		s.Lists = append(s.Lists, number(at.account), monthCode(at.month), flag(at.sandbox), held.Plays, held.Milliseconds, held.Excess)
		s.Weights = append(s.Weights, weight, held.weight)
	}
	return sealBytes(s)
}

var errContent = errors.New("the record of a verified span is damaged")

// decodeContent returns an error for bytes that encode has not made.
func decodeContent(data []byte) (*content, error) {
	var s storedContent
	if err := openBytes(data, &s); err != nil {
		return nil, err
	}
	c := newContent()
	c.events, c.first, c.gaps = s.Events, event.Instant(s.First), s.Gaps
	for row := range slices.Chunk(s.Sums, sumWidth) {
		key := sumKey{s.Names[row[0]], s.Names[row[1]], monthOfCode(row[2]), row[3] == 1}
		c.sums[key] = spanSum{usage.Measures{Plays: row[4], Milliseconds: row[5], Excess: row[6]}, row[7], row[8]}
	}
	for row := range slices.Chunk(s.Voided, sumWidth) {
		key := voidedKey{sumKey{s.Names[row[0]], s.Names[row[1]], monthOfCode(row[2]), row[3] == 1}, s.Names[row[4]], monthOfCode(row[5])}
		c.voided[key] = usage.Measures{Plays: row[6], Milliseconds: row[7], Excess: row[8]}
	}
	for i := 0; i*weightWidth < len(s.Weights); i++ {
		row := s.Lists[i*listWidth : (i+1)*listWidth]
		at := listPlace{place{s.Names[row[0]], monthOfCode(row[1])}, row[2] == 1}
		c.weights[at] = s.Weights[i*weightWidth]
		held := listed{usage.Measures{Plays: row[3], Milliseconds: row[4], Excess: row[5]}, s.Weights[i*weightWidth+1]}
		if held != (listed{}) {
			c.held[at] = held
		}
	}
	return c, nil
}

// sealBytes encodes a value, behind a part of its hash.
func sealBytes(value any) ([]byte, error) {
	buffer := bytes.NewBuffer(make([]byte, checkLength))
	if err := gob.NewEncoder(buffer).Encode(value); err != nil {
		return nil, err
	}
	data := buffer.Bytes()
	hash := sha256.Sum256(data[checkLength:])
	copy(data, hash[:checkLength])
	return data, nil
}

// openBytes decodes a value that sealBytes has encoded.
func openBytes(data []byte, value any) error {
	if len(data) < checkLength {
		return errContent
	}
	hash := sha256.Sum256(data[checkLength:])
	if !bytes.Equal(hash[:checkLength], data[:checkLength]) {
		return errContent
	}
	return gob.NewDecoder(bytes.NewReader(data[checkLength:])).Decode(value)
}

// monthCode returns a number of a month, including the zero Month.
func monthCode(m usage.Month) int64 { return int64(m.Year)*16 + int64(m.Month) }

func monthOfCode(code int64) usage.Month {
	return usage.Month{Year: int(code / 16), Month: time.Month(code % 16)}
}

func flag(is bool) int64 {
	if is {
		return 1
	}
	return 0
}

// maxWeights is the number of videos whose weights are remembered.
const maxWeights = 1 << 16

// weights returns a function that derives the weights of videos from a secret seed. It is for one goroutine.
func weights(seed []byte) func(video string) usage.Weight {
	known, buffer := map[string]usage.Weight{}, slices.Clone(seed)
	return func(video string) usage.Weight {
		weight, found := known[video]
		if !found {
			buffer = append(buffer[:len(seed)], video...)
			hash := sha256.Sum256(buffer)
			weight = usage.Weight{
				Play: binary.LittleEndian.Uint64(hash[:]), Millisecond: binary.LittleEndian.Uint64(hash[8:]), Excess: binary.LittleEndian.Uint64(hash[16:]),
			}
			if len(known) == maxWeights {
				clear(known)
			}
			known[video] = weight
		}
		return weight
	}
}
