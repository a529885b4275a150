package usagelogic

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// Curve answers a query that CurveQuery.Check accepts.
func Curve(ctx context.Context, source Source, query usage.CurveQuery) (usage.Curve, error) {
	progress, err := source.Progress(ctx)
	if err != nil {
		return usage.Curve{}, err
	}
	horizon, err := source.Horizon(ctx)
	if err != nil {
		return usage.Curve{}, err
	}
	if query.From < horizon {
		return usage.Curve{}, retentionError(horizon)
	}
	curve := usage.Curve{Progress: progress}
	video, err := numbersOf(ctx, source, usage.ByVideo, []string{query.Video})
	if err != nil || len(video) == 0 {
		return curve, err
	}
	var accounts []Number
	if query.Accounts == nil {
		accounts, err = everyAccount(ctx, source)
	} else {
		accounts, err = numbersOf(ctx, source, usage.ByAccount, query.Accounts)
	}
	if err != nil {
		return usage.Curve{}, err
	}
	var (
		sums    tally
		watched watching
	)
	for _, account := range accounts {
		span := PlaySpan{Account: account, From: query.From, To: query.To, Video: video[0], OfVideo: true, Sandbox: query.Sandbox}
		err := readPlays(ctx, source, span, func(p *Play) {
			sums.addPlay(p)
			watched.add(p)
		})
		if err != nil {
			return usage.Curve{}, err
		}
	}
	curve.Measures = sums.measures()
	curve.Views = watched.views()
	curve.UniqueSeconds = watched.unique()
	return curve, nil
}

// watching collects the seconds of a video that plays touched.
type watching struct {
	// steps contains, for each second, how many more plays touch it than the second before.
	steps []int64
	// seen contains the ranges that known persons watched.
	seen []watchedRange
	// united is the number of ranges that remained after they were last united.
	united int
}

// watchedRange is the seconds from <= second < to of one person.
type watchedRange struct {
	person   Number
	from, to int32
}

// minGathered is the smallest number of ranges at which those of each person are united before more are collected.
const minGathered = 1 << 19

// add records the seconds that the counted part of a play touched, including partly, up to the maximum length of a
// curve.
func (w *watching) add(p *Play) {
	if p.Milliseconds() <= 0 {
		return
	}
	from, to := max(0, p.Start/1000), min((p.Start+p.Milliseconds()-1)/1000+1, usage.MaxCurve)
	if from >= to {
		return
	}
	if missing := int(to) + 1 - len(w.steps); missing > 0 {
		w.steps = append(w.steps, make([]int64, missing)...)
	}
	w.steps[from]++
	w.steps[to]--
	if p.Person != 0 {
		if len(w.seen) >= max(minGathered, 2*w.united) {
			w.unite()
		}
		w.seen = append(w.seen, watchedRange{p.Person, int32(from), int32(to)})
	}
}

func (w *watching) views() []int64 {
	if len(w.steps) == 0 {
		return nil
	}
	views, now := make([]int64, len(w.steps)-1), int64(0)
	for second := range views {
		now += w.steps[second]
		views[second] = now
	}
	return views
}

// unique returns the number of seconds watched, counting each second of a person once.
func (w *watching) unique() (seconds int64) {
	w.unite()
	for _, s := range w.seen {
		seconds += int64(s.to - s.from)
	}
	return seconds
}

// unite merges the ranges of each person that touch or overlap.
func (w *watching) unite() {
	slices.SortFunc(w.seen, func(a, b watchedRange) int {
		return cmp.Or(cmp.Compare(a.person, b.person), cmp.Compare(a.from, b.from))
	})
	united := w.seen[:0]
	for _, s := range w.seen {
		if n := len(united); n > 0 && united[n-1].person == s.person && s.from <= united[n-1].to {
			united[n-1].to = max(united[n-1].to, s.to)
		} else {
			united = append(united, s)
		}
	}
	w.seen, w.united = united, len(united)
}
