package typesense

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// listing determines which documents a result lists and in which order.
type listing struct {
	text         string // "" for every document that matches the filter
	filter, sort string
	// matched is filter for documents that are known to match the text.
	matched string
	// reorder orders the listing, which has at most rerankDepth documents. If it is nil, the text orders the listing.
	reorder func(first []hit)
	// front are the documents that come first, in an order that is computed here; nil: there are none.
	front []catalogue.ID
	// candidates is the number of documents of front that are known to match filter.
	candidates int
}

// The ranking fields by decreasing weight. The field of everyDocument has no weight.
var (
	rankFields = strings.Join([]string{fieldTitleText, fieldKeywordText, fieldSubjectText, fieldChannelText,
		fieldDescriptionText, fieldTranscriptText, fieldEvery}, ",")
	rankWeights = "7,6,5,4,3,2,0"
)

// maxRanked is the maximum number of words that rank. The rarest words rank. Each word costs about 5 ms if 50,000
// documents match the filter.
const maxRanked = 12

// request returns a search without hits. It disables every feature that makes Typesense look for other words, except
// that Typesense may drop words as long as any document matches the filter. The total is then always that of the
// filter, because Typesense drops everyDocument last (measured with 1 to 12 words, with and without exhaustive_search,
// which only makes the search slower).
func (l *listing) request() searchRequest {
	request := searchRequest{Q: "*", FilterBy: l.filter, SortBy: l.sort}
	if l.text != "" {
		no, none, everything := false, 0, math.MaxInt32
		request.Q, request.QueryBy, request.Weights = l.text, rankFields, rankWeights
		request.Prefix, request.NumTypos, request.TypoTokensThreshold = &no, &none, &none
		request.DropTokensThreshold = &everything
	}
	return request
}

// rankedText returns the text that ranks documents by the number of words that they have. Typesense drops words from
// the end, so that the most frequent words come last.
func (q *question) rankedText() string {
	byRarity := make([]*word, 0, len(q.words))
	for i := range q.words {
		if q.words[i].ranked != "" {
			byRarity = append(byRarity, &q.words[i])
		}
	}
	slices.SortStableFunc(byRarity, func(a, b *word) int { return cmp.Compare(a.documents, b.documents) })
	tokens := []string{everyDocument}
	for _, w := range byRarity[:min(len(byRarity), maxRanked)] {
		if !slices.Contains(tokens, w.ranked) {
			tokens = append(tokens, w.ranked)
		}
	}
	for i := range q.words {
		for _, token := range q.words[i].ranking {
			if len(tokens) <= maxRanked && !slices.Contains(tokens, token) {
				tokens = append(tokens, token)
			}
		}
	}
	return strings.Join(tokens, " ")
}

// page requests the page together with all other searches of a round. It also returns the total.
func (s *run) page(ctx context.Context, r *round) ([]hit, int, error) {
	segments := s.segments()
	for i := range segments {
		if l := &segments[i]; l.reorder == nil && s.hasFront() && s.query.Size > 0 {
			var err error
			if err = s.setFront(ctx, l); err != nil {
				return nil, 0, err
			}
		}
	}
	if len(segments) > 1 {
		return s.inSegments(ctx, r, segments)
	}
	w := s.window(r, segments[0], s.query.Offset, s.query.Size, true)
	if err := s.index.run(ctx, s.at, r); err != nil {
		return nil, 0, err
	}
	return w.list(), w.total, nil
}

// segments returns the listings that form the results, in order. There are several only if the order needs more than
// one condition, because Typesense accepts one condition in a sort up to version 0.25.
func (s *run) segments() []listing {
	if !hasRules(s.query) || s.query.ByReleaseDate {
		return s.ordered(s.everything())
	}
	return s.ruleSegments()
}

// everything returns the listing of all results, without an order.
func (s *run) everything() listing {
	return listing{filter: s.conditions.all(), matched: s.conditions.beside("")}
}

