package export_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
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

// full is a disk that is full after room bytes.
type full struct{ room int }

var errFull = errors.New("no room")

func (f *full) Write(b []byte) (int, error) {
	if f.room -= len(b); f.room < 0 {
		return 0, errFull
	}
	return len(b), nil
}

func TestFileErrorsAreReturned(t *testing.T) {
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

func TestLogErrorsAreReturned(t *testing.T) {
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
		if !errors.Is(err, gone) || sum.Exported != 2 {
			t.Errorf("%s: %+v, %v", format, sum, err)
		}
	}
}

// TestMemoryIsConstant checks that the memory of a writer does not grow with the number of written events.
func TestMemoryIsConstant(t *testing.T) {
	// A Parquet row group ends at 32 MiB of metadata, here with its 21st batch. The test therefore measures at the same
	// points of each group: when the group is nearly full, and when the writer has just emptied it.
	const groups, batches, size = 8, 21, 100
	note := []byte(`{"note":"` + strings.Repeat("x", 16<<10) + `"}`)
	for _, format := range []export.Format{export.JSONL, export.Parquet, export.XAPI, export.Caliper} {
		t.Run(string(format), func(t *testing.T) {
			file := &countingWriter{}
			to, err := export.NewEvents(file, format, options)
			if err != nil {
				t.Fatal(err)
			}
			var full, emptied []int64 // The values are bytes of live heap.
			n := 0
			for events := range plays(groups*batches, size) {
				for i := range events {
					events[i].Metadata = note
				}
				before := file.bytes
				if _, err := to.Write(events); err != nil {
					t.Fatal(err)
				}
				n++
				switch n % batches {
				case batches - 1:
					full = append(full, liveHeap())
				case 0:
					if file.bytes == before {
						t.Fatalf("no row group ended with batch %d", n)
					}
					emptied = append(emptied, liveHeap())
				}
			}
			if err := to.Close(); err != nil {
				t.Fatal(err)
			}
			t.Logf("bytes held with full groups: %d; with empty ones: %d", full, emptied)
			const bound = 32 << 20 // The metadata of all groups is 262 MiB.
			if most := slices.Max(full); most > bound {
				t.Errorf("with a full row group the writer holds %d bytes", most)
			}
			// The footer of the file contains the page index of Parquet, which grows by 35 kB with each of these
			// groups.
			if grown := emptied[groups-1] - emptied[1]; grown > 1<<20 {
				t.Errorf("the writer holds %d bytes more than six row groups before", grown)
			}
		})
	}
}

// countingWriter counts the bytes written to it.
type countingWriter struct{ bytes int64 }

func (w *countingWriter) Write(b []byte) (int, error) {
	w.bytes += int64(len(b))
	return len(b), nil
}

// liveHeap returns the bytes of the heap in use. The first collection moves the contents of every sync.Pool to its
// victim cache and the second frees them, so that pooled buffers do not count.
func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// TestAddressesOfTheirTime checks that exports contain an IP address until it reaches the age limit.
func TestAddressesOfTheirTime(t *testing.T) {
	at := noon.Time()
	for _, test := range []struct {
		kept, age time.Duration
		reported  bool
	}{
		{0, 0, false}, {0, -time.Hour, false}, {-time.Hour, -2 * time.Hour, false},
		{time.Hour, 0, true}, {time.Hour, time.Hour, true}, {time.Hour, time.Hour + time.Millisecond, false},
	} {
		asked := export.Options{Addresses: test.kept, Now: func() time.Time { return at.Add(test.age) }}
		lines, _ := written(t, export.JSONL, asked, one(samples()[:1]))
		table, _ := written(t, export.Parquet, asked, one(samples()[:1]))
		if reported := bytes.Contains(lines, []byte("192.0.2.7")); reported != test.reported {
			t.Errorf("kept for %s, after %s: its line contains it: %t", test.kept, test.age, reported)
		}
		if _, rows := readTable(t, table); rows[0].has("address") != test.reported {
			t.Errorf("kept for %s, after %s: its row has %q", test.kept, test.age, rows[0].text("address"))
		}
	}
}
