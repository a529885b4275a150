package usagelogic

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// crowd is a Source of one account, in which each person has played once.
type crowd struct {
	Source
	persons int
	// idle is the first instant after which the account has no plays; 0: there is none.
	idle event.Instant
}

func (*crowd) Progress(context.Context) (usage.Progress, error) { return usage.Progress{}, nil }

func (*crowd) Find(context.Context, usage.Dimension, []string) ([]Number, error) {
	return []Number{1}, nil
}

func (*crowd) Texts(_ context.Context, _ usage.Dimension, numbers []Number, each func(Number, string)) error {
	for _, number := range numbers {
		each(number, strconv.Itoa(int(number)))
	}
	return nil
}

func (*crowd) Horizon(context.Context) (event.Instant, error) { return 0, nil }

func (c *crowd) Cells(_ context.Context, s CellSpan, each func(Part)) error {
	if c.idle == 0 || s.Grain.Start(s.From) < c.idle {
		each(Part{})
	}
	return nil
}

func (c *crowd) Headers(_ context.Context, span BlockSpan, each func(*Block) error) error {
	return each(&Block{Key: BlockKey{Account: span.Account}})
}

func (c *crowd) Blocks(_ context.Context, keys []BlockKey, each func(int, *Block) error) error {
	plays := make([]Play, c.persons)
	for i := range plays {
		plays[i] = Play{Position: event.Position(i), Account: 1, Person: Number(i + 1), End: 1000}
	}
	b := EncodeBlock(keys[0], plays)
	return each(0, &b)
}

// TestTableIsBounded checks that a query for more rows than the limit fails with Invalid.
func TestTableIsBounded(t *testing.T) {
	const most = 100
	query := usage.Query{To: event.Hour, By: []usage.Dimension{usage.ByUser}, Order: usage.MostPlays, Limit: 1}
	query.Only[usage.ByAccount] = []string{"account"}
	table, err := tableOf(t.Context(), &crowd{persons: most}, query, most)
	if err != nil || table.Count != most || table.Total.Plays != most {
		t.Errorf("%d rows of %d plays (%v)", table.Count, table.Total.Plays, err)
	}
	if _, err := tableOf(t.Context(), &crowd{persons: most + 1}, query, most); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a row too many: %v", err)
	}
}

// TestSpansToDate checks that cells answer for the month or the day to date, unless a play follows in it.
func TestSpansToDate(t *testing.T) {
	start := usage.MonthNumber(24_000).Start()
	now, month := start+14*dayLength+15*hourLength, Month.Bucket(start)
	day := Day.Bucket(start)
	toDate := []span{{0, int64(start), int64(now)}}
	for name, test := range map[string]struct {
		by       usage.Dimension
		from     event.Instant
		interval usage.Interval
		idle     event.Instant
		want     []span
	}{
		"videos of the month":            {usage.ByVideo, start, usage.Whole, now, []span{{Month, month, month + 1}}},
		"a play follows":                 {usage.ByVideo, start, usage.Whole, now + hourLength, toDate},
		"a play follows tomorrow":        {usage.ByVideo, start, usage.Whole, now + dayLength, toDate},
		"videos of a part of the month":  {usage.ByVideo, start + hourLength, usage.Whole, now, []span{{0, int64(start + hourLength), int64(now)}}},
		"channels of each day":           {usage.ByChannel, start, usage.Daily, now, []span{{Day, day, day + 15}}},
		"channels, a play follows later": {usage.ByChannel, start, usage.Whole, now + dayLength, []span{{Day, day, day + 14}, {0, int64(now - 15*hourLength), int64(now)}}},
		"the account in total":           {usage.ByAccount, start, usage.Whole, now + hourLength, []span{{Day, day, day + 14}, {Hour, 24 * (day + 14), 24*(day+14) + 15}}},
	} {
		c := &collector{question: &question{Query: &usage.Query{}, accounts: []Number{1}}, source: &crowd{idle: test.idle}}
		_, spans, err := c.spans(t.Context(), []usage.Dimension{test.by}, test.from, now, test.interval)
		if err != nil || !slices.Equal(spans, test.want) {
			t.Errorf("%s: %v (%v), want %v", name, spans, err, test.want)
		}
	}
}
