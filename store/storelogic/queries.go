package storelogic

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// maxQueries bounds a batch of store.Queries.
const maxQueries = 100_000

// CheckQueries returns an error of code Invalid for a batch that store.Queries cannot take, and else the batch with
// each key once, in the order of keys: one order for all, so that no two writers wait for each other in a circle.
func CheckQueries(batch store.SearchLogBatch) (store.SearchLogBatch, error) {
	if n := len(batch.Searches) + len(batch.Clicks); n > maxQueries {
		return store.SearchLogBatch{}, fault.InvalidRequest("%d searches and clicks are more than %d", n, maxQueries)
	}
	searches := map[store.SearchLogKey]store.Searched{}
	for _, s := range batch.Searches {
		if s.Text == "" {
			return store.SearchLogBatch{}, fault.InvalidRequest("a search has no text")
		}
		if before, met := searches[s.SearchLogKey]; met {
			s = addSearches(before, s)
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

// addSearches adds up searches of one key; what was last is that of b where both were at one time.
func addSearches(a, b store.Searched) store.Searched {
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

// QueryLine is one row as an engine reads it: searches, or, with a video, clicks.
type QueryLine struct {
	Text, Account, Spelling, Video string
	// Times counts searches or clicks.
	Times, Unfiltered, Empty, Found int64
	At, FoundAt                     event.Instant
}

// gathering adds up the lines of one text.
type gathering struct {
	text                        string
	searches, unfiltered, empty int64
	found                       int64
	foundAt                     event.Instant
	accounts                    map[string]bool
	spellings                   map[string]*spelling
	clicks                      map[string]int64
}

// spelling is one way in which a text was typed.
type spelling struct {
	searches int64
	last     event.Instant
	accounts map[string]bool
}

func newGathering(text string) *gathering {
	return &gathering{
		text: strings.Clone(text), accounts: map[string]bool{}, spellings: map[string]*spelling{}, clicks: map[string]int64{},
	}
}

func (g *gathering) add(line *QueryLine) {
	if line.Video != "" {
		g.clicks[line.Video] += line.Times
		return
	}
	g.searches, g.unfiltered, g.empty = g.searches+line.Times, g.unfiltered+line.Unfiltered, g.empty+line.Empty
	// Of searches at one time the one that found more: engines may read them in any order.
	if line.FoundAt > g.foundAt || line.FoundAt == g.foundAt && line.Found > g.found {
		g.found, g.foundAt = line.Found, line.FoundAt
	}
	g.accounts[line.Account] = true
	way := g.spellings[line.Spelling]
	if way == nil {
		way = &spelling{accounts: map[string]bool{}}
		g.spellings[line.Spelling] = way
	}
	way.searches += line.Times
	way.last = max(way.last, line.At)
	way.accounts[line.Account] = true
}

// best is the spelling that has the most of something, of equals the one used last, then the first.
func (g *gathering) best(weight func(*spelling) int64) string {
	return slices.MinFunc(slices.Collect(maps.Keys(g.spellings)), func(a, b string) int {
		one, other := g.spellings[a], g.spellings[b]
		return cmp.Or(cmp.Compare(weight(other), weight(one)), cmp.Compare(other.last, one.last), cmp.Compare(a, b))
	})
}

// QueryReport makes the rows of a question from lines that come in the order of their texts, one text after the
// other. It holds no more than one page and one text.
type QueryReport struct {
	question *store.SearchLogQuery
	open     *gathering
	rows     []store.SearchLogRow // the best so far, in their order
}

// NewQueryReport begins an answer.
func NewQueryReport(question *store.SearchLogQuery) *QueryReport {
	return &QueryReport{question: question}
}

// Add takes the next line, or leaves it, where it is of an account that was not asked for.
func (r *QueryReport) Add(line *QueryLine) {
	if r.question.Accounts != nil && !slices.Contains(r.question.Accounts, line.Account) {
		return
	}
	if r.open == nil || r.open.text != line.Text {
		r.close()
		r.open = newGathering(line.Text)
	}
	r.open.add(line)
}

// Rows ends the answer.
func (r *QueryReport) Rows() []store.SearchLogRow {
	r.close()
	r.open = nil
	return r.rows
}

// close puts the text that is open into its place.
func (r *QueryReport) close() {
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

// SharedQueries chooses texts from lines that come in the order of their texts: searches without a filter, of accounts
// that are no sandboxes.
type SharedQueries struct {
	accounts int
	open     *gathering
	shared   []store.SharedSearch
}

// NewSharedQueries begins a choice of what at least so many accounts share.
func NewSharedQueries(accounts int) *SharedQueries { return &SharedQueries{accounts: max(1, accounts)} }

// Add takes the next line.
func (s *SharedQueries) Add(line *QueryLine) {
	if s.open == nil || s.open.text != line.Text {
		s.close()
		s.open = newGathering(line.Text)
	}
	s.open.add(line)
}

// Best ends the choice with the first of its order.
func (s *SharedQueries) Best(limit int) []store.SharedSearch {
	s.close()
	s.open = nil
	slices.SortFunc(s.shared, func(a, b store.SharedSearch) int {
		return cmp.Or(cmp.Compare(b.Accounts, a.Accounts), cmp.Compare(b.Searches, a.Searches), cmp.Compare(a.Text, b.Text))
	})
	return s.shared[:min(len(s.shared), max(1, limit))]
}

func (s *SharedQueries) close() {
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
