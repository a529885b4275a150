package usagelogic

import (
	"context"
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
