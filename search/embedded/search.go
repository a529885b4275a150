package embedded

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Search implements search.Reader. If ctx is canceled, it may return an error of code Unavailable.
func (x *Index) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	v := x.view.Load()
	s := &run{view: v, query: &query}
	if query.Listing != nil {
		s.sets = v.listedParts(query.Listing.State, query.Today)
		s.sorted = newSorted(v, &query)
	} else {
		s.sets = v.visibleParts(query.Access, query.Today)
	}
	q := x.ask(query.Text)
	s.blank = len(q.words) == 0 && len(q.phrases) == 0
	if len(q.words) > 0 {
		var err error
		if s.plan, err = v.plan(ctx, q, query.Level.Typos); err != nil {
			return nil, err
		}
		s.tallies = tallyPool.Get().(*tallies)
		defer tallyPool.Put(s.tallies)
	}
	if query.Facets != nil {
		s.counts = v.newCounts(query.Facets)
	}
	if query.Meaning != nil {
		s.nearest = v.nearest(&query, s.sets)
	}
	if s.ranked() {
		s.best = newBest(v, max(query.Offset+query.Size, rerankDepth), s.nearest, &query)
	}
	if len(query.Pin)+len(query.Bury) > 0 {
		s.searchRules = v.searchRules(&query, s.sets)
	}
	for i := range v.parts {
		if err := s.searchPart(ctx, i, &q); err != nil {
			return nil, err
		}
	}
	result := &search.Result{Refs: s.page(), Total: s.total}
	if s.counts != nil {
		result.Facets = s.counts.facets()
	}
	return result, nil
}

// run is the state of one search.
type run struct {
	view        *view
	query       *search.Query
	sets        []bitset // by part: the documents that the caller may find
	blank       bool     // the text has neither words nor phrases
	plan        *plan    // nil: the text has no words
	tallies     *tallies
	searchRules *searchRules // nil: the query neither pins nor buries
	nearest     *nearest     // nil: the query has no meaning

	docs   []uint16 // the hits of the current part
	total  int
	counts *counts
	// best collects hits in order of score, sorted in the order of a listing, and listed in document order. A search uses
	// only one of them.
	best   *best
	sorted *sorted
	listed []listed
}

// ranked reports whether the text determines the order.
func (s *run) ranked() bool {
	return s.sorted == nil && (s.plan != nil || s.nearest != nil) && !s.query.ByReleaseDate
}

// searchPart adds the hits of one part to the results and facet counts.
func (s *run) searchPart(ctx context.Context, i int, q *question) error {
	if err := interrupted(ctx); err != nil {
		return err
	}
	p := &s.view.parts[i]
	matched := s.sets[i].clone()
	if s.blank && s.nearest != nil {
		clear(matched)
	}
	var sums []uint32
	if s.plan != nil {
		sums = s.tallies.add(p.size, s.plan.parts[i].lists, s.plan.long())
		matching(matched, sums, q.need(s.query.Level))
	}
	if err := s.view.matchPhrases(ctx, i, matched, q.phrases); err != nil {
		return err
	}
	if s.nearest != nil {
		s.nearest.addTo(i, matched)
	}
	if s.searchRules != nil {
		s.searchRules.match(i, matched)
	}
	r := s.view.filter(p, matched, &s.query.Filter)
	s.docs = r.hits.appendTo(s.docs[:0])
	s.total += len(s.docs)
	if s.counts != nil {
		s.counts.add(p, &r, s.docs)
	}
	if len(s.docs) == 0 {
		return nil
	}
	if s.sorted != nil {
		s.sorted.add(i, s.docs)
		return nil
	}
	boosted := p.boostNamed(s.query.BoostNamed)
	var preferred bitset
	if len(s.query.BoostPreferred) > 0 && !s.query.ByReleaseDate && (s.blank || s.plan != nil) {
		preferred = newBitset(p.size)
		addAny(&p.attributes[subjects], preferred, s.query.BoostPreferred)
	}
	rest, above := r.hits, bitset(nil)
	if s.searchRules != nil {
		rest, above = s.searchRules.take(i, r.hits)
		s.docs = rest.appendTo(s.docs[:0])
	}
	if s.best != nil {
		scores := scorer{sums: sums, words: len(q.words), above: above, boosted: boosted, preferred: preferred}
		if s.nearest != nil {
			var near []nearDocument
			rest, near = s.nearest.take(i, rest)
			s.docs = rest.appendTo(s.docs[:0])
			s.best.addNear(i, near, scores)
		}
		s.best.add(i, s.docs, scores)
		return nil
	}
	s.listed = append(s.listed, listed{part: i, tiers: tiersOf(rest, above, boosted, preferred)})
	return nil
}

