package catalogue_test

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// refused fails the test unless err has the code Invalid and names the value.
func refused(t *testing.T, err error, value string) {
	t.Helper()
	if fault.CodeOf(err) != fault.Invalid {
		t.Fatalf("%q: got %v, want an error of code Invalid", value, err)
	}
	if !strings.Contains(err.Error(), strconv.Quote(value)) {
		t.Errorf("%q: the message does not name it: %s", value, err)
	}
}

func TestParseDuration(t *testing.T) {
	const (
		second = catalogue.Second
		minute = catalogue.Minute
		hour   = catalogue.Hour
		day    = catalogue.Day
	)
	for text, want := range map[string]catalogue.Duration{
		"PT0S": 0, "PT0M": 0, "PT0H": 0, "P0D": 0, "P0W": 0, "P0DT0H0M0.000S": 0,
		"PT1S": second, "PT90S": 90 * second, "PT5M": 5 * minute, "PT120M": 2 * hour, "PT36H": 36 * hour,
		"PT1H2M3S": hour + 2*minute + 3*second, "PT1H3S": hour + 3*second,
		"P1D": day, "P1DT1S": day + second, "P1DT2H3M4.5S": day + 2*hour + 3*minute + 4*second + 500,
		"P1W": 7 * day, "P2W1D": 15 * day, "P1W1DT1M": 8*day + minute,
		// Any case is valid.
		"pt5m": 5 * minute, "Pt1h30M": 90 * minute, "p1dT1s": day + second, "p1w": 7 * day,
		// A fraction of seconds counts to the millisecond; further digits are cut.
		"PT0.5S": 500, "PT0,5S": 500, "PT1.25S": 1250, "PT1.001S": 1001, "PT0.0009S": 0, "PT0.9999S": 999,
		"PT1.123456789S": 1123, "PT59.999S": 59_999,
		// Leading zeros are valid.
		"PT007S": 7 * second, "P01D": day,
		// The longest duration, in each unit.
		"P1000000D": catalogue.MaxDuration, "PT24000000H": catalogue.MaxDuration,
		"PT1440000000M": catalogue.MaxDuration, "PT86400000000S": catalogue.MaxDuration,
		"P142857W1D": catalogue.MaxDuration,
	} {
		if got, err := catalogue.ParseDuration(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v, want %d", text, got, err, want)
		}
	}
}

func TestParseDurationRefuses(t *testing.T) {
	for name, texts := range map[string][]string{
		"nothing":             {"", " ", "P", "PT", "p", "pt", "T", "T5M"},
		"nothing behind T":    {"P1DT", "P1WT", "PT1HT", "PTT1S"},
		"no designator":       {"5M", "1H", "300", "00:05:00", "five minutes"},
		"years and months":    {"P1Y", "P1M", "P1Y1D", "P1M1D", "P1Y2M3DT4H", "P0Y", "P0M", "p1y"},
		"signs":               {"-PT5M", "+PT5M", "PT-5M", "PT+5M", "P-1D", "−PT5M", "PT5M-"},
		"wrong side of T":     {"P5H", "P5S", "PT1D", "PT1W", "P1H30M", "1PT1M"},
		"wrong order":         {"PT1M1H", "PT1S1M", "PT1S1H", "P1D1W", "PT1HP1D"},
		"repeats":             {"PT1M1M", "PT1S1S", "P1D1D", "P1W1W", "PT1H1H", "PT0S0S"},
		"number or unit gone": {"PTM", "PT5", "P1", "PT.5S", "PT5.S", "PT5,S", "PTS", "P1D5"},
		"fractions elsewhere": {"PT1.5M1S", "PT0.5H30M", "P1.5DT1H", "P0.5W1D", "PT1.5", "P1.5DT"},
		"broken fractions":    {"PT1.2.3S", "PT1.,2S", "PT1.1234567891S", "PT1.-5S"},
		"other digits":        {"PT٥M", "PT５M", "PT1e3S", "PT0x10S", "PT1_0S"},
		"foreign characters":  {" PT5M", "PT5M ", "PT 5M", "PT5M\x00", "PT5M\n", "PT\xff5M", "ＰT5M"},
		"too long": {
			"P1000001D", "PT24000001H", "PT1440000001M", "PT86400000001S", "PT86400000000.001S",
			"P1000000DT1S", "P142858W", "PT9223372036854775807S", "PT9223372036854775808S", "PT" + strings.Repeat("9", 500) + "H",
			"P1000000DT24000000H1440000000M86400000000S",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, text := range texts {
				if d, err := catalogue.ParseDuration(text); err == nil {
					t.Errorf("%q: accepted as %s", text, d)
				} else {
					refused(t, err, text)
				}
			}
		})
	}
}

