package resolvers

import (
	"cmp"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/usage"
)

var dimensionOf = map[graph.UsageDimension]usage.Dimension{
	graph.UsageDimensionAccount: usage.ByAccount,
	graph.UsageDimensionClient:  usage.ByClient,
	graph.UsageDimensionUser:    usage.ByUser,
	graph.UsageDimensionVideo:   usage.ByVideo,
	graph.UsageDimensionChannel: usage.ByChannel,
	graph.UsageDimensionSubject: usage.BySubject,
}

var intervals = map[graph.UsageInterval]usage.Interval{
	graph.UsageIntervalWhole: usage.Whole,
	graph.UsageIntervalHour:  usage.Hourly,
	graph.UsageIntervalDay:   usage.Daily,
	graph.UsageIntervalMonth: usage.Monthly,
}

var orders = map[graph.UsageOrder]usage.Order{
	graph.UsageOrderKey:     usage.OrderByKey,
	graph.UsageOrderSeconds: usage.MostSeconds,
	graph.UsageOrderPlays:   usage.MostPlays,
	graph.UsageOrderUsers:   usage.MostUsers,
	graph.UsageOrderVideos:  usage.MostVideos,
}

func dimensions(asked []graph.UsageDimension) []usage.Dimension {
	list := make([]usage.Dimension, len(asked))
	for i, dimension := range asked {
		list[i] = dimensionOf[dimension]
	}
	return list
}

// fillSeries puts rows of nothing into the empty buckets of a table that has all others, orders it as asked and
// cuts the page out.
func fillSeries(table *usage.Table, asked *usage.Query) {
	used := make(map[event.Instant]usage.Row, len(table.Rows))
	for _, row := range table.Rows {
		used[row.Bucket] = row
	}
	var rows []usage.Row
	for _, bucket := range asked.Interval.Buckets(asked.From, asked.To) {
		row := used[bucket]
		row.Bucket = bucket
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b usage.Row) int {
		return cmp.Compare(asked.Order.Weight(&b.Measures), asked.Order.Weight(&a.Measures))
	})
	table.Count = len(rows)
	table.Rows = rows[min(asked.Offset, len(rows)):min(asked.Offset+asked.Limit, len(rows))]
}

// shownUsage shows of a bucket the part that was asked for.
func shownUsage(asked *usage.Query, row *usage.Row) *graph.UsageRow {
	end := asked.To
	if asked.Interval != usage.Whole {
		end = min(end, asked.Interval.Next(row.Bucket))
	}
	shown := &graph.UsageRow{
		From: max(asked.From, row.Bucket).Time(), To: end.Time(), Plays: row.Plays, Seconds: inSeconds(row.Milliseconds),
		Milliseconds: row.Milliseconds, ExcessSeconds: inSeconds(row.Excess), Users: row.Users, Videos: row.Videos,
	}
	for i, dimension := range asked.By {
		key := row.Keys[i]
		switch dimension {
		case usage.ByAccount:
			shown.Account = unlessZero(key)
		case usage.ByClient:
			shown.Client = unlessZero(key)
		case usage.ByUser:
			shown.User, shown.ExternalUser = names(key)
		case usage.ByVideo:
			shown.Video = unlessZero(key)
		case usage.ByChannel:
			shown.Channel = unlessZero(key)
		case usage.BySubject:
			shown.Subject = unlessZero(key)
		}
	}
	return shown
}

// names takes a person apart (event.Event.Person).
func names(person string) (user, externalUser *string) {
	switch {
	case person == "":
		return nil, nil
	case person == externalPerson(person[1:]):
		name := person[1:]
		return nil, &name
	}
	name := person[1:]
	return &name, nil
}

func shownMeasures(m usage.Measures) *graph.UsageMeasures {
	return &graph.UsageMeasures{
		Plays: m.Plays, Seconds: inSeconds(m.Milliseconds), Milliseconds: m.Milliseconds, ExcessSeconds: inSeconds(m.Excess),
		Users: m.Users, Videos: m.Videos,
	}
}

func inSeconds(milliseconds int64) float64 { return float64(milliseconds) / 1000 }

// asOf is nil before anything was counted.
func asOf(progress usage.Progress) *time.Time {
	if progress.AsOf == 0 {
		return nil
	}
	at := progress.AsOf.Time()
	return &at
}
