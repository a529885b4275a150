package sqlstore

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// maxBatch is the largest number of searches and clicks in one batch of store.SearchLog.
const maxBatch = 100_000

// mergeBatch returns the batch with each key once, in the order of keys. All writers lock rows in this order, so that
// they cannot deadlock. It returns an error of code Invalid for a batch that store.SearchLog does not accept.
func mergeBatch(batch store.SearchLogBatch) (store.SearchLogBatch, error) {
	if n := len(batch.Searches) + len(batch.Clicks); n > maxBatch {
		return store.SearchLogBatch{}, fault.InvalidRequest("%d searches and clicks are more than %d", n, maxBatch)
	}
	searches := map[store.SearchLogKey]store.Searched{}
	for _, s := range batch.Searches {
		if s.Text == "" {
			return store.SearchLogBatch{}, fault.InvalidRequest("a search has no text")
		}
		if before, met := searches[s.SearchLogKey]; met {
			s = sumSearches(before, s)
		}
		searches[s.SearchLogKey] = s
	}
	type clickKey struct {
		store.SearchLogKey
		video string
	}
	clicks := map[clickKey]store.Clicked{}
	for _, c := range batch.Clicks {
		if c.Text == "" || c.Video == "" {
			return store.SearchLogBatch{}, fault.InvalidRequest("a click has no text or no video")
		}
		key := clickKey{c.SearchLogKey, c.Video}
		c.Times += clicks[key].Times
		clicks[key] = c
	}
	return store.SearchLogBatch{
		Searches: slices.SortedFunc(maps.Values(searches), func(a, b store.Searched) int { return compareQueries(&a.SearchLogKey, &b.SearchLogKey) }),
		Clicks: slices.SortedFunc(maps.Values(clicks), func(a, b store.Clicked) int {
			return cmp.Or(compareQueries(&a.SearchLogKey, &b.SearchLogKey), cmp.Compare(a.Video, b.Video))
		}),
	}, nil
}

func compareQueries(a, b *store.SearchLogKey) int {
	return cmp.Or(cmp.Compare(a.Text, b.Text), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Day, b.Day))
}

// sumSearches adds up searches with the same key. If both have the same time, b counts as the later one.
func sumSearches(a, b store.Searched) store.Searched {
	sum := a
	if b.At >= a.At {
		sum.Sandbox, sum.Spelling, sum.At = b.Sandbox, b.Spelling, b.At
	}
	if b.FoundAt >= a.FoundAt {
		sum.Found, sum.FoundAt = b.Found, b.FoundAt
	}
	sum.Times, sum.Unfiltered, sum.Empty = a.Times+b.Times, a.Unfiltered+b.Unfiltered, a.Empty+b.Empty
	return sum
}

// line is one row of a result: searches, or clicks if it has a video.
type line struct {
	text, account, spelling, video string
	// times is the number of searches or clicks.
	times, unfiltered, empty, found int64
	at, foundAt                     event.Instant
}

// textSums adds up the lines of one text.
type textSums struct {
	text                        string
	searches, unfiltered, empty int64
	found                       int64
	foundAt                     event.Instant
	accounts                    map[string]bool
	spellings                   map[string]*spelling
	clicks                      map[string]int64
}

// spelling describes one spelling of a text.
type spelling struct {
	searches int64
	last     event.Instant
	accounts map[string]bool
}

func newTextSums(text string) *textSums {
	return &textSums{
		text: strings.Clone(text), accounts: map[string]bool{}, spellings: map[string]*spelling{}, clicks: map[string]int64{},
	}
}

func (g *textSums) add(line *line) {
	if line.video != "" {
		g.clicks[line.video] += line.times
		return
	}
	g.searches, g.unfiltered, g.empty = g.searches+line.times, g.unfiltered+line.unfiltered, g.empty+line.empty
	// Of searches at the same time, the one that found more counts as the last, because engines may read them in any
	// order.
	if line.foundAt > g.foundAt || line.foundAt == g.foundAt && line.found > g.found {
		g.found, g.foundAt = line.found, line.foundAt
	}
	g.accounts[line.account] = true
	way := g.spellings[line.spelling]
	if way == nil {
		way = &spelling{accounts: map[string]bool{}}
		g.spellings[line.spelling] = way
	}
	way.searches += line.times
	way.last = max(way.last, line.at)
	way.accounts[line.account] = true
}

