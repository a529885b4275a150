package embedded

import (
	"math/bits"
	"slices"
)

const (
	// mergeAt is how many parts of about one size are merged into one.
	mergeAt = 8
	// maxParts is how many parts there may be before Apply waits for a merge.
	maxParts = 48
	// maxMergedBytes bounds the texts of a merged segment.
	maxMergedBytes = 512 << 20
)

// mergeInBackground starts merging if there is something to merge. The caller holds writing.
func (x *Index) mergeInBackground() {
	if x.merging || x.closed || chooseMerge(x.view.Load().parts) == nil {
		return
	}
	x.merging = true
	go func() {
		x.writing.Lock()
		defer x.writing.Unlock()
		for !x.closed {
			sources := chooseMerge(x.view.Load().parts)
			if sources == nil {
				break
			}
			x.writing.Unlock()
			merged, docs := mergeParts(sources)
			x.writing.Lock()
			x.replaceMerged(sources, merged, docs)
		}
		x.merging = false
		x.merged.Broadcast()
	}()
}

// replaceMerged puts a merged segment in the place of its sources, less what has died meanwhile. If
// a rebuild has replaced them, the merge was for nothing.
func (x *Index) replaceMerged(sources []part, merged *segment, docs [][]uint32) {
	before := x.view.Load()
	e := newEdition(nil)
	e.parts = append(e.parts, fullPart(merged))
	e.copied = append(e.copied, true)
	found := 0
	for _, p := range before.parts {
		i := slices.IndexFunc(sources, func(s part) bool { return s.segment == p.segment })
		if i < 0 {
			e.parts = append(e.parts, p)
			e.copied = append(e.copied, false)
			continue
		}
		found++
		died := sources[i].live.clone()
		died.andNot(p.live)
		for doc := range died.all {
			e.kill(0, int(docs[i][doc]))
		}
	}
	if found < len(sources) {
		return
	}
	x.adopt(merged)
	x.publish(before.position, e.alive())
}

// chooseMerge returns the parts to merge next, nil if none: one that is half dead, where that is much of the whole,
// else the smallest of those of about one size.
func chooseMerge(parts []part) []part {
	tiers := map[int][]part{}
	var waning *part
	live, dead := 0, 0
	for i := range parts {
		p := &parts[i]
		live, dead = live+p.count, dead+p.size-p.count
		if p.count*2 < p.size && (waning == nil || p.count < waning.count) {
			waning = p
		}
		tiers[sizeTier(p.count)] = append(tiers[sizeTier(p.count)], *p)
	}
	// Whatever replaces most of a part soon replaces the rest, and then the part goes by itself.
	if waning != nil && dead*2 > live {
		return []part{*waning}
	}
	for tier := range sizeTier(maxSegment) + 1 {
		if len(tiers[tier]) < mergeAt {
			continue
		}
		slices.SortStableFunc(tiers[tier], func(a, b part) int { return a.count - b.count })
		documents, textBytes := 0, 0
		for i, p := range tiers[tier] {
			documents += p.count
			textBytes += len(p.exact.positions) + 3*len(p.exact.docs) + 3*len(p.stems.docs)
			if documents > maxSegment || textBytes > maxMergedBytes {
				tiers[tier] = tiers[tier][:i]
				break
			}
		}
		if len(tiers[tier]) > 1 {
			return tiers[tier]
		}
	}
	return nil
}

// sizeTier puts sizes into classes, each eight times the one before, the first up to 255 documents.
func sizeTier(documents int) int { return max(0, bits.Len(uint(documents))-6) / 3 }

// mergeParts makes one segment of the live documents of the parts. It also returns what has become
// of each part's documents.
func mergeParts(parts []part) (*segment, [][]uint32) {
	var rows []row
	docs := make([][]uint32, len(parts))
	for i, p := range parts {
		docs[i] = slices.Repeat([]uint32{gone}, p.size)
		for doc := range p.live.all {
			r := p.row(doc)
			r.source, r.doc = i, doc
			rows = append(rows, r)
		}
	}
	slices.SortFunc(rows, compareRows)
	for doc, r := range rows {
		docs[r.source][r.doc] = uint32(doc)
	}
	s := newSegment(rows)
	exact, stems, phrases := make([]*postings, len(parts)), make([]*postings, len(parts)), make([]*postings, len(parts))
	for i, p := range parts {
		exact[i], stems[i], phrases[i] = &p.exact, &p.stems, p.suggestions.postings(docs[i])
	}
	var words [][]uint32
	s.exact, words = mergePostings(exact, docs)
	s.stems, _ = mergePostings(stems, docs)
	suggested, _ := mergePostings(phrases, docs)
	s.suggestions = newSuggestions(suggested)
	s.titleFirst, s.titleWords = mergeTitles(len(rows), func(doc int) (int, []uint32) {
		r := &rows[doc]
		return r.source, parts[r.source].titleOf(r.doc)
	}, words)
	s.derive()
	return s, docs
}

// mergeTitles writes titles down, each in the words of its source, which words renames.
func mergeTitles(size int, title func(doc int) (source int, written []uint32), words [][]uint32) (first, merged []uint32) {
	first = make([]uint32, 0, size+1)
	for doc := range size {
		first = append(first, uint32(len(merged)))
		source, written := title(doc)
		for _, word := range written {
			merged = append(merged, words[source][word])
		}
	}
	return append(first, uint32(len(merged))), merged
}