// restricted returns the part of a listing that meets a condition.
func (l listing) restricted(condition string) listing {
	l.filter, l.matched = and(l.filter, condition), and(l.matched, condition)
	return l
}

// ordered splits a listing into boosted videos and the rest, each in its order.
func (s *run) ordered(l listing) []listing {
	boosted, boostPreferred := s.leading(), ""
	if s.question.blank() && s.near == nil && !s.query.ByReleaseDate {
		boostPreferred = values(fieldSubjects, s.query.BoostPreferred)
	}
	first := ""
	switch {
	case len(boosted) > 0 && s.hasFront():
		leading, rest := splitBoosted(l, boosted)
		return []listing{s.relevant(leading, ""), s.relevant(rest, "")}
	case len(boosted) > 0 && boostPreferred != "":
		return leadingFirst(l, boosted, boostPreferred)
	case len(boosted) > 0:
		first = byCondition(boosted...)
	case boostPreferred != "":
		first = byCondition(boostPreferred)
	}
	return []listing{s.relevant(l, first)}
}

// relevant returns a listing in the order of relevance, after the conditions of first.
func (s *run) relevant(l listing, first string) listing {
	if order := listedOrder(s.query.Listing); order != "" {
		l.sort = order + byDate
		return l
	}
	if len(s.question.words) > 0 && !s.query.ByReleaseDate {
		l.text = s.question.rankedText()
		first += "_text_match:desc,"
	}
	l.sort = first + byDate
	return l
}

// byDate is the order of documents that are otherwise equal.
const byDate = fieldOrder + ":desc"

// byCondition returns a sort that puts the documents that match one of the conditions first. Typesense up to 0.25
// accepts one such condition in a sort.
func byCondition(conditions ...string) string {
	return "_eval(" + strings.Join(conditions, " || ") + "):desc,"
}

// leading returns the conditions of Query.BoostNamed, or none if it is empty.
func (s *run) leading() (conditions []string) {
	if boosted := s.query.BoostNamed.Channels; len(boosted) > 0 {
		conditions = append(conditions, values(fieldChannel, boosted))
	}
	if boosted := s.query.BoostNamed.Subjects; len(boosted) > 0 {
		conditions = append(conditions, values(fieldSubjects, boosted))
	}
	return conditions
}

// leadingFirst splits a listing into boosted videos and the rest, each with the preferred videos first. No client
// requests this combination, because only a text can name boosted channels and subjects.
func leadingFirst(l listing, boosted []string, boostPreferred string) []listing {
	l.sort = byCondition(boostPreferred) + byDate
	leading, rest := splitBoosted(l, boosted)
	return []listing{leading, rest}
}

// splitBoosted splits a listing into boosted videos and the rest.
func splitBoosted(l listing, boosted []string) (leading, rest listing) {
	leading, rest = l.restricted(or(slices.Clone(boosted)...)), l
	for _, condition := range boosted {
		rest = rest.restricted(strings.Replace(condition, ":=", ":!=", 1))
	}
	return leading, rest
}

// inSegments lists segments in order. It must know the length of each segment before it can request the page.
func (s *run) inSegments(ctx context.Context, r *round, segments []listing) ([]hit, int, error) {
	all := s.window(r, listing{filter: s.conditions.all()}, 0, 0, true)
	counted := make([]*window, len(segments))
	for i, l := range segments {
		counted[i] = s.window(r, listing{filter: l.filter}, 0, 0, false)
	}
	if err := s.index.run(ctx, s.at, r); err != nil {
		return nil, 0, err
	}
	var page round
	var parts []*window
	offset, size := s.query.Offset, s.query.Size
	for i, l := range segments {
		if n := min(max(0, counted[i].total-offset), size); n > 0 {
			parts = append(parts, s.window(&page, l, offset, n, false))
			size -= n
		}
		offset = max(0, offset-counted[i].total)
	}
	if err := s.index.run(ctx, s.at, &page); err != nil {
		return nil, 0, err
	}
	var hits []hit
	for _, part := range parts {
		hits = append(hits, part.list()...)
	}
	return hits, all.total, nil
}