// best returns the spelling with the largest weight. Of equal ones, it returns the one that was used last, and then the
// first in byte order.
func (g *textSums) best(weight func(*spelling) int64) string {
	return slices.MinFunc(slices.Collect(maps.Keys(g.spellings)), func(a, b string) int {
		one, other := g.spellings[a], g.spellings[b]
		return cmp.Or(cmp.Compare(weight(other), weight(one)), cmp.Compare(other.last, one.last), cmp.Compare(a, b))
	})
}

// report computes the rows of a report from lines in the order of their texts. It keeps only one page and one text in
// memory.
type report struct {
	question *store.SearchLogQuery
	open     *textSums
	rows     []store.SearchLogRow // the best rows so far, in order
}

func (r *report) add(line *line) {
	if r.open == nil || r.open.text != line.text {
		r.close()
		r.open = newTextSums(line.text)
	}
	r.open.add(line)
}

// finish returns the rows in the order that the query specifies.
func (r *report) finish() []store.SearchLogRow {
	r.close()
	r.open = nil
	return r.rows
}

// close inserts the open text into the rows.
func (r *report) close() {
	g, q := r.open, r.question
	switch {
	case g == nil || g.searches == 0:
		return
	case q.Few != nil && (g.unfiltered == 0 || g.found > *q.Few):
		return
	case !strings.Contains(g.text, q.Contains):
		return
	}
	row := store.SearchLogRow{
		Text: g.text, Searches: g.searches, Unfiltered: g.unfiltered, Empty: g.empty, Accounts: len(g.accounts),
	}
	for _, n := range g.clicks {
		row.Clicks += n
	}
	at, _ := slices.BinarySearchFunc(r.rows, row, func(a, b store.SearchLogRow) int {
		return cmp.Or(cmp.Compare(weightOf(q.Order, &b), weightOf(q.Order, &a)), cmp.Compare(a.Text, b.Text))
	})
	if at == q.Limit {
		return
	}
	row.Spelling = g.best(func(s *spelling) int64 { return s.searches })
	if g.unfiltered > 0 {
		row.Found = &g.found
	}
	row.Videos = mostClicked(g.clicks)
	r.rows = slices.Insert(r.rows, at, row)
	r.rows = r.rows[:min(len(r.rows), q.Limit)]
}

func weightOf(order store.SearchLogOrder, row *store.SearchLogRow) int64 {
	switch order {
	case store.MostEmpty:
		return row.Empty
	case store.MostClicks:
		return row.Clicks
	}
	return row.Searches
}

func mostClicked(clicks map[string]int64) (videos []store.SearchLogVideo) {
	for video, n := range clicks {
		videos = append(videos, store.SearchLogVideo{Video: video, Clicks: n})
	}
	slices.SortFunc(videos, func(a, b store.SearchLogVideo) int {
		return cmp.Or(cmp.Compare(b.Clicks, a.Clicks), cmp.Compare(a.Video, b.Video))
	})
	return videos[:min(len(videos), store.MaxQueryVideos)]
}

// sharedTexts selects texts from lines in the order of their texts. The lines are searches without a filter, from
// accounts that are not sandboxes.
type sharedTexts struct {
	accounts int
	open     *textSums
	shared   []store.SharedSearch
}

func (s *sharedTexts) add(line *line) {
	if s.open == nil || s.open.text != line.text {
		s.close()
		s.open = newTextSums(line.text)
	}
	s.open.add(line)
}

// finish returns up to limit texts, in the order of store.SearchLog.Shared.
func (s *sharedTexts) finish(limit int) []store.SharedSearch {
	s.close()
	s.open = nil
	slices.SortFunc(s.shared, func(a, b store.SharedSearch) int {
		return cmp.Or(cmp.Compare(b.Accounts, a.Accounts), cmp.Compare(b.Searches, a.Searches), cmp.Compare(a.Text, b.Text))
	})
	return s.shared[:min(len(s.shared), max(1, limit))]
}

func (s *sharedTexts) close() {
	g := s.open
	if g == nil || len(g.accounts) < s.accounts || g.found == 0 {
		return
	}
	written := g.best(func(way *spelling) int64 { return int64(len(way.accounts)) })
	if len(g.spellings[written].accounts) < s.accounts {
		written = g.text
	}
	s.shared = append(s.shared, store.SharedSearch{Text: g.text, Spelling: written, Accounts: len(g.accounts), Searches: g.searches})
}
