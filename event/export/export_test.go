package export_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
	"github.com/filmstrip/filmstrip/fault"
)

func TestFormatsThatThereAreNot(t *testing.T) {
	for _, test := range []struct {
		name    string
		format  export.Format
		options export.Options
	}{
		{"none", "", options}, {"CSV", export.CSV, options},
		{"xAPI without a base", export.XAPI, export.Options{}}, {"Caliper without a base", export.Caliper, export.Options{}},
	} {
		if _, err := export.NewEvents(io.Discard, test.format, test.options); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if err := export.Statements(io.Discard, export.XAPI, nil); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("statements as xAPI: %v", err)
	}
}

// full is a disk without room after so many bytes.
type full struct{ room int }

var errFull = errors.New("no room")

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestAFaultOfTheFileIsTold(t *testing.T) {
	for _, format := range []export.Format{export.JSONL, export.Parquet, export.XAPI, export.Caliper} {
		to, err := export.NewEvents(&full{room: 100_000}, format, options)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := export.Copy(to, plays(20, 1000)); !errors.Is(err, errFull) {
			t.Errorf("%s: %v", format, err)
		}
	}
}

func TestAFaultOfTheLogIsTold(t *testing.T) {
	gone := errors.New("gone")
	for _, format := range []export.Format{export.JSONL, export.Parquet, export.XAPI, export.Caliper} {
		var file bytes.Buffer
		to, err := export.NewEvents(&file, format, options)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := export.Copy(to, func(yield func([]event.Event, error) bool) {
			_ = yield(samples()[:2], nil) && yield(nil, gone)
		})
		if !errors.Is(err, gone) || sum.Told != 2 {
			t.Errorf("%s: %+v, %v", format, sum, err)
		}
	}
}

// TestMemoryIsConstant: what a writer holds does not grow with what it has written.
func TestMemoryIsConstant(t *testing.T) {
	const batches, size = 270, 100
	note := []byte(`{"note":"` + strings.Repeat("x", 16<<10) + `"}`) // so that a row group of Parquet has 2,100 rows
	for _, format := range []export.Format{export.JSONL, export.Parquet, export.XAPI, export.Caliper} {
		t.Run(string(format), func(t *testing.T) {
			to, err := export.NewEvents(io.Discard, format, options)
			if err != nil {
				t.Fatal(err)
			}
			var held [3]uint64 // the most in each third: a row group fills and empties
			n := 0
			for events := range plays(batches, size) {
				for i := range events {
					events[i].Metadata = note
				}
				if _, err := to.Write(events); err != nil {
					t.Fatal(err)
				}
				if n%3 == 0 {
					var stats runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&stats)
					held[n*3/batches] = max(held[n*3/batches], stats.HeapAlloc)
				}
				n++
			}
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
			const bound = 100 << 20 // a row group and its pages; all that was written is 432 MiB
			if grown := int64(held[2]) - int64(held[0]); grown > 8<<20 || held[2] > bound {
				t.Errorf("in its thirds it holds at most %d bytes", held)
			}
			t.Logf("in its thirds it holds at most %d bytes", held)
		})
	}
}

// TestAddressesOfTheirTime: an address is told until it is as old as it may be.
func TestAddressesOfTheirTime(t *testing.T) {
	at := noon.Time()
	for _, test := range []struct {
		kept, age time.Duration
		told      bool
	}{
		{0, 0, false}, {0, -time.Hour, false}, {-time.Hour, -2 * time.Hour, false},
		{time.Hour, 0, true}, {time.Hour, time.Hour, true}, {time.Hour, time.Hour + time.Millisecond, false},
	} {
		asked := export.Options{Addresses: test.kept, Now: func() time.Time { return at.Add(test.age) }}
		lines, _ := written(t, export.JSONL, asked, one(samples()[:1]))
		table, _ := written(t, export.Parquet, asked, one(samples()[:1]))
		if told := bytes.Contains(lines, []byte("192.0.2.7")); told != test.told {
			t.Errorf("kept for %s, after %s: its line tells it: %t", test.kept, test.age, told)
		}
		if _, rows := readTable(t, table); rows[0].has("address") != test.told {
			t.Errorf("kept for %s, after %s: its row tells %q", test.kept, test.age, rows[0].text("address"))
		}
	}
}
