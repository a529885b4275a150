package counting

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// A verification divides the counted log into spans: at each seal, and otherwise after a number of positions. The store keeps
// the content of each span, so that the sums of the whole log are the sum of the spans and of the few events behind them.
//
// A span is counted again in its turn, and before that if its record may be out of date: if a later void may have changed its
// plays, if an operator skipped one of its events, or if the log ends before it. Its record is deleted if the log dropped some of
// its events, or if a recount replaced the counts.

const (
	// Rotation is the time within which every span is counted again.
	Rotation = 30 * 24 * time.Hour
	// turn is the time within which every span gets its turn. The rest is for runs that take long or come late.
	turn = Rotation - 2*24*time.Hour
	// spansAtOnce is the number of records that are read at once.
	spansAtOnce = 16
)

// work is a span to count, or a record to delete.
type work struct {
	from, to event.Position
	delete   bool
}

// head is a span without its contents.
type head struct {
	from, to          event.Position
	counted, verified event.Instant
}

// scanned is the content of all spans.
type scanned struct {
	*recount
	// upTo is the end of the last span.
	upTo event.Position
	// oldest is when the span was verified that was verified the longest ago; 0: there is no span.
	oldest event.Instant
	// changed are the spans whose log has changed since they were counted first, with how.
	changed     []event.Position
	differences []usage.Difference
	// works remain to be done before the content can be used.
	works []work
}

// scan reads all spans, and finds what is to be counted before the present state can be compared.
func (v *verification) scan(ctx context.Context, m *derived) (*scanned, error) {
	s := &scanned{recount: &recount{begin: m.dropped, sums: map[usage.Sum]usage.Measures{}, lists: map[listPlace]listed{}}}
	end, err := v.Log.Head(ctx)
	if err != nil {
		return nil, err
	}
	var heads []head
	for next := event.Position(0); ; {
		begun := time.Now()
		spans, err := v.Usage.Spans(ctx, next, spansAtOnce)
		if err != nil {
			return nil, err
		}
		for i := range spans {
			span := &spans[i]
			next = span.From + 1
			if span.From < s.upTo || !v.stands(span, m) {
				s.works = append(s.works, work{from: span.From, delete: true})
				continue
			}
			s.works = append(s.works, v.cut(s.upTo, span.From, m, false)...)
			s.upTo = span.To
			if v.include(s, span, m, end) {
				heads = append(heads, head{span.From, span.To, span.Counted, span.Verified})
			} else {
				s.works = append(s.works, work{from: span.From, to: span.To})
			}
		}
		if err := v.rest(ctx, time.Since(begun)); err != nil {
			return nil, err
		}
		if len(spans) < spansAtOnce {
			break
		}
	}
	more := v.cut(s.upTo, m.progress.Position, m, true)
	s.works = append(s.works, more...)
	if v.turns == nil && !v.whole {
		v.turns = v.choose(heads)
		for _, h := range heads {
			if v.turns[h.from] {
				s.works = append(s.works, work{from: h.from, to: h.to})
			}
		}
	}
	return s, nil
}

// stands reports whether a record describes a span of the present log: no seal lies inside, and no event of it was dropped since.
func (v *verification) stands(span *usage.Span, m *derived) bool {
	return span.From < span.To && span.To <= m.progress.Position && (span.From >= m.dropped || span.Dropped == m.dropped) &&
		!slices.ContainsFunc(m.seals, func(s usage.Seal) bool { return s.Position > span.From && s.Position < span.To })
}

// include adds a span to the scan. It returns false if the span must be counted before.
func (v *verification) include(s *scanned, span *usage.Span, m *derived, end event.Position) bool {
	due := v.whole || v.turns[span.From] || span.Changed != nil || span.To > end
	if due && !v.done[span.From] || span.Skipped != m.skippedBetween(span.From, span.To+1) {
		return false
	}
	first, err := decodeContent(span.Content)
	if err != nil {
		return false
	}
	now := first
	if span.Changed != nil {
		if now, err = decodeContent(span.Changed); err != nil {
			return false
		}
		s.changed = append(s.changed, span.From)
		s.differences = append(s.differences, first.changes(now, span)...)
	}
	for i := range m.voids {
		if now.touchedBy(&m.voids[i], span) {
			return false
		}
	}
	s.recount.include(now, span.To, m.seals)
	if s.oldest == 0 || span.Verified < s.oldest {
		s.oldest = span.Verified
	}
	return true
}

