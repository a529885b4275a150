package usage

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// The limits of a Query.
const (
	// MaxDimensions is the maximum number of dimensions of rows.
	MaxDimensions = 2
	// MaxRows is the maximum number of rows of a page.
	MaxRows = 10_000
	// MaxBuckets is the maximum number of buckets of a series.
	MaxBuckets = 10_000
	// MaxYears is the maximum number of years between From and To.
	MaxYears = 10
)

// Check returns an error with code Invalid if the query violates a rule.
func (q *Query) Check() error {
	if err := checkTime(q.From, q.To); err != nil {
		return err
	}
	if err := q.checkRows(); err != nil {
		return err
	}
	for _, values := range q.Only {
		if err := checkValues(values); err != nil {
			return err
		}
	}
	if q.Interval.between(q.From, q.To, MaxBuckets) > MaxBuckets {
		return fault.InvalidRequest("the range from %s to %s has more than %d buckets", q.From, q.To, MaxBuckets)
	}
	return nil
}

func (q *Query) checkRows() error {
	switch {
	case len(q.By) > MaxDimensions:
		return fault.InvalidRequest("at most %d dimensions are allowed, not %d", MaxDimensions, len(q.By))
	case q.Interval > Monthly:
		return fault.InvalidRequest("unknown interval %d", q.Interval)
	case (q.RowsFrom != 0 || q.RowsTo != 0) && (q.RowsFrom < q.From || q.RowsFrom >= q.RowsTo || q.RowsTo > q.To || q.RowsFrom%event.Hour != 0 || q.RowsTo%event.Hour != 0):
		return fault.InvalidRequest("the rows from %s to %s are not whole hours of the range from %s to %s", q.RowsFrom, q.RowsTo, q.From, q.To)
	case q.Order > MostVideos:
		return fault.InvalidRequest("unknown order %d", q.Order)
	case q.Limit < 1 || q.Limit > MaxRows:
		return fault.InvalidRequest("the page size %d is not between 1 and %d", q.Limit, MaxRows)
	case q.Offset < 0:
		return fault.InvalidRequest("the offset -%d is below 0", -q.Offset)
	}
	for i, dimension := range q.By {
		if dimension >= Dimensions {
			return fault.InvalidRequest("unknown dimension %d", dimension)
		}
		for _, before := range q.By[:i] {
			if before == dimension {
				return fault.InvalidRequest("a dimension is given twice")
			}
		}
	}
	return nil
}

// Check returns an error with code Invalid if the query violates a rule. The rules are those of a Query.
func (q *CurveQuery) Check() error {
	if q.Video == "" {
		return fault.InvalidRequest("a curve needs a video")
	}
	if err := checkValues(q.Accounts); err != nil {
		return err
	}
	return checkTime(q.From, q.To)
}

func checkTime(from, to event.Instant) error {
	switch {
	case from < 0 || to.Time().Year() > 9999:
		return fault.InvalidRequest("the range from %s to %s is outside the years 1970 to 9999", from, to)
	case from%event.Hour != 0 || to%event.Hour != 0:
		return fault.InvalidRequest("%s and %s are not both whole hours", from, to)
	case from >= to:
		return fault.InvalidRequest("%s is not before %s", from, to)
	case event.InstantOf(from.Time().AddDate(MaxYears, 0, 0)) < to:
		return fault.InvalidRequest("the range from %s to %s is longer than %d years", from, to, MaxYears)
	}
	return nil
}

func checkValues(values []string) error {
	if len(values) > catalogue.MaxFilterValues {
		return fault.InvalidRequest("a filter has %d values; at most %d are allowed", len(values), catalogue.MaxFilterValues)
	}
	return nil
}

// Bucket returns the start of the bucket that contains at; without a series it returns at itself.
func (i Interval) Bucket(at event.Instant) event.Instant {
	switch i {
	case Hourly:
		return at - at%event.Hour
	case Daily:
		return at - at%(24*event.Hour)
	case Monthly:
		return MonthOf(at).Start()
	}
	return at
}

// Next returns the start of the bucket after the one that starts at bucket. There must be a series.
func (i Interval) Next(bucket event.Instant) event.Instant {
	switch i {
	case Hourly:
		return bucket + event.Hour
	case Daily:
		return bucket + 24*event.Hour
	}
	return MonthOf(bucket).End()
}

// Buckets returns the starts of all buckets that overlap the time range; the first may start before it. Without a
// series it returns from only.
func (i Interval) Buckets(from, to event.Instant) []event.Instant {
	if i == Whole {
		return []event.Instant{from}
	}
	var buckets []event.Instant
	for at := i.Bucket(from); at < to; at = i.Next(at) {
		buckets = append(buckets, at)
	}
	return buckets
}

// between counts buckets, but stops at enough+1.
func (i Interval) between(from, to event.Instant, enough int) int {
	if i == Whole {
		return 1
	}
	count := 0
	for at := i.Bucket(from); at < to && count <= enough; at = i.Next(at) {
		count++
	}
	return count
}
