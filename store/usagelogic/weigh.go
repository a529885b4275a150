package usagelogic

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Lists implements store.Usage.Lists. It keeps the lines of only one part of a list, or of the plays of one account and
// month, in memory at a time.
func Lists(ctx context.Context, source Source, weigh func(video string) usage.Weight) (lists usage.Lists, err error) {
	if lists.Progress, err = source.Progress(ctx); err != nil {
		return usage.Lists{}, err
	}
	if lists.Horizon, err = source.Horizon(ctx); err != nil {
		return usage.Lists{}, err
	}
	accounts, err := everyAccount(ctx, source)
	if err != nil {
		return usage.Lists{}, err
	}
	s := &scales{source: source, weigh: weigh, most: maxWeights, known: map[Number]usage.Weight{}}
	names := make(map[Number]string, len(accounts))
	for some := range slices.Chunk(accounts, maxTexts) {
		if err := source.Texts(ctx, usage.ByAccount, some, func(account Number, text string) { names[account] = text }); err != nil {
			return usage.Lists{}, err
		}
	}
	for _, account := range accounts {
		videos, err := s.listsOf(ctx, account, names[account])
		if err != nil {
			return usage.Lists{}, err
		}
		plays, err := s.playsOf(ctx, account, names[account], lists.Horizon)
		if err != nil {
			return usage.Lists{}, err
		}
		lists.Videos, lists.Plays = append(lists.Videos, videos...), append(lists.Plays, plays...)
	}
	slices.SortFunc(lists.Videos, compareLists)
	slices.SortFunc(lists.Plays, compareLists)
	return lists, nil
}

func compareLists(a, b usage.List) int {
	return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Month.Number(), b.Month.Number()), cmp.Compare(truth(a.Sandbox), truth(b.Sandbox)))
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
func (s *scales) listsOf(ctx context.Context, account Number, name string) ([]usage.List, error) {
	var parts []Part
	span := CellSpan{Account: account, Dimension: Listed, Grain: Month, To: math.MaxInt32, Sandbox: true}
	err := s.source.Cells(ctx, span, func(p Part) {
		p.Body = nil
		parts = append(parts, p)
	})
	if err != nil {
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

// playsOf returns the counted single plays of an account from the horizon on, in any order.
func (s *scales) playsOf(ctx context.Context, account Number, name string, horizon event.Instant) (lists []usage.List, err error) {
	keys, err := keysOf(ctx, s.source, blocksOf(account, horizon, noTo), nil, nil)
	if err != nil {
		return nil, err
	}
	for len(keys) > 0 {
		month, more := keys[0].Month, 1
		for more < len(keys) && keys[more].Month == month {
			more++
		}
		videos, err := s.videosOf(ctx, keys[:more])
		if err != nil {
			return nil, err
		}
		keys = keys[more:]
		for sandbox, sums := range videos {
			if len(sums) == 0 {
				continue
			}
			l := usage.List{Account: name, Month: usage.MonthNumber(int(month)), Sandbox: sandbox == 1}
			lines := make([]line, 0, len(sums))
			for video, of := range sums {
				l.Plays, l.Milliseconds, l.Excess = l.Plays+of.plays, l.Milliseconds+of.milliseconds, l.Excess+of.excess
				lines = append(lines, line{video, *of})
			}
			if l.Weight, err = s.weightOfLines(ctx, lines); err != nil {
				return nil, err
			}
			lists = append(lists, l)
		}
	}
	return lists, nil
}

// videosOf returns the sums of the videos of blocks, first those outside sandboxes.
func (s *scales) videosOf(ctx context.Context, keys []BlockKey) ([2]map[Number]*sum, error) {
	videos := [2]map[Number]*sum{{}, {}}
	var plays []Play
	for some := range slices.Chunk(keys, blocksAtOnce) {
		err := s.source.Blocks(ctx, some, func(_ int, b *Block) error {
			plays, _ = b.Decode(plays[:0]) // a damaged block has no plays
			for i := range plays {
				p := &plays[i]
				if p.Void != 0 {
					continue
				}
				sums := videos[truth(p.Sandbox)]
				of := sums[p.Video]
				if of == nil {
					of = &sum{}
					sums[p.Video] = of
				}
				*of = of.plus(sum{p.Plays(), p.Milliseconds(), p.Excess})
			}
			return nil
		})
		if err != nil {
			return videos, err
		}
	}
	return videos, nil
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
	return s.weightOfLines(ctx, lines.unite())
}

func (s *scales) weightOfLines(ctx context.Context, lines []line) (weight uint64, err error) {
	for chunk := range slices.Chunk(lines, maxTexts) {
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
