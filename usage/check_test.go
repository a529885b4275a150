package usage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

func instant(text string) event.Instant {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return event.InstantOf(at)
}

func TestQueryCheck(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(q *usage.Query)
		says   string // says is "" if the query is valid.
	}{
		{"as it is", func(*usage.Query) {}, ""},
		{"ten years", func(q *usage.Query) { q.To = instant("2036-10-01T00:00:00Z") }, ""},
		{"ten years by days", func(q *usage.Query) { q.To, q.Interval = instant("2036-10-01T00:00:00Z"), usage.Daily }, ""},
		{"two dimensions", func(q *usage.Query) { q.By = []usage.Dimension{usage.ByUser, usage.BySubject} }, ""},
		{"the last page", func(q *usage.Query) { q.Offset, q.Limit = 1_000_000, 10_000 }, ""},
		{"more than ten years", func(q *usage.Query) { q.To = instant("2036-10-01T01:00:00Z") }, "10 years"},
		{"no time", func(q *usage.Query) { q.To = q.From }, "is not before"},
		{"backwards", func(q *usage.Query) { q.To = q.From - event.Hour }, "is not before"},
		{"half an hour", func(q *usage.Query) { q.From = instant("2026-10-01T00:30:00Z") }, "whole hours"},
		{"to within an hour", func(q *usage.Query) { q.To++ }, "whole hours"},
		{"before 1970", func(q *usage.Query) { q.From = instant("1969-12-31T23:00:00Z") }, "1970"},
		{"after 9999", func(q *usage.Query) { q.From, q.To = instant("9999-01-01T00:00:00Z"), 253402304400000 }, "9999"},
		{"three dimensions", func(q *usage.Query) { q.By = []usage.Dimension{0, 1, 2} }, "2 dimensions"},
		{"one twice", func(q *usage.Query) { q.By = []usage.Dimension{usage.ByVideo, usage.ByVideo} }, "twice"},
		{"no dimension", func(q *usage.Query) { q.By = []usage.Dimension{usage.Dimensions} }, "unknown dimension"},
		{"no interval", func(q *usage.Query) { q.Interval = 9 }, "unknown interval"},
		{"no order", func(q *usage.Query) { q.Order = 9 }, "unknown order"},
		{"no rows", func(q *usage.Query) { q.Limit = 0 }, "between 1 and 10000"},
		{"many rows", func(q *usage.Query) { q.Limit = 10_001 }, "between 1 and 10000"},
		{"before the first", func(q *usage.Query) { q.Offset = -1 }, "offset -1"},
		{"many buckets", func(q *usage.Query) { q.To, q.Interval = instant("2028-10-01T00:00:00Z"), usage.Hourly }, "10000 buckets"},
		{"rows of a part", func(q *usage.Query) {
			q.Interval, q.RowsFrom, q.RowsTo = usage.Daily, q.From+event.Hour, q.To
		}, ""},
		{"rows before the range", func(q *usage.Query) { q.RowsFrom, q.RowsTo = q.From-event.Hour, q.To }, "not whole hours of the range"},
		{"rows behind the range", func(q *usage.Query) { q.RowsFrom, q.RowsTo = q.From, q.To+event.Hour }, "not whole hours of the range"},
		{"rows of no time", func(q *usage.Query) { q.RowsFrom, q.RowsTo = q.From, q.From }, "not whole hours of the range"},
		{"rows within an hour", func(q *usage.Query) { q.RowsFrom, q.RowsTo = q.From, q.To-1 }, "not whole hours of the range"},
		{"many values", func(q *usage.Query) { q.Only[usage.ByVideo] = make([]string, 1001) }, "1001 values"},
	} {
		q := usage.Query{From: instant("2026-10-01T00:00:00Z"), To: instant("2026-11-01T00:00:00Z"), Limit: 100}
		test.change(&q)
		err := q.Check()
		switch {
		case test.says == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.says != "" && (fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: got %v, want an invalid request with %q", test.name, err, test.says)
		}
	}
}

func TestCurveQueryCheck(t *testing.T) {
	good := usage.CurveQuery{Video: "v", From: instant("2026-10-01T00:00:00Z"), To: instant("2026-11-01T00:00:00Z")}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(q *usage.CurveQuery){
		"no video":      func(q *usage.CurveQuery) { q.Video = "" },
		"no time":       func(q *usage.CurveQuery) { q.To = q.From },
		"many accounts": func(q *usage.CurveQuery) { q.Accounts = make([]string, 1001) },
	} {
		q := good
		change(&q)
		if err := q.Check(); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestBuckets(t *testing.T) {
	from, to := instant("2026-10-30T22:00:00Z"), instant("2026-12-01T01:00:00Z")
	for _, test := range []struct {
		interval usage.Interval
		count    int
		first    string
		last     string
	}{
		{usage.Whole, 1, "2026-10-30T22:00:00Z", "2026-10-30T22:00:00Z"},
		{usage.Hourly, 31*24 + 3, "2026-10-30T22:00:00Z", "2026-12-01T00:00:00Z"},
		{usage.Daily, 33, "2026-10-30T00:00:00Z", "2026-12-01T00:00:00Z"},
		{usage.Monthly, 3, "2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"},
	} {
		buckets := test.interval.Buckets(from, to)
		if len(buckets) != test.count || buckets[0] != instant(test.first) || buckets[len(buckets)-1] != instant(test.last) {
			t.Errorf("interval %d: got %d buckets from %s to %s", test.interval, len(buckets), buckets[0], buckets[len(buckets)-1])
		}
		for i, bucket := range buckets[1:] {
			inside := bucket + event.Hour/2
			if test.interval.Bucket(inside) != bucket || test.interval.Next(buckets[i]) != bucket {
				t.Errorf("interval %d: %s is not the bucket of %s, or not behind %s", test.interval, bucket, inside, buckets[i])
			}
		}
	}
}

func TestMonths(t *testing.T) {
	for text, good := range map[string]bool{"2026-10": true, "1970-01": true, "1969-12": false, "2026-13": false, "2026-1": false, "2026-10-01": false, "": false} {
		m, err := usage.ParseMonth(text)
		if (err == nil) != good || (good && (m.String() != text || usage.MonthNumber(m.Number()) != m)) {
			t.Errorf("%q: got %v, %v", text, m, err)
		}
		if err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: got %v", text, err)
		}
	}
	december := month("2026-12")
	if got := december.Next(); got != month("2027-01") || december.End() != got.Start() || got.Before(december) {
		t.Errorf("after December comes %v", got)
	}
	if got := usage.MonthOf(december.End() - 1); got != december {
		t.Errorf("the last millisecond of December is in %v", got)
	}
}

func TestSecondsAreRoundedHalfUp(t *testing.T) {
	for milliseconds, want := range map[int64]int64{0: 0, 1: 0, 499: 0, 500: 1, 1499: 1, 1500: 2, 3_600_000_000: 3_600_000} {
		if got := usage.Seconds(milliseconds); got != want {
			t.Errorf("%d ms: got %d s, want %d", milliseconds, got, want)
		}
	}
}
