package usage

import (
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// The limits of a Query.
const (
	// MaxDimensions is the most dimensions that rows come by.
	MaxDimensions = 2
	// MaxRows is the most rows of one page.
	MaxRows = 10_000
	// MaxBuckets is the most buckets of a series.
	MaxBuckets = 10_000
	// MaxYears is how far From and To may lie apart.
	MaxYears = 10
)

// Check returns an error of code Invalid that names what breaks the rules of a Query.
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
		return fault.InvalidRequest("from %s to %s there are more than %d buckets", q.From, q.To, MaxBuckets)
	}
	return nil
}

func (q *Query) checkRows() error {
	switch {
	case len(q.By) > MaxDimensions:
		return fault.InvalidRequest("rows come by %d dimensions at most, not by %d", MaxDimensions, len(q.By))
	case q.Interval > Monthly:
		return fault.InvalidRequest("there is no interval %d", q.Interval)
	case q.Order > MostVideos:
		return fault.InvalidRequest("there is no order %d", q.Order)
	case q.Limit < 1 || q.Limit > MaxRows:
		return fault.InvalidRequest("%d rows a page are not between 1 and %d", q.Limit, MaxRows)
	case q.Offset < 0:
		return fault.InvalidRequest("a page cannot begin %d rows before the first", -q.Offset)
	}
	for i, dimension := range q.By {
		if dimension >= Dimensions {
			return fault.InvalidRequest("there is no dimension %d", dimension)
		}
		for _, before := range q.By[:i] {
			if before == dimension {
				return fault.InvalidRequest("rows cannot come by one dimension twice")
			}
		}
	}
	return nil
}

// Check returns an error of code Invalid that names what breaks the rules of a CurveQuery, which are those of
// a Query.
func (q *CurveQuery) Check() error {
	if q.Video == "" {
		return fault.InvalidRequest("a curve is of one video")
	}
	if err := checkValues(q.Accounts); err != nil {
		return err
	}
	return checkTime(q.From, q.To)
}

func checkTime(from, to event.Instant) error {
	switch {
	case from < 0 || to.Time().Year() > 9999:
		return fault.InvalidRequest("from %s to %s is outside the years 1970 to 9999", from, to)
	case from%event.Hour != 0 || to%event.Hour != 0:
		return fault.InvalidRequest("%s and %s are not both whole hours", from, to)
	case from >= to:
		return fault.InvalidRequest("%s is not before %s", from, to)
	case event.InstantOf(from.Time().AddDate(MaxYears, 0, 0)) < to:
		return fault.InvalidRequest("from %s to %s are more than %d years", from, to, MaxYears)
	}
	return nil
}

func checkValues(values []string) error {
	if len(values) > catalogue.MaxFilterValues {
		return fault.InvalidRequest("%d values are more than the %d that a list of a filter may have", len(values), catalogue.MaxFilterValues)
	}
	return nil
}

// Bucket is the beginning of the bucket in which an instant lies; the instant itself where there is no series.
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

// Next is the beginning of the bucket after the one that begins at an instant. It is of series alone.
func (i Interval) Next(bucket event.Instant) event.Instant {
	switch i {
	case Hourly:
		return bucket + event.Hour
	case Daily:
		return bucket + 24*event.Hour
	}
	return MonthOf(bucket).End()
}

// Buckets lists the beginnings of all buckets that a time from one instant to another touches; the first may
// begin before it. Without a series there is one, which begins with it.
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

// between counts buckets, though no further than one above enough.
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
