package usagelogic

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// Lists implements store.Usage.Lists. It keeps the lines of only one part of a list in memory at a time.
func Lists(ctx context.Context, source Source, weigh func(video string) usage.Weight) (lists []usage.List, progress usage.Progress, err error) {
	if progress, err = source.Progress(ctx); err != nil {
		return nil, usage.Progress{}, err
	}
	accounts, err := everyAccount(ctx, source)
	if err != nil {
		return nil, usage.Progress{}, err
	}
	s := &scales{source: source, weigh: weigh, most: maxWeights, known: map[Number]usage.Weight{}}
	for _, account := range accounts {
		of, err := s.listsOf(ctx, account)
		if err != nil {
			return nil, usage.Progress{}, err
		}
		lists = append(lists, of...)
	}
	slices.SortFunc(lists, func(a, b usage.List) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Month.Number(), b.Month.Number()), cmp.Compare(truth(a.Sandbox), truth(b.Sandbox)))
	})
	return lists, progress, nil
}

const (
	// maxWeights is the number of videos whose weights are cached, at some dozen bytes each.
	maxWeights = 1 << 18
	// maxTexts is the largest number of texts that one call requests.
	maxTexts = 10_000
)

// scales computes the weights of lists.
type scales struct {
	source Source
	weigh  func(video string) usage.Weight
	most   int // largest size of known, at least maxTexts
	known  map[Number]usage.Weight
}

// listsOf returns the lists of an account, in any order.
func (s *scales) listsOf(ctx context.Context, account Number) ([]usage.List, error) {
	var parts []Part
	span := CellSpan{Account: account, Dimension: Listed, Grain: Month, To: math.MaxInt32, Sandbox: true}
	err := s.source.Cells(ctx, span, func(p Part) {
		p.Body = nil
		parts = append(parts, p)
	})
	if err != nil || len(parts) == 0 {
		return nil, err
	}
	name := ""
	if err := s.source.Texts(ctx, usage.ByAccount, []Number{account}, func(_ Number, text string) { name = text }); err != nil {
		return nil, err
	}
	lists := map[usage.List]usage.List{}
	for _, p := range parts {
		key := usage.List{Account: name, Month: usage.MonthNumber(int(p.Key.Bucket)), Sandbox: p.Key.Sandbox}
		weight, err := s.weightOf(ctx, p.Key)
		if err != nil {
			return nil, err
		}
		l, known := lists[key]
		if !known {
			l = key
		}
		l.Plays += p.Plays
		l.Milliseconds += p.Milliseconds
		l.Excess += p.Excess
		l.Weight += weight
		lists[key] = l
	}
	return slices.Collect(maps.Values(lists)), nil
}

// weightOf returns the weight of the lines of a part.
func (s *scales) weightOf(ctx context.Context, part PartKey) (weight uint64, err error) {
	var lines list
	err = s.source.Bodies(ctx, []PartKey{part}, func(_ int, body []byte) error {
		if rest, err := readSets(body, nil, nil); err == nil {
			_ = readList(rest, lines.add) // a damaged body has no lines
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for chunk := range slices.Chunk(lines.unite(), maxTexts) {
		videos := make([]Number, len(chunk))
		for i := range chunk {
			videos[i] = chunk[i].value
		}
		if err := s.learn(ctx, videos); err != nil {
			return 0, err
		}
		for _, l := range chunk {
			weight += s.known[l.value].Of(l.plays, l.milliseconds, l.excess)
		}
	}
	return weight, nil
}

// learn caches the weights of videos, of which there may be at most maxTexts. A number without a text has no weight.
func (s *scales) learn(ctx context.Context, videos []Number) error {
	if len(s.known)+len(videos) > s.most {
		clear(s.known)
	}
	s.known[0] = s.weigh("")
	unknown := slices.DeleteFunc(slices.Clone(videos), func(video Number) bool { _, known := s.known[video]; return known })
	if len(unknown) == 0 {
		return nil
	}
	return s.source.Texts(ctx, usage.ByVideo, unknown, func(video Number, text string) { s.known[video] = s.weigh(text) })
}
