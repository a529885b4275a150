package usagelogic

import (
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// span is a period: whole buckets of a grain, or instants between which plays are read one by one.
type span struct {
	grain    Grain // 0 means plays
	from, to int64 // buckets or instants; to is exclusive
}

// cut splits a period so that as much of it as possible consists of buckets of the coarsest of the grains.
func cut(from, to event.Instant, grains []Grain) []span {
	switch {
	case from >= to:
		return nil
	case len(grains) == 0:
		return []span{{0, int64(from), int64(to)}}
	}
	grain, finer := grains[0], grains[1:]
	first, behind := grain.Bucket(from), grain.Bucket(to)
	if grain.Start(first) < from {
		first++
	}
	if first >= behind {
		return cut(from, to, finer)
	}
	spans := append(cut(from, grain.Start(first), finer), span{grain, first, behind})
	return append(spans, cut(grain.Start(behind), to, finer)...)
}

// fitting returns the grains of a dimension whose buckets lie within one bucket of the interval.
func fitting(dimension usage.Dimension, interval usage.Interval) []Grain {
	coarsest := map[usage.Interval]Grain{usage.Whole: Month, usage.Monthly: Month, usage.Daily: Day, usage.Hourly: Hour}[interval]
	return slices.DeleteFunc(slices.Clone(grains[dimension]), func(g Grain) bool { return g > coarsest })
}