// TestFractions checks that the smallest unit of a duration may have a fraction.
func TestFractions(t *testing.T) {
	for text, want := range map[string]catalogue.Duration{
		"PT1.5M": 90_000, "PT1,5M": 90_000, "PT0.5H": 30 * catalogue.Minute, "P1.5D": 36 * catalogue.Hour, "P0.5W": 84 * catalogue.Hour,
		"PT1H0.5M": catalogue.Hour + 30_000, "P1DT1.25H": 25*catalogue.Hour + 15*catalogue.Minute, "PT0.000000001W": 0, "P0.999999999W": 604_799_999,
		"PT1.9999S": 1_999, "PT0.00001M": 0,
	} {
		got, err := catalogue.ParseDuration(text)
		if strings.HasPrefix(text, "PT0.000000001W") {
			if err == nil {
				t.Errorf("%s: weeks behind T are accepted", text)
			}
			continue
		}
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", text, got, err, want)
		}
	}
}

// TestDurationErrors checks that the error for a text that is not a duration of fixed length names the reason, also in
// ranges.
func TestDurationErrors(t *testing.T) {
	for text, reason := range map[string]string{
		"P1Y": "no fixed length", "P1M": "no fixed length", "P1Y2M3DT4H": "no fixed length", "p0.5m": "no fixed length",
		"-PT5M": "negative", "PT-5M": "negative", "-P1Y": "no fixed length", "P1000001D": "a million days",
		"PT1.5M1S": "smallest unit",
	} {
		for _, given := range []string{text, text + "-PT5M", "PT5M-" + text} {
			if _, err := catalogue.ParseDurationRange(given); err == nil || !strings.Contains(err.Error(), given) ||
				!strings.Contains(text, "-") && !strings.Contains(err.Error(), reason) {
				t.Errorf("%s: %v does not say %q", given, err, reason)
			}
		}
		if _, err := catalogue.ParseDuration(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v does not say %q", text, err, reason)
		}
	}
	for text, reason := range map[string]string{
		"-PT5M": "negative", "PT2M--PT5M": "negative", "PT2M-PT-5M": "negative", "-PT2M-PT5M": "negative",
		"PT1M-PT6M-PT7M": "a form like PT2M-PT5M", "PT1M-x-PT7M": "a form like PT2M-PT5M", "PT2M-": "a form like PT2M-PT5M",
	} {
		if _, err := catalogue.ParseDurationRange(text); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v does not say %q", text, err, reason)
		}
	}
}

// TestLastBucket checks that a bucket that ends at 24 hours includes durations of exactly 24 hours.
func TestLastBucket(t *testing.T) {
	day, hour := catalogue.Day, catalogue.Hour
	for _, test := range []struct {
		bucket catalogue.DurationRange
		d      catalogue.Duration
		want   bool
	}{
		{catalogue.DurationRange{Min: hour, Max: &day}, day, true}, {catalogue.DurationRange{Min: hour, Max: &day}, day + 1, false},
		{catalogue.DurationRange{Min: 0, Max: &hour}, hour, false}, {catalogue.DurationRange{Min: 0, Max: &hour}, hour - 1, true},
		{catalogue.DurationRange{Min: hour}.DurationBucket(), day, true},
	} {
		if got := test.bucket.Buckets(test.d); got != test.want {
			t.Errorf("%s holds %s: %t", test.bucket, test.d, got)
		}
	}
}