// window is a part of a listing.
type window struct {
	offset, size int
	total        int
	hits         map[int]hit
	reorder      func(first []hit)
	merge        func() // sets hits after the round; nil: the round sets them
}

// rankedFields are the fields of hits that are ordered here.
var rankedFields = strings.Join([]string{"id", fieldVersion, fieldTitle, fieldChannel, fieldSubjects, fieldOrder}, ",")

// window requests a part of a listing in whole pages, because Typesense returns nothing else. If counted is set, it also
// requests the facets over the listing.
func (s *run) window(r *round, l listing, offset, size int, counted bool) *window {
	if len(l.front) > 0 && size > 0 {
		return s.frontWindow(r, l, offset, size, counted)
	}
	if counted {
		s.counting.countShared(l.filter)
	}
	w := &window{offset: offset, size: size, hits: map[int]hit{}}
	request := l.request()
	request.IncludeFields = "id," + fieldVersion
	var pages []searchRequest
	end := offset + size
	switch {
	case l.reorder != nil && size > 0:
		offset, end = 0, rerankDepth
		w.reorder = l.reorder
	case l.text != "" && size > 0 && offset < rerankDepth:
		first := request
		first.Page, first.PerPage = 1, rerankDepth
		first.IncludeFields = rankedFields
		pages = append(pages, first)
		w.reorder = s.rerank
		offset = rerankDepth
	}
	for _, p := range covering(offset, end-offset) {
		page := request
		page.Page, page.PerPage = p.number, p.size
		pages = append(pages, page)
	}
	if len(pages) == 0 {
		pages = append(pages, request)
	}
	for _, page := range pages {
		r.ask(page, func(answer *searchAnswer) error {
			w.total = answer.Found
			hits, err := s.readComplete(answer, &page)
			start := (page.Page - 1) * page.PerPage
			for place, hit := range hits {
				if _, known := w.hits[start+place]; !known { // hits of the first page have more fields
					w.hits[start+place] = hit
				}
			}
			return err
		})
	}
	return w
}

// list returns the hits of the window in their order.
func (w *window) list() []hit {
	if w.merge != nil {
		w.merge()
	}
	if w.reorder != nil {
		var first []hit
		for place := 0; place < rerankDepth; place++ {
			if h, ok := w.hits[place]; ok {
				first = append(first, h)
			}
		}
		w.reorder(first)
		for place, h := range first {
			w.hits[place] = h
		}
	}
	var hits []hit
	for place := w.offset; place < w.offset+w.size; place++ {
		if h, ok := w.hits[place]; ok {
			hits = append(hits, h)
		}
	}
	return hits
}

// servedPage is a page with its number in Typesense, which starts at 1.
type servedPage struct{ number, size int }

// covering returns the pages of one size that contain a window, and a single page if possible.
func covering(offset, size int) []servedPage {
	if size <= 0 {
		return nil
	}
	last := offset + size - 1
	for per := size; per <= maxPerPage; per++ {
		if offset/per == last/per {
			return []servedPage{{offset/per + 1, per}}
		}
	}
	var pages []servedPage
	for n := offset / maxPerPage; n <= last/maxPerPage; n++ {
		pages = append(pages, servedPage{n + 1, maxPerPage})
	}
	return pages
}

// boosts reports whether Query.BoostNamed puts a hit first.
func (s *run) boosts(h *hit) bool {
	return h.hasAny(s.query.BoostNamed.Subjects) || slices.ContainsFunc(s.query.BoostNamed.Channels, func(id catalogue.ID) bool {
		return h.Channel == encode(string(id))
	})
}

func (h *hit) hasAny(subjects []catalogue.ID) bool {
	return slices.ContainsFunc(subjects, func(id catalogue.ID) bool {
		return slices.Contains(h.Subjects, encode(string(id)))
	})
}
