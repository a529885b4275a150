package embedded

import (
	"cmp"
	"context"
	"slices"
	"sync/atomic"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Search implements search.Reader. If ctx is canceled, it may return an error of code Unavailable.
func (x *Index) Search(ctx context.Context, query search.Query) (*search.Result, error) {
	v := x.view.Load()
	s := &run{view: v, query: &query, question: x.ask(query.Text)}
	if query.Listing != nil {
		s.sets = v.listedParts(query.Listing.State, query.Today)
	} else {
		s.sets = v.visibleParts(query.Access, query.Today)
	}
	if len(s.words) > 0 {
		var err error
		if s.plan, err = v.plan(ctx, s.question, query.Level.Typos); err != nil {
			return nil, err
		}
	}
	if query.Meaning != nil {
		s.nearest = v.nearest(&query, s.sets)
	}
	if len(query.Pin)+len(query.Bury) > 0 {
		s.searchRules = v.searchRules(&query, s.sets)
	}
	all := newHits(s)
	var shares []*hits
	err := v.walk(ctx, func(buffers *scratch) func(int) error {
		h := all.fork(buffers)
		shares = append(shares, h)
		return func(part int) error { return h.searchPart(ctx, part) }
	})
	if err != nil {
		return nil, err
	}
	for _, h := range shares {
		all.join(h)
	}
	result := &search.Result{Refs: all.page(), Total: all.total}
	if all.counts != nil {
		result.Facets = all.counts.facets()
	}
	return result, nil
}

// run is what all goroutines of a search share.
type run struct {
	view  *view
	query *search.Query
	question
	sets        []bitset     // by part: the documents that the caller may find
	plan        *plan        // nil: the text has no words
	searchRules *searchRules // nil: the query neither pins nor buries
	nearest     *nearest     // nil: the query has no meaning
}

// blank reports whether the text has neither words nor phrases.
func (s *run) blank() bool { return len(s.words) == 0 && len(s.phrases) == 0 }

// ranked reports whether the text determines the order.
func (s *run) ranked() bool {
	return (s.plan != nil || s.nearest != nil) && !s.query.ByReleaseDate
}

// hits contains the hits that one goroutine has found.
type hits struct {
	*run
	*scratch

	total  int
	counts *counts
	pinned []pin
	// best collects hits in order of score, sorted in the order of a listing, and listed in document order. A search uses
	// only one of them.
	best   *best
	sorted *sorted
	listed []listed
}

func newHits(s *run) *hits {
	h := &hits{run: s}
	if s.query.Facets != nil {
		h.counts = s.view.newCounts(s.query.Facets)
	}
	if s.query.Listing != nil {
		h.sorted = newSorted(s.view, s.query)
	}
	if h.sorted == nil && s.ranked() {
		h.best = newBest(s.view, max(s.query.Offset+s.query.Size, rerankDepth), s.nearest, s.query)
	}
	return h
}

// fork returns no hits, for a goroutine with its buffers.
func (h *hits) fork(buffers *scratch) *hits {
	other := newHits(h.run)
	other.scratch = buffers
	if h.best != nil {
		other.best = h.best.fork()
	}
	return other
}

// join adds the hits of a goroutine.
func (h *hits) join(other *hits) {
	h.total += other.total
	h.pinned, h.listed = append(h.pinned, other.pinned...), append(h.listed, other.listed...)
	if h.counts != nil {
		h.counts.join(other.counts)
	}
	if h.sorted != nil {
		h.sorted.kept = append(h.sorted.kept, other.sorted.kept...)
	}
	if h.best != nil {
		h.best.join(other.best)
	}
}

// searchPart adds the hits of one part to the results and facet counts: the documents that the caller may find, of these the ones
// that match the text, and of these the ones that pass the filter.
func (h *hits) searchPart(ctx context.Context, i int) error {
	p := &h.view.parts[i]
	matched := h.emptySet(matchedBuffer, len(h.sets[i]))
	matched.or(h.sets[i])
	if h.blank() && h.nearest != nil {
		clear(matched)
	}
	if h.plan != nil {
		matched.and(h.plan.matching(p, i, h.need(h.query.Level), h.scratch))
	}
	if err := h.view.matchPhrases(ctx, i, matched, h.phrases); err != nil {
		return err
	}
	if h.nearest != nil {
		h.nearest.addTo(i, matched)
	}
	if h.searchRules != nil {
		h.searchRules.match(i, matched)
	}
	if matched.next(0) < 0 {
		return nil
	}
	r := h.view.filter(p, matched, &h.query.Filter, h.scratch)
	h.docs = r.hits.appendTo(h.docs[:0])
	h.total += len(h.docs)
	if h.counts != nil {
		h.counts.add(p, &r, h.docs, h.wholeOf(p), h.scratch)
	}
	if len(h.docs) == 0 {
		return nil
	}
	if h.sorted != nil {
		h.sorted.add(i, h.docs)
		return nil
	}
	boosted := p.boostNamed(h.query.BoostNamed)
	var preferred bitset
	if len(h.query.BoostPreferred) > 0 && !h.query.ByReleaseDate && (h.blank() || h.plan != nil) {
		preferred = newBitset(p.size)
		addAny(&p.attributes[subjects], preferred, h.query.BoostPreferred)
	}
	rest, above := r.hits, bitset(nil)
	if h.searchRules != nil {
		var pinned []pin
		rest, above, pinned = h.searchRules.take(i, r.hits)
		h.pinned = append(h.pinned, pinned...)
	}
	if h.best == nil {
		h.listed = append(h.listed, listed{part: i, tiers: tiersOf(rest.clone(), above, boosted, preferred)})
		return nil
	}
	sc := scorer{long: h.long(), words: len(h.words), above: above, boosted: boosted, preferred: preferred}
	if h.plan != nil {
		sc.plan = &h.plan.parts[i]
	}
	if h.nearest != nil {
		var near []nearDocument
		rest, near = h.nearest.take(i, rest)
		h.best.addNear(i, near, sc, h.scratch)
	}
	if h.searchRules != nil || h.nearest != nil {
		h.docs = rest.appendTo(h.docs[:0])
	}
	h.best.rank(i, rest, h.docs, sc, h.scratch)
	return nil
}

// wholeOf returns the documents of a part that the caller may find; nil for a listing.
func (s *run) wholeOf(p *part) *whole {
	if s.query.Listing != nil {
		return nil
	}
	return p.wholeFor(visibility{s.query.Access.Fingerprint(), s.query.Today}, s.query.Access)
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
func (h *hits) page() []catalogue.Ref {
	pinned := places(h.pinned)
	offset, size := h.query.Offset, h.query.Size
	first := pinned[min(offset, len(pinned)):min(offset+size, len(pinned))]
	return h.view.refs(append(first, h.window(max(0, offset-len(pinned)), size-len(first))...))
}

// window returns up to size hits from offset, without the pinned hits that the search rules removed.
func (h *hits) window(offset, size int) []place {
	if h.sorted != nil {
		return h.sorted.window(offset, size)
	}
	if h.best == nil {
		return h.view.list(h.listed, offset, size)
	}
	hits := h.best.ordered(h.plan)
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

// Matches implements search.Reader.
func (x *Index) Matches(
	ctx context.Context, text search.Text, levels []search.MatchLevel, access catalogue.Access, today catalogue.Date, enough int,
) ([]int, error) {
	v := x.view.Load()
	q := x.ask(text)
	sets := v.visibleParts(access, today)
	matches := make([]int, len(levels))
	reached := false
	for i, level := range levels {
		if reached {
			matches[i] = -1
			continue
		}
		var err error
		if matches[i], err = v.countMatches(ctx, q, level, sets, enough); err != nil {
			return nil, err
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
		found, err := v.countMatches(ctx, x.ask(text), search.MatchLevel{}, sets, 1)
		if err != nil {
			return nil, err
		}
		finds[i] = found > 0
	}
	return finds, nil
}

// countMatches returns how many documents of the sets match a level, but at most enough: it stops there.
func (v *view) countMatches(ctx context.Context, q question, level search.MatchLevel, sets []bitset, enough int) (int, error) {
	plan, err := v.plan(ctx, q, level.Typos)
	if err != nil {
		return 0, err
	}
	var found atomic.Int64
	err = v.walk(ctx, func(s *scratch) func(int) error {
		return func(i int) error {
			if int(found.Load()) >= enough {
				return nil
			}
			matching := plan.matching(&v.parts[i], i, q.need(level), s)
			set := s.emptySet(matchedBuffer, len(matching))
			set.or(matching)
			set.and(sets[i])
			if err := v.matchPhrases(ctx, i, set, q.phrases); err != nil {
				return err
			}
			found.Add(int64(set.count()))
			return nil
		}
	})
	return min(int(found.Load()), enough), err
}
