package typesense

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/relevance"
)

// Typesense orders documents by the number of words that they have, and does not weigh words by their rarity. The front of
// a listing is therefore chosen and ordered here: the documents nearest to the meaning of the query and, for a long text,
// candidates that have its rarest words. The front comes first on every page, so that pages are consistent; the others
// follow in the order of Typesense.

const (
	// candidateWords is the number of words of a long text, the rarest ones, that choose candidates.
	candidateWords = 16
	// candidatesPerWord and maxCandidates are the numbers of candidates of each word, and of a listing.
	candidatesPerWord = 150
	maxCandidates     = 200
)

// hasFront reports whether a listing by relevance has a front.
func (s *run) hasFront() bool {
	return !s.query.ByReleaseDate && listedOrder(s.query.Listing) == "" && (s.near != nil && len(s.near.ids) > 0 || s.question.long())
}

// long reports whether the text is a long one (search.LongText).
func (q *question) long() bool { return len(q.words) >= search.LongText }

// matchesAny reports whether every document with a stem of any of the words matches the text at a level.
func (q *question) matchesAny(level search.MatchLevel) bool {
	return q.phrases == "" && level.OptionalWords >= len(q.words)-1
}

// setFront chooses the front of a listing. For a long text it takes one request.
func (s *run) setFront(ctx context.Context, l *listing) error {
	if s.near != nil {
		l.front = slices.Clone(s.near.ids)
	}
	if !s.question.long() {
		return nil
	}
	candidates, err := s.candidates(ctx, l)
	if err != nil {
		return err
	}
	l.candidates = len(candidates)
	for _, id := range candidates {
		if s.near == nil || s.near.similarities[id] == 0 {
			l.front = append(l.front, id)
		}
	}
	return nil
}

// candidates returns the documents of a listing whose words are the rarest in sum, best first. For each word it considers
// the documents that have it in the weightiest fields.
func (s *run) candidates(ctx context.Context, l *listing) ([]catalogue.ID, error) {
	words := s.question.known(s.query.Level.Typos)
	sums := map[catalogue.ID]float64{}
	var r round
	for _, w := range words[:min(len(words), candidateWords)] {
		if w.ranked == "" {
			continue
		}
		rarity, filter := s.rarity(w), l.filter
		if s.question.matchesAny(s.query.Level) && slices.Contains(w.stems, w.ranked) {
			filter = l.matched // which Typesense evaluates faster
		}
		request := (&listing{text: w.ranked, filter: filter, sort: "_text_match:desc," + byDate}).request()
		request.DropTokensThreshold = new(int)
		request.Page, request.PerPage, request.IncludeFields = 1, candidatesPerWord, "id"
		r.ask(request, func(answer *searchAnswer) error {
			hits, err := readHits(answer)
			for place := range hits {
				// Of documents with the same words, those that have them in weightier fields come first.
				sums[hits[place].video] += rarity * (1 + 0.1*float64(len(hits)-place)/float64(len(hits)))
			}
			return err
		})
	}
	if err := s.index.run(ctx, s.at, &r); err != nil {
		return nil, err
	}
	ids := slices.SortedFunc(maps.Keys(sums), func(a, b catalogue.ID) int { return cmp.Or(cmp.Compare(sums[b], sums[a]), cmp.Compare(a, b)) })
	return ids[:min(len(ids), maxCandidates)], nil
}

// rarity returns the weight of a word of a long text, whose subject is the word that it repeats.
func (s *run) rarity(w *word) float64 {
	return relevance.Rarity(w.documents, int(s.at.state.Count)) * float64(max(1, w.Count))
}

// frontWindow requests a part of a listing that has a front.
func (s *run) frontWindow(r *round, l listing, offset, size int, counted bool) *window {
	w := &window{offset: offset, size: size, hits: map[int]hit{}}
	s.total(r, w, l, counted)
	others := l
	others.filter = and(l.filter, noneOf(l.front))
	var front, first []hit
	for some := range slices.Chunk(l.front, maxPerPage) {
		l := listing{text: l.text, filter: and(l.matched, ids(some)), sort: l.sort}
		s.ranked(r, &l, maxPerPage, func(hits []hit) { front = append(front, hits...) })
	}
	if !s.question.long() {
		s.ranked(r, &others, rerankDepth, func(hits []hit) { first = hits })
	}
	rest := map[int]hit{} // by place among the others
	known, from := max(l.candidates, rerankDepth), max(0, offset-len(l.front)-rerankDepth)
	if s.question.long() {
		known = l.candidates
	}
	if offset+size <= known {
		from = offset + size // the page ends before the others
	}
	for _, p := range covering(from, offset+size-from) {
		request := others.request()
		request.Page, request.PerPage, request.IncludeFields = p.number, p.size, "id,"+fieldVersion
		r.ask(request, func(answer *searchAnswer) error {
			hits, err := s.readComplete(answer, &request)
			for place, h := range hits {
				rest[(p.number-1)*p.size+place] = h
			}
			return err
		})
	}
	w.merge = func() {
		skipped := len(first)
		first = append(first, front...)
		s.order(first)
		for place, h := range first {
			w.hits[place] = h
		}
		for place, h := range rest {
			if place >= skipped {
				w.hits[place-skipped+len(first)] = h
			}
		}
	}
	return w
}