// boostNamed returns the documents that Query.BoostNamed puts first, or nil if it names no channel or subject.
func (p *part) boostNamed(boosted search.BoostedNames) bitset {
	if len(boosted.Channels)+len(boosted.Subjects) == 0 {
		return nil
	}
	set := newBitset(p.size)
	addAny(&p.attributes[channels], set, boosted.Channels)
	addAny(&p.attributes[subjects], set, boosted.Subjects)
	return set
}

// page returns the references of the requested page, pinned hits first.
func (s *run) page() []catalogue.Ref {
	if s.searchRules == nil {
		return s.view.refs(s.window(s.query.Offset, s.query.Size))
	}
	pinned := s.searchRules.first()
	first := pinned[min(s.query.Offset, len(pinned)):min(s.query.Offset+s.query.Size, len(pinned))]
	rest := s.window(max(0, s.query.Offset-len(pinned)), s.query.Size-len(first))
	return s.view.refs(append(slices.Clip(first), rest...))
}

// window returns up to size hits from offset, without the pinned hits that the search rules removed.
func (s *run) window(offset, size int) []place {
	if s.sorted != nil {
		return s.sorted.window(offset, size)
	}
	if s.best == nil {
		return s.view.list(s.listed, offset, size)
	}
	hits := s.best.ordered(s.plan)
	from := min(offset, len(hits))
	return hits[from:min(from+size, len(hits))]
}

// place identifies a document of a view: the number of its part and its number within the part.
type place struct {
	part, doc int
}

// refs returns references to documents. The IDs of a page share one string, so that a result does not keep a segment in
// memory.
func (v *view) refs(places []place) []catalogue.Ref {
	if len(places) == 0 {
		return nil
	}
	var ids []byte
	for _, p := range places {
		ids = append(ids, v.parts[p.part].ids.At(p.doc)...)
	}
	all := string(ids)
	refs := make([]catalogue.Ref, len(places))
	for i, p := range places {
		s := v.parts[p.part].segment
		length := len(s.ids.At(p.doc))
		refs[i] = catalogue.Ref{ID: catalogue.ID(all[:length]), Version: s.versions[p.doc]}
		all = all[length:]
	}
	return refs
}

// compareDates orders documents with equal scores: newest ReleasedOn first, then highest Sequence.
func (v *view) compareDates(a, b place) int {
	if a.part == b.part {
		return cmp.Compare(a.doc, b.doc) // documents of a part are numbered in this order
	}
	s, t := v.parts[a.part].segment, v.parts[b.part].segment
	if s.released[a.doc] != t.released[b.doc] {
		return cmp.Compare(t.released[b.doc], s.released[a.doc])
	}
	if s.sequences[a.doc] != t.sequences[b.doc] {
		return cmp.Compare(t.sequences[b.doc], s.sequences[a.doc])
	}
	return cmp.Compare(a.part, b.part)
}

// listed contains the hits of a part by tier. All hits of one tier come before all hits of the next.
type listed struct {
	part  int
	tiers []bitset
}