// TestDurationString checks that String writes durations as facet keys and documents show them: hours never become
// days, whatever the client wrote.
func TestDurationString(t *testing.T) {
	for text, want := range map[string]string{
		"PT60S": "PT1M", "PT90S": "PT1M30S", "PT120M": "PT2H", "P1D": "PT24H", "P1W": "PT168H",
		"PT0S": "PT0S", "P0D": "PT0S", "PT3600S": "PT1H", "PT3601S": "PT1H1S", "PT61M": "PT1H1M",
		"PT1.500S": "PT1.5S", "PT0.001S": "PT0.001S", "PT0,010S": "PT0.01S", "PT60.25S": "PT1M0.25S",
		"P1DT1H1M1.1S": "PT25H1M1.1S", "P1000000D": "PT24000000H",
	} {
		d, err := catalogue.ParseDuration(text)
		if err != nil || d.String() != want {
			t.Errorf("%q: got %q, %v, want %q", text, d, err, want)
		}
	}
}

func durations() *rapid.Generator[catalogue.Duration] {
	return rapid.Custom(func(t *rapid.T) catalogue.Duration {
		most := rapid.SampledFrom([]catalogue.Duration{
			2 * catalogue.Second, 2 * catalogue.Minute, 2 * catalogue.Hour, 2 * catalogue.Day, catalogue.MaxDuration,
		}).Draw(t, "most")
		return catalogue.Duration(rapid.Int64Range(0, int64(most)).Draw(t, "milliseconds"))
	})
}

func TestDurationRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := durations().Draw(t, "duration")
		text := want.String()
		if strings.ContainsAny(text, "DWY-,") || !strings.HasPrefix(text, "PT") {
			t.Fatalf("%d is written %q", want, text)
		}
		if got, err := catalogue.ParseDuration(text); err != nil || got != want {
			t.Fatalf("%d is written %q and read as %d, %v", want, text, got, err)
		}
		written, err := want.MarshalText()
		if err != nil || string(written) != text {
			t.Fatalf("MarshalText gives %q, %v, String %q", written, err, text)
		}
		var read catalogue.Duration
		if err := read.UnmarshalText(written); err != nil || read != want {
			t.Fatalf("UnmarshalText gives %d, %v, want %d", read, err, want)
		}
	})
}

func FuzzDuration(f *testing.F) {
	for _, seed := range []string{
		"PT5M", "P1DT2H3M4.567S", "p2w", "PT0,001S", "P", "P1M", "-PT1S", "PT1H1H", "PT9223372036854775807S", "PT\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := catalogue.ParseDuration(text)
		if err != nil {
			refused(t, err, text)
			return
		}
		if d < 0 || d > catalogue.MaxDuration {
			t.Fatalf("%q is read as %d milliseconds", text, d)
		}
		if again, err := catalogue.ParseDuration(d.String()); err != nil || again != d {
			t.Fatalf("%q is %d, written %q, read again as %d, %v", text, d, d, again, err)
		}
	})
}

func TestParseDurationRange(t *testing.T) {
	for text, want := range map[string]string{
		"PT2M-PT5M": "PT2M-PT5M", "PT60S-PT90S": "PT1M-PT1M30S", "pt2m-pt5m": "PT2M-PT5M",
		"PT7M": "PT7M", "P1D": "PT24H", "PT0S": "PT0S", "PT5M-PT5M": "PT5M-PT5M", "PT0S-P1W": "PT0S-PT168H",
		"PT20M-P1D": "PT20M-PT24H",
	} {
		r, err := catalogue.ParseDurationRange(text)
		if err != nil || r.String() != want {
			t.Errorf("%q: got %q, %v, want %q", text, r, err, want)
		}
		if bounded := strings.Contains(text, "-"); bounded != (r.Max != nil) {
			t.Errorf("%q: an upper end: %v", text, r.Max != nil)
		}
	}
	for _, text := range []string{
		"", "-", "PT2M-", "-PT5M", "PT2M--PT5M", "PT2M-PT5M-PT7M", "PT2M–PT5M", "PT2M PT5M", "PT2M,PT5M", "2-5",
		"PT2M-five", "two-PT5M", "PT5M-PT2M", "PT1M-PT59.999S", "P1M-P2M", "PT1M-P1Y", "PT2M-PT-5M",
	} {
		if r, err := catalogue.ParseDurationRange(text); err == nil {
			t.Errorf("%q: accepted as %s", text, r)
		} else {
			refused(t, err, text)
		}
	}
}

