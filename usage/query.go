package usage

import "github.com/filmstrip/filmstrip/event"

// Dimension is a property by which usage can be grouped.
type Dimension uint8

// The dimensions. With BySubject a play counts once for each subject of its video, so the rows may add up to more
// than the total.
const (
	ByAccount Dimension = iota
	ByClient
	ByUser
	ByVideo
	ByChannel
	BySubject
	// Dimensions is the number of dimensions.
	Dimensions
)

// Interval is the length of the buckets of a time series. Buckets start with an hour, day or month in UTC.
type Interval uint8

// The intervals.
const (
	Whole Interval = iota // no series: one bucket
	Hourly
	Daily
	Monthly
)

// Order is the order of rows. Rows that are equal are ordered by bucket and keys.
type Order uint8

// The orders.
const (
	OrderByKey Order = iota // by bucket, then by keys
	MostSeconds
	MostPlays
	MostUsers
	MostVideos
)

// Weight returns the value by which the order sorts, largest first; it is 0 for OrderByKey.
func (o Order) Weight(m *Measures) int64 {
	switch o {
	case MostSeconds:
		return m.Milliseconds
	case MostPlays:
		return m.Plays
	case MostUsers:
		return m.Users
	case MostVideos:
		return m.Videos
	}
	return 0
}

// Query selects and groups usage.
type Query struct {
	// Only restricts plays to those with one of the given values of a dimension; nil means no restriction.
	Only [Dimensions][]string
	// From is the first instant and To the first instant after the range; both are whole hours.
	From, To event.Instant
	// By are the dimensions that rows are grouped by, at most two, without duplicates.
	By []Dimension
	// Interval groups rows by bucket. Empty buckets have no rows.
	Interval Interval
	Order    Order
	// RowsFrom and RowsTo restrict the rows of a series to buckets of a part of the range, whole hours. The total covers
	// the whole range. If both are 0, the rows cover it too.
	RowsFrom, RowsTo event.Instant
	// Offset and Limit select a page of the rows; Limit is 1 to 10,000.
	Offset, Limit int
	// Sandbox includes plays of sandbox accounts.
	Sandbox bool
	// Hide reports channels to hide: their plays appear in the rows without a channel. nil hides none.
	Hide func(channel string) bool
	// NoUsers and NoVideos skip the computation of Measures.Users and Measures.Videos, which are expensive. They are
	// then 0, unless rows are ordered by them.
	NoUsers, NoVideos bool
	// NoTotalUsers skips the users of the total in a table with rows.
	NoTotalUsers bool
}

// Table is the result of a Query.
type Table struct {
	// Progress is the state of the counts.
	Progress Progress
	// Total covers all plays that match the query, each counted once.
	Total Measures
	// Rows is the page, and Count the total number of rows.
	Rows  []Row
	Count int
}

// Row is the usage in one bucket for one value of each dimension of Query.By.
type Row struct {
	// Bucket is the start of the bucket; Query.From without a series.
	Bucket event.Instant
	// Keys are in the order of Query.By. "" stands for plays without a value (unknown user or video) and for hidden
	// channels.
	Keys []string
	Measures
}

// CurveQuery selects plays of one video.
type CurveQuery struct {
	Video string
	// Accounts restricts plays to these accounts; nil means all.
	Accounts []string
	From, To event.Instant
	Sandbox  bool
}

// MaxCurve is the maximum length of a curve in seconds: a day. Later seconds count in totals, but not in the curve.
const MaxCurve = 86_400

// Curve describes how a video was watched.
type Curve struct {
	Progress Progress
	Measures
	// Views is the number of plays that cover each second of the video, from second 0 to the last covered one.
	Views []int64
	// UniqueSeconds is the sum, over all known persons, of the distinct seconds covered by their plays.
	UniqueSeconds int64
}