// total requests the total of a listing and, if counted is set, the facets over its results.
func (s *run) total(r *round, w *window, l listing, counted bool) {
	r.count(l.filter, func(found int) { w.total = found })
	if counted {
		s.counting.countShared(l.filter)
	}
}

// ranked requests the first hits of a listing with the fields that order reads.
func (s *run) ranked(r *round, l *listing, size int, take func(hits []hit)) {
	request := l.request()
	request.Page, request.PerPage, request.IncludeFields = 1, size, rankedFields
	if s.question.long() {
		request.IncludeFields += "," + textFields
	}
	r.ask(request, func(answer *searchAnswer) error {
		hits, err := s.readComplete(answer, &request)
		take(hits)
		return err
	})
}

// readComplete reads a page of hits. The search is incomplete if some of them have disappeared.
func (s *run) readComplete(answer *searchAnswer, request *searchRequest) ([]hit, error) {
	hits, err := readHits(answer)
	s.incomplete = s.incomplete || len(hits) < min(request.PerPage, answer.Found-(request.Page-1)*request.PerPage)
	return hits, err
}

// order orders hits by their words and, if the query has a meaning, by similarity.
func (s *run) order(hits []hit) {
	if s.question.long() {
		s.scoreLong(hits)
	} else {
		s.scoreWords(hits)
	}
	bonus := boostPreferredWeight
	if s.question.long() {
		bonus /= 2 // scores of long texts end at about 1, others at about 4
	}
	if s.near != nil {
		s.fuse(hits)
		bonus = fusedPreferredWeight
	}
	s.boostPreferred(hits, bonus)
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Or(compareHits(a, b), cmp.Compare(b.Order, a.Order)) })
}

// fusedPreferredWeight is boostPreferredWeight where scores end at 1.
const fusedPreferredWeight = 1.0 / 32

// fuse combines the scores of words with similarity.
func (s *run) fuse(hits []hit) {
	best := 0.0
	for i := range hits {
		best = max(best, hits[i].score)
	}
	for i := range hits {
		similarity, isNear := s.near.similarities[hits[i].video]
		if !isNear {
			similarity = -1
		}
		hits[i].score = search.Fuse(hits[i].score, best, similarity, s.query.Meaning.Least, s.near.greatest)
	}
}

// scoredFields are the texts of a hit that scoreLong reads. It does not read transcripts, which may be long: a word that a
// candidate has in no other text does not count.
var scoredFields = []struct {
	field relevance.Field
	text  func(*hit) string
}{
	{relevance.Title, func(h *hit) string { return h.TitleText }},
	{relevance.Keywords, func(h *hit) string { return h.KeywordText }},
	{relevance.Subjects, func(h *hit) string { return h.SubjectText }},
	{relevance.Channel, func(h *hit) string { return h.ChannelText }},
	{relevance.Description, func(h *hit) string { return h.DescriptionText }},
}

var textFields = strings.Join([]string{fieldTitleText, fieldKeywordText, fieldSubjectText, fieldChannelText, fieldDescriptionText}, ",")

// scoreLong sets the scores of hits for a long text, from 0 to 1 and a bonus: the sum of the impacts of their words,
// weighted by rarity, as the embedded index computes it.
func (s *run) scoreLong(hits []hit) {
	rarities, all := map[string]float64{}, 0.0 // by token
	for i := range s.question.words {
		w := &s.question.words[i]
		rarity := s.rarity(w)
		all += rarity
		for _, token := range append(slices.Clone(w.stems), w.ranked) {
			rarities[token] = max(rarities[token], rarity)
		}
	}
	t := newTitles(s)
	for i := range hits {
		h := &hits[i]
		weights := map[string]float32{}
		for _, f := range scoredFields {
			tokens := strings.Fields(f.text(h))
			for _, token := range tokens {
				if rarities[token] > 0 {
					weights[token] += f.field.Weight(len(tokens))
				}
			}
		}
		h.score = 0
		for token, weight := range weights {
			h.score += rarities[token] * float64(weight/(weight+relevance.LongSaturation))
		}
		h.score = h.score/math.Max(all, 1e-9) + relevance.LongRunShare*t.runScore(h.Title)/3
		h.boosts = s.boosts(h)
	}
}