// tiersOf divides hits into tiers by their membership in the sets. The first set counts most. A nil set does not
// divide.
func tiersOf(hits bitset, sets ...bitset) []bitset {
	tiers := []bitset{hits}
	for _, first := range sets {
		if first == nil {
			continue
		}
		var split []bitset
		for _, tier := range tiers {
			in, out := tier.clone(), tier.clone()
			in.and(first)
			out.andNot(first)
			split = append(split, in, out)
		}
		tiers = split
	}
	return tiers
}

// list merges the tiers of all parts in date order and returns up to size documents from offset.
func (v *view) list(parts []listed, offset, size int) []place {
	var places []place
	if len(parts) == 0 {
		return nil
	}
	for tier := range parts[0].tiers {
		heads := make([]place, 0, len(parts))
		sets := make([]bitset, 0, len(parts))
		inTier := 0
		for _, l := range parts {
			if doc := l.tiers[tier].next(0); doc >= 0 {
				heads = append(heads, place{part: l.part, doc: doc})
				sets = append(sets, l.tiers[tier])
				inTier += l.tiers[tier].count()
			}
		}
		if offset >= inTier {
			offset -= inTier
			continue
		}
		for len(heads) > 0 && len(places) < size {
			first := 0
			for i := 1; i < len(heads); i++ {
				if v.compareDates(heads[i], heads[first]) < 0 {
					first = i
				}
			}
			if offset > 0 {
				offset--
			} else {
				places = append(places, heads[first])
			}
			if heads[first].doc = sets[first].next(heads[first].doc + 1); heads[first].doc < 0 {
				heads = slices.Delete(heads, first, first+1)
				sets = slices.Delete(sets, first, first+1)
			}
		}
	}
	return places
}

// Matches implements search.Reader. It counts words once for all levels with the same Typos setting.
func (x *Index) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	v := x.view.Load()
	q := x.ask(text)
	sets := v.visibleParts(access, today)
	histograms := map[bool][]int{} // by MatchLevel.Typos
	matches := make([]int, len(levels))
	reached := false
	for i, level := range levels {
		if reached {
			matches[i] = -1
			continue
		}
		if histograms[level.Typos] == nil {
			counted, err := v.countWords(ctx, q, sets, level.Typos)
			if err != nil {
				return nil, err
			}
			histograms[level.Typos] = counted
		}
		for _, documents := range histograms[level.Typos][q.need(level):] {
			matches[i] += documents
		}
		reached = matches[i] >= enough
	}
	return matches, nil
}

// Finds implements search.Reader.
func (x *Index) Finds(
	ctx context.Context, texts []search.Text, access catalogue.Access, today catalogue.Date,
) ([]bool, error) {
	v := x.view.Load()
	sets := v.visibleParts(access, today)
	finds := make([]bool, len(texts))
	for i, text := range texts {
		q := x.ask(text)
		documents, err := v.countWords(ctx, q, sets, false)
		if err != nil {
			return nil, err
		}
		finds[i] = documents[len(q.words)] > 0
	}
	return finds, nil
}

// countWords returns, for each number of words, how many documents of the sets contain that many words and all phrases.
func (v *view) countWords(ctx context.Context, q question, sets []bitset, typos bool) ([]int, error) {
	counts := make([]int, len(q.words)+1)
	plan, err := v.plan(ctx, q, typos)
	if err != nil {
		return nil, err
	}
	t := tallyPool.Get().(*tallies)
	defer tallyPool.Put(t)
	for i := range v.parts {
		if err := interrupted(ctx); err != nil {
			return nil, err
		}
		sums := t.add(v.parts[i].size, plan.parts[i].lists, plan.long())
		set := sets[i]
		if len(q.phrases) > 0 {
			set = set.clone()
			if err := v.matchPhrases(ctx, i, set, q.phrases); err != nil {
				return nil, err
			}
		}
		histogram(set, sums, counts)
	}
	return counts, nil
}
