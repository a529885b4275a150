package embedded

import (
	"math/bits"
	"slices"
)

const (
	// mergeAt is the number of parts in one size class from which on they are merged.
	mergeAt = 8
	// maxParts is the greatest number of parts at which Apply does not wait for a running merge.
	maxParts = 48
	// maxMergedBytes limits the estimated size of the postings of a merged segment.
	maxMergedBytes = 512 << 20
)

// mergeInBackground starts a merge if one is due and none is running. The caller holds writing.
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
			merged, docs := x.mergeUnlocked(sources)
			x.replaceMerged(sources, merged, docs)
		}
		x.merging = false
		x.merged.Broadcast()
	}()
}

// mergeUnlocked calls mergeParts without the lock that the caller holds, and takes it again even after a panic, which would
// otherwise end in an error about the lock.
func (x *Index) mergeUnlocked(sources []part) (*segment, [][]uint32) {
	x.writing.Unlock()
	defer x.writing.Lock()
	return mergeParts(sources)
}

// replaceMerged replaces the sources of a merge with the merged segment, without the documents that writes have removed
// since the merge began. If a rebuild has replaced the sources, it discards the merged segment.
func (x *Index) replaceMerged(sources []part, merged *segment, docs [][]uint32) {
	before := x.view.Load()
	e := &partList{parts: []part{fullPart(merged)}}
	found := 0
	for _, p := range before.parts {
		i := slices.IndexFunc(sources, func(s part) bool { return s.segment == p.segment })
		if i < 0 {
			e.parts = append(e.parts, p)
			continue
		}
		found++
		died := sources[i].live.clone()
		died.andNot(p.live)
		for doc := range died.all {
			e.parts[0].kill(int(docs[i][doc]))
		}
	}
	if found < len(sources) {
		return
	}
	x.adopt(merged)
	x.publish(before.position, e.alive())
}

// chooseMerge returns the parts to merge next, or nil if no merge is due. It returns a single part, if more than half
// of that part's documents are dead and the index has more than half as many dead documents as live ones. Otherwise it
// returns the smallest parts of one size class that has at least mergeAt parts.
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
	// Changes that replace most of a part soon replace the rest, and then the part disappears without a merge.
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

// sizeTier returns the size class of a part. Each class is eight times larger than the previous one; class 0 ends at
// 255 documents.
func sizeTier(documents int) int { return max(0, bits.Len(uint(documents))-6) / 3 }

// mergeParts creates one segment from the live documents of the parts. It also returns the new number of each part's
// documents, or gone for dead ones.
func mergeParts(parts []part) (*segment, [][]uint32) {
	var rows []row
	docs := make([][]uint32, len(parts))
	for i, p := range parts {
		docs[i] = slices.Repeat([]uint32{gone}, p.size)
		for doc, r := range p.rows() {
			if p.live.has(doc) {
				r.source = i
				rows = append(rows, r)
			}
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

// mergeTitles concatenates the titles of a segment's documents. title returns the source of a title and its words as
// terms of that source, and words maps the terms of each source to terms of the merged segment.
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
