package usage

import "github.com/filmstrip/filmstrip/event"

// Dimension is what use can be told by.
type Dimension uint8

// The dimensions. Of BySubject a play counts once for each subject of its video, so that rows may come to more
// than the total.
const (
	ByAccount Dimension = iota
	ByClient
	ByUser
	ByVideo
	ByChannel
	BySubject
	// Dimensions is how many there are.
	Dimensions
)

// Interval is the length of the buckets of a time series. Buckets begin with the hour, day or month of UTC.
type Interval uint8

// The intervals.
const (
	Whole Interval = iota // no series: one bucket
	Hourly
	Daily
	Monthly
)

// Order is that of rows. Where it leaves rows equal, they come in the order of bucket and keys.
type Order uint8

// The orders.
const (
	OrderByKey Order = iota // by bucket, then by keys
	MostSeconds
	MostPlays
	MostUsers
	MostVideos
)

// Weight is what an order goes by, the heaviest first; 0 for OrderByKey.
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

// Query asks for use.
type Query struct {
	// Only keeps plays that have one of these values of a dimension; nil: any.
	Only [Dimensions][]string
	// From is the first instant, To the first one after; both are whole hours.
	From, To event.Instant
	// By are the dimensions whose values get rows of their own, at most two, none twice.
	By []Dimension
	// Interval gives each bucket rows of its own. Empty buckets have no rows here.
	Interval Interval
	Order    Order
	// Offset and Limit cut a page out of the rows; Limit is 1 to 10,000.
	Offset, Limit int
	// Sandbox: plays of sandbox accounts are counted as well.
	Sandbox bool
	// Hide names channels that rows do not tell of: their plays are in the rows of those that have no channel. nil: none.
	Hide func(channel string) bool
	// NoUsers and NoVideos say that nobody asks for Measures.Users or Measures.Videos, which cost most: they are 0 then
	// in total and rows, unless rows are ordered by them.
	NoUsers, NoVideos bool
	// NoTotalUsers says that nobody asks for the users of the total of a table that has other rows: they are 0 then.
	NoTotalUsers bool
}

// Table is what a query comes to.
type Table struct {
	// Progress is as of when.
	Progress Progress
	// Total is that of all plays that the query keeps, each counted once.
	Total Measures
	// Rows is the page, Count how many rows there are in all.
	Rows  []Row
	Count int
}

// Row is the use of one bucket and one value of each dimension of Query.By.
type Row struct {
	// Bucket is where the bucket begins; Query.From where there is no series.
	Bucket event.Instant
	// Keys are in the order of Query.By; "" stands for plays that have none (nobody is known, no such video),
	// and for channels that are hidden.
	Keys []string
	Measures
}

// CurveQuery asks how a video was watched.
type CurveQuery struct {
	Video string
	// Accounts keeps plays of these; nil: of all.
	Accounts []string
	From, To event.Instant
	Sandbox  bool
}

// MaxCurve is for how many seconds from the beginning a curve is made: a day. Seconds behind it count for totals
// and have no place in the curve.
const MaxCurve = 86_400

// Curve is how a video was watched.
type Curve struct {
	Progress Progress
	Measures
	// Views says how many plays touched each second of the video, from second 0 to the last that any touched.
	Views []int64
	// UniqueSeconds is the sum, over all persons who are known, of the seconds that a person's plays touched,
	// each second once.
	UniqueSeconds int64
}