// cut divides the log between two positions into spans. If it is open, the log goes on behind, and the last span must be full.
func (v *verification) cut(from, to event.Position, m *derived, open bool) (works []work) {
	for from < to {
		next, ends := to, !open
		limit := func(position event.Position, is bool) {
			if is && position > from && position <= next {
				next, ends = position, true
			}
		}
		limit(m.dropped, true)
		limit(from+v.SpanLength, from >= m.dropped) // few events remain before that position
		for _, seal := range m.seals {
			limit(seal.Position, true)
		}
		if !ends {
			break
		}
		works = append(works, work{from: from, to: next})
		from = next
	}
	return works
}

// choose returns the spans whose turn it is: those that were verified the longest ago, so many that every span has its turn in
// time.
func (v *verification) choose(heads []head) map[event.Position]bool {
	now, quota := v.Now(), int64(0)
	if v.last != nil {
		total, done := int64(0), int64(0)
		for _, h := range heads {
			total += h.to - h.from
			if h.verified > h.counted && h.verified > event.InstantOf(v.last.At) { // by a run that was interrupted
				done += h.to - h.from
			}
		}
		since := min(max(0, now.Sub(v.last.At)), turn)
		quota = int64(math.Ceil(float64(total)*since.Seconds()/turn.Seconds())) - done
	}
	turns := map[event.Position]bool{}
	slices.SortFunc(heads, func(a, b head) int { return cmp.Or(cmp.Compare(a.verified, b.verified), cmp.Compare(a.from, b.from)) })
	for _, h := range heads {
		if quota <= 0 && now.Sub(h.verified.Time()) < turn {
			break
		}
		turns[h.from] = true
		quota -= h.to - h.from
	}
	return turns
}

// do counts a span and stores its record, or deletes one.
func (v *verification) do(ctx context.Context, w work, m *derived) error {
	if w.delete {
		return v.Usage.DeleteSpans(ctx, w.from, w.from+1)
	}
	counted, err := v.read(ctx, w.from, w.to, m)
	if err != nil {
		return err
	}
	now := event.InstantOf(v.Now())
	span := usage.Span{
		From: w.from, To: w.to, Counted: now, Verified: now, Voids: m.voids.NextNumber(), Dropped: m.dropped,
		Skipped: m.skippedBetween(w.from, w.to+1),
	}
	if span.Content, err = counted.encode(); err != nil {
		return err
	}
	before, err := v.Usage.Spans(ctx, w.from, 1)
	if err != nil {
		return err
	}
	if len(before) == 1 && before[0].From == w.from && before[0].To == w.to && before[0].Skipped == span.Skipped && w.from >= m.dropped {
		if known, err := decodeContent(before[0].Content); err == nil {
			span.Counted = before[0].Counted
			if !known.sameLog(counted) {
				span.Content, span.Changed = before[0].Content, span.Content
			}
		}
	}
	v.done[w.from] = true
	v.counted += counted.events
	return v.Usage.PutSpan(ctx, span)
}

// accept makes the last content of spans the one with which the next is compared.
func (v *verification) accept(ctx context.Context, changed []event.Position) error {
	for _, from := range changed {
		spans, err := v.Usage.Spans(ctx, from, 1)
		if err != nil {
			return err
		}
		if len(spans) == 0 || spans[0].From != from || spans[0].Changed == nil {
			continue
		}
		span := spans[0]
		span.Content, span.Changed, span.Counted = span.Changed, nil, span.Verified
		if err := v.Usage.PutSpan(ctx, span); err != nil {
			return err
		}
	}
	return nil
}
