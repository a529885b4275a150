package usage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/values"
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

func dimensions(by []graph.UsageDimension) []usage.Dimension {
	return values.Map(by, func(dimension graph.UsageDimension) usage.Dimension { return dimensionOf[dimension] })
}

// setMeasures leaves out the measures that the operation selects neither in the total nor in rows, because they are
// expensive to compute.
func setMeasures(ctx context.Context, query *usage.Query) {
	query.NoUsers, query.NoVideos, query.NoTotalUsers = true, true, true
	operation := graphql.GetOperationContext(ctx)
	for _, part := range graphql.CollectFieldsCtx(ctx, nil) {
		for _, field := range graphql.CollectFields(operation, part.Selections, nil) {
			switch field.Name {
			case "users":
				query.NoUsers = false
				query.NoTotalUsers = query.NoTotalUsers && part.Name != "total"
			case "videos":
				query.NoVideos = false
			}
		}
	}
}

// rowsOf returns the part of the range of a series that the buckets of the page cover. It returns 0 and 0 if the order of
// the rows depends on what they contain.
func rowsOf(query *usage.Query) (from, to event.Instant) {
	if query.Interval == usage.Whole || query.Order != usage.OrderByKey {
		return 0, 0
	}
	buckets := query.Interval.Buckets(query.From, query.To)
	first := min(query.Offset, len(buckets)-1)
	last := min(first+query.Limit, len(buckets)) - 1
	return max(query.From, buckets[first]), min(query.To, query.Interval.Next(buckets[last]))
}

// fillSeries adds rows for the empty buckets of a table without a page, sorts it and cuts out the page.
func fillSeries(table *usage.Table, query *usage.Query) {
	used := make(map[event.Instant]usage.Row, len(table.Rows))
	for _, row := range table.Rows {
		used[row.Bucket] = row
	}
	var rows []usage.Row
	for _, bucket := range query.Interval.Buckets(query.From, query.To) {
		row := used[bucket]
		row.Bucket = bucket
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b usage.Row) int {
		return cmp.Compare(query.Order.Weight(&b.Measures), query.Order.Weight(&a.Measures))
	})
	table.Count = len(rows)
	table.Rows = rows[min(query.Offset, len(rows)):min(query.Offset+query.Limit, len(rows))]
}

// shownRow shows a row, with the part of its bucket that lies in the period of the query.
func shownRow(query *usage.Query, row *usage.Row) *graph.UsageRow {
	end := query.To
	if query.Interval != usage.Whole {
		end = min(end, query.Interval.Next(row.Bucket))
	}
	shown := &graph.UsageRow{
		From: max(query.From, row.Bucket).Time(), To: end.Time(), Plays: row.Plays, Seconds: seconds(row.Milliseconds),
		Milliseconds: row.Milliseconds, ExcessSeconds: seconds(row.Excess), Users: row.Users, Videos: row.Videos,
	}
	for i, dimension := range query.By {
		key := row.Keys[i]
		switch dimension {
		case usage.ByAccount:
			shown.Account = values.OrNil(key)
		case usage.ByClient:
			shown.Client = values.OrNil(key)
		case usage.ByUser:
			shown.User, shown.ExternalUser = namesOf(key)
		case usage.ByVideo:
			shown.Video = values.OrNil(key)
		case usage.ByChannel:
			shown.Channel = values.OrNil(key)
		case usage.BySubject:
			shown.Subject = values.OrNil(key)
		}
	}
	return shown
}

func shownMeasures(m usage.Measures) *graph.UsageMeasures {
	return &graph.UsageMeasures{
		Plays: m.Plays, Seconds: seconds(m.Milliseconds), Milliseconds: m.Milliseconds, ExcessSeconds: seconds(m.Excess),
		Users: m.Users, Videos: m.Videos,
	}
}

func seconds(milliseconds int64) float64 { return catalogue.Millis(milliseconds).Seconds() }

// asOf returns nil before anything was counted.
func asOf(progress usage.Progress) *time.Time {
	if progress.AsOf == 0 {
		return nil
	}
	at := progress.AsOf.Time()
	return &at
}
