package usagelogic

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// Curve answers a query that CurveQuery.Check takes.
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
		return usage.Curve{}, refusal(horizon)
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
		err := source.Plays(ctx, span, func(p *Play) {
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

// watching gathers which seconds of a video plays touched.
type watching struct {
	// steps say at each second how many more plays touch it than the one before.
	steps []int64
	// seen are the stretches that persons who are known watched.
	seen []stretch
	// united is how many of them were left when they were united last.
	united int
}

// stretch is from one second to the one before another.
type stretch struct {
	person   Number
	from, to int32
}

// minGathered is from how many stretches on those of one person are united before more are gathered.
const minGathered = 1 << 19

// add notes the seconds that the counted part of a play touched, a part of one too, as far as there is a curve.
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
		w.seen = append(w.seen, stretch{p.Person, int32(from), int32(to)})
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

// unique counts the seconds of each person once.
func (w *watching) unique() (seconds int64) {
	w.unite()
	for _, s := range w.seen {
		seconds += int64(s.to - s.from)
	}
	return seconds
}

// unite makes one stretch of those of a person that meet or overlap.
func (w *watching) unite() {
	slices.SortFunc(w.seen, func(a, b stretch) int {
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
