package catalogue_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
)

func TestParseDate(t *testing.T) {
	for text, want := range map[string]catalogue.Date{
		"1970-01-01": 0, "1970-01-02": 1, "1969-12-31": -1,
		"2000-02-29": 11_016, "2024-02-29": 19_782, "2024-03-01": 19_783, "2026-11-21": 20_778,
		"0001-01-01": -719_162, "9999-12-31": 2_932_896,
	} {
		got, err := catalogue.ParseDate(text)
		if err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
		if got.String() != text {
			t.Errorf("%q is written %q", text, got)
		}
	}
	for _, text := range []string{
		"", "2023-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "2024-04-31", "2024-13-01", "2024-00-10", "2024-01-00", "2024-01-32",
		"0000-01-01", "10000-01-01", "-0001-01-01", "24-01-01", "2024-1-1", "2024/01/01", "20240101", "01-02-2024",
		"2024-01-01T00:00:00Z", "2024-01-01 ", " 2024-01-01", "2024-01", "yesterday", "２０２４-01-01", "2024-01-01\x00", "\xff",
	} {
		if d, err := catalogue.ParseDate(text); err == nil {
			t.Errorf("%q: accepted as %s", text, d)
		} else {
			refused(t, err, text)
		}
	}
}

// TestDateOf checks that DateOf returns the UTC day of a time, also before 1970 and for times with fractions of a
// second.
func TestDateOf(t *testing.T) {
	east, west := time.FixedZone("east", 14*3600), time.FixedZone("west", -12*3600)
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{time.Unix(0, 0), "1970-01-01"},
		{time.Unix(0, -1), "1969-12-31"},
		{time.Unix(-86_400, 0), "1969-12-31"},
		{time.Unix(-86_400, -1), "1969-12-30"},
		{time.Unix(86_399, 999_999_999), "1970-01-01"},
		{time.Date(2024, 2, 29, 23, 59, 59, 999_999_999, time.UTC), "2024-02-29"},
		{time.Date(2024, 3, 1, 13, 59, 0, 0, east), "2024-02-29"},
		{time.Date(2024, 2, 28, 12, 0, 0, 0, west), "2024-02-29"},
		{time.Date(1904, 2, 29, 12, 0, 0, 0, time.UTC), "1904-02-29"},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), "0001-01-01"},
	} {
		if got := catalogue.DateOf(c.at).String(); got != c.want {
			t.Errorf("%s lies on %s, want %s", c.at, got, c.want)
		}
	}
}

func TestDateRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := catalogue.Date(rapid.Int32Range(-719_162, 2_932_896).Draw(t, "day"))
		start := want.Start()
		if h, m, s := start.Clock(); h+m+s+start.Nanosecond() != 0 || start.Location() != time.UTC {
			t.Fatalf("%s starts at %s", want, start)
		}
		within := time.Duration(rapid.Int64Range(0, int64(24*time.Hour)-1).Draw(t, "within"))
		if got := catalogue.DateOf(start.Add(within)); got != want {
			t.Fatalf("%s after the start of %s lies on %s", within, want, got)
		}
		written, err := want.MarshalText()
		if err != nil || string(written) != want.String() {
			t.Fatalf("MarshalText gives %q, %v, String %q", written, err, want)
		}
		var got catalogue.Date
		if err := got.UnmarshalText(written); err != nil || got != want {
			t.Fatalf("%q is read as %d, %v, want %d", written, got, err, want)
		}
	})
}

func TestInstant(t *testing.T) {
	zone := time.FixedZone("east", 2*3600)
	got := catalogue.Instant(time.Date(2026, 11, 21, 1, 2, 3, 456_789_999, zone))
	if want := time.Date(2026, 11, 20, 23, 2, 3, 456_789_000, time.UTC); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if text, want := got.Format(catalogue.TimestampFormat), "2026-11-20T23:02:03.456789Z"; text != want {
		t.Errorf("written %s, want %s", text, want)
	}
	whole := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if text, want := whole.Format(catalogue.TimestampFormat), "2026-01-01T00:00:00.000000Z"; text != want {
		t.Errorf("written %s, want %s", text, want)
	}
	if now := time.Now(); catalogue.Instant(now) != catalogue.Instant(now.Round(0)) {
		t.Error("an instant keeps the reading of the monotonic clock")
	}
}