// TestDurationRangeEnds checks that filters include both ends of a range, and that facet buckets include only the lower
// end.
func TestDurationRangeEnds(t *testing.T) {
	for _, c := range []struct {
		text               string
		d                  catalogue.Duration
		includes, inBucket bool
	}{
		{"PT2M-PT5M", 2*catalogue.Minute - 1, false, false},
		{"PT2M-PT5M", 2 * catalogue.Minute, true, true},
		{"PT2M-PT5M", 5*catalogue.Minute - 1, true, true},
		{"PT2M-PT5M", 5 * catalogue.Minute, true, false},
		{"PT2M-PT5M", 5*catalogue.Minute + 1, false, false},
		{"PT2M-PT2M", 2 * catalogue.Minute, true, false},
		{"PT7M", 7*catalogue.Minute - 1, false, false},
		{"PT7M", 7 * catalogue.Minute, true, true},
		{"PT7M", catalogue.MaxDuration, true, true},
		{"PT0S-PT0S", 0, true, false},
	} {
		r, err := catalogue.ParseDurationRange(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Includes(c.d); got != c.includes {
			t.Errorf("%s includes %s: %v", c.text, c.d, got)
		}
		if got := r.Buckets(c.d); got != c.inBucket {
			t.Errorf("%s buckets %s: %v", c.text, c.d, got)
		}
	}
}

func TestDurationBucketEnd(t *testing.T) {
	for text, want := range map[string]string{
		"PT2M-PT5M": "PT2M-PT5M", "PT20M": "PT20M-PT24H", "PT0S": "PT0S-PT24H", "PT24H": "PT24H-PT24H", "PT30H": "PT30H-PT30H",
		"PT30H-PT40H": "PT30H-PT40H",
	} {
		r, err := catalogue.ParseDurationRange(text)
		if err != nil || r.DurationBucket().String() != want {
			t.Errorf("%q: got %q, %v, want %q", text, r.DurationBucket(), err, want)
		}
	}
}

func TestDefaultDurationBuckets(t *testing.T) {
	want := []string{"PT0S-PT2M", "PT2M-PT5M", "PT5M-PT10M", "PT10M-PT20M", "PT20M-PT24H"}
	buckets := catalogue.DefaultDurationBuckets()
	if len(buckets) != len(want) {
		t.Fatalf("got %v", buckets)
	}
	for i, bucket := range buckets {
		if bucket.String() != want[i] {
			t.Errorf("bucket %d is %s, want %s", i, bucket, want[i])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := catalogue.Duration(rapid.Int64Range(0, int64(catalogue.Day)-1).Draw(t, "duration"))
		in := 0
		for _, bucket := range buckets {
			if bucket.Buckets(d) {
				in++
			}
		}
		if in != 1 {
			t.Fatalf("%s lies in %d default buckets", d, in)
		}
	})
}

func FuzzDurationRange(f *testing.F) {
	for _, seed := range []string{"PT2M-PT5M", "PT7M", "PT5M-PT2M", "-", "P1D-P1W", "PT0.5S-PT0,6S", "PT1M-PT2M-PT3M", "P1M-\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := catalogue.ParseDurationRange(text)
		if err != nil {
			refused(t, err, text)
			return
		}
		again, err := catalogue.ParseDurationRange(r.String())
		if err != nil || again.Min != r.Min || (again.Max == nil) != (r.Max == nil) || (r.Max != nil && *again.Max != *r.Max) {
			t.Fatalf("%q is written %q and read again as %q, %v", text, r, again, err)
		}
		if !r.Includes(r.Min) || (r.Max != nil && (!r.Includes(*r.Max) || r.Buckets(*r.Max))) {
			t.Fatalf("%q does not hold its ends", text)
		}
	})
}
