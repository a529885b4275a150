package export_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/export"
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
		if _, err := export.NewEvents(io.Discard, test.format, test.options); catalogue.CodeOf(err) != catalogue.Invalid {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	if err := export.Statements(io.Discard, export.XAPI, nil); catalogue.CodeOf(err) != catalogue.Invalid {
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
	const batches, size = 90, 4000
	for _, format := range []export.Format{export.JSONL, export.Parquet, export.XAPI, export.Caliper} {
		t.Run(string(format), func(t *testing.T) {
			to, err := export.NewEvents(io.Discard, format, options)
			if err != nil {
				t.Fatal(err)
			}
			var held []uint64
			n := 0
			for events := range plays(batches, size) {
				if _, err := to.Write(events); err != nil {
					t.Fatal(err)
				}
				if n++; n%(batches/3) == 0 { // the row groups of Parquet end about here
					var stats runtime.MemStats
					runtime.GC()
					runtime.ReadMemStats(&stats)
					held = append(held, stats.HeapAlloc)
				}
			}
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
			const more = 8 << 20
			if held[2] > held[0]+more {
				t.Errorf("after a third, two thirds and all it holds %d bytes", held)
			}
		})
	}
}
