package typesense_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// warning is that of the videos that careful hides.
const warning = catalogue.ID("aaaaaaaaaaaaaaaaaaaaaaaa")

// careful is an access whose rules are dear: one rule hides what has the warning, the others hide nothing.
// Those of different numbers let the same through by other rules.
func careful(t *testing.T, number int) catalogue.Access {
	t.Helper()
	return compiled(t,
		catalogue.AccessRule{Type: catalogue.ExcludedContentWarnings, Values: []string{string(warning)}},
		catalogue.AccessRule{Type: catalogue.IncludedVideoTypes, Values: []string{string(catalogue.Instructional)}},
		catalogue.AccessRule{Type: catalogue.ExcludedVideos, Values: []string{string(id(1_000_000 + number))}})
}

func compiled(t *testing.T, rules ...catalogue.AccessRule) catalogue.Access {
	t.Helper()
	access, err := catalogue.CompileRules(rules)
	if err != nil {
		t.Fatal(err)
	}
	return access
}

// warned is a video that careful hides.
func warned(n int, version int64) search.Document {
	d := video(n, version)
	d.Warnings = []catalogue.ID{warning}
	return d
}

// mixed are videos of which every third is warned.
func mixed(from, to int) []search.Document {
	all := videos(from, to)
	for i := range all {
		if (from+i)%3 == 0 {
			all[i] = warned(from+i, int64(from+i))
		}
	}
	return all
}

// arrange does all there is to do.
func (s shelf) arrange() {
	s.t.Helper()
	for range 1000 {
		more, err := s.index.Arrange(s.t.Context())
		if err != nil {
			s.t.Fatalf("arrange: %v", err)
		}
		if !more {
			return
		}
	}
	s.t.Fatal("there is no end to arranging")
}

// shows checks which videos are found by an access.
func (s shelf) shows(access catalogue.Access, want ...int) {
	s.t.Helper()
	result, err := s.index.Search(s.t.Context(), search.Query{Access: access, Today: 20_000, Size: 250})
	if err != nil {
		s.t.Fatal(err)
	}
	var got []int
	for _, ref := range result.Refs {
		n := 0
		if _, err := fmt.Sscanf(string(ref.ID), "%x", &n); err != nil {
			s.t.Fatal(err)
		}
		got = append(got, n)
	}
	slices.Sort(got)
	if !slices.Equal(got, want) || result.Total != len(want) {
		s.t.Errorf("finds %v, total %d, want %v", got, result.Total, want)
	}
}

// goesByPass checks whether it does.
func (s shelf) goesByPass(access catalogue.Access, want bool) {
	s.t.Helper()
	if got := s.index.GoesByPass(access); got != want {
		s.t.Errorf("goes by a pass: %t, want %t: %s", got, want, s.index.Passes())
	}
}

// passesOf are those of an index, as its state holds them.
func passesOf(t *testing.T, index *typesense.Index) (passes []struct {
	Slot     int
	Number   int64
	Access   string
	Complete bool
}) {
	t.Helper()
	if record := index.Passes(); record != "" {
		if err := json.Unmarshal([]byte(record), &passes); err != nil {
			t.Fatal(err)
		}
	}
	return passes
}

// Dear accesses are given passes, others are not; what is written then bears them from the start, and what
// is asked by others goes by the rules.
func TestPasses(t *testing.T) {
	server := testservers.SharedTypesense(t)
	s := shelf{t, openOn(t, server, server.Prefix)}
	s.rebuild(9, mixed(1, 9))
	dear, cheap := careful(t, 1), compiled(t,
		catalogue.AccessRule{Type: catalogue.ExcludedContentWarnings, Values: []string{string(warning)}})
	s.shows(dear, 1, 2, 4, 5, 7, 8)
	s.goesByPass(dear, false)

	s.index.Prepare([]catalogue.Access{dear, cheap, {}, {PrivateChannels: true}, dear})
	s.arrange()
	s.goesByPass(dear, true)
	if passes := passesOf(t, s.index); len(passes) != 1 {
		t.Errorf("passes %+v", passes)
	}
	if !s.index.Arranged() {
		t.Error("not arranged")
	}
	s.shows(dear, 1, 2, 4, 5, 7, 8)
	s.shows(cheap, 1, 2, 4, 5, 7, 8)

	private := video(5, 13)
	private.Private = true
	s.apply(search.Batch{Put: []search.Document{warned(1, 10), video(3, 11), video(12, 12), private}, Delete: []catalogue.ID{id(2)}, Position: 13})
	s.goesByPass(dear, true)
	s.shows(dear, 3, 4, 7, 8, 12)

	s.rebuild(20, mixed(1, 9))
	s.goesByPass(dear, true)
	s.shows(dear, 1, 2, 4, 5, 7, 8)

	again := shelf{t, openOn(t, server, server.Prefix)}
	again.goesByPass(dear, true)
	again.shows(dear, 1, 2, 4, 5, 7, 8)
}

// The last day of a video counts by itself, whatever passes it bears.
func TestPassesOfVideosThatEnd(t *testing.T) {
	server := testservers.SharedTypesense(t)
	s := shelf{t, openOn(t, server, server.Prefix)}
	documents := videos(1, 4)
	for i, last := range []catalogue.Date{19_999, 20_000, 20_001} {
		documents[i].AvailableUntil = &last
	}
	s.rebuild(4, documents)
	s.index.Prepare([]catalogue.Access{careful(t, 1)})
	s.arrange()
	s.goesByPass(careful(t, 1), true)
	s.shows(careful(t, 1), 2, 3, 4)
}

// A package that has changed counts at once, by its rules, and its pass follows; the old one is given up.
func TestAChangedPackage(t *testing.T) {
	server := testservers.SharedTypesense(t)
	var elapsed atomic.Int64
	s := shelf{t, openAt(t, server, server.Prefix, func() time.Time { return time.Now().Add(time.Duration(elapsed.Load())) })}
	s.rebuild(9, mixed(1, 9))
	numbers, slots := map[int64]bool{}, map[int]bool{}
	const changes = 80
	for change := range changes {
		access := careful(t, change)
		s.goesByPass(access, false)
		s.index.Prepare([]catalogue.Access{access})
		s.arrange()
		s.goesByPass(access, true)
		if change%10 == 0 {
			s.shows(access, 1, 2, 4, 5, 7, 8)
			s.shows(careful(t, change-1), 1, 2, 4, 5, 7, 8)
		}
		if change > 0 {
			s.goesByPass(careful(t, change-1), false)
		}
		for _, p := range passesOf(t, s.index) {
			if p.Access == access.Fingerprint() {
				numbers[p.Number], slots[p.Slot] = true, true
			}
		}
		elapsed.Add(int64(5 * time.Second))
	}
	if len(numbers) != changes || len(slots) > 20 {
		t.Errorf("%d numbers in %d slots for %d changes", len(numbers), len(slots), changes)
	}
	s.index.Prepare(nil)
	s.arrange()
	s.goesByPass(careful(t, changes-1), false)
}

// Where more packages change than there are slots for, the others go by their rules until slots are free.
func TestPassesRunOut(t *testing.T) {
	server := testservers.SharedTypesense(t)
	var elapsed atomic.Int64
	s := shelf{t, openAt(t, server, server.Prefix, func() time.Time { return time.Now().Add(time.Duration(elapsed.Load())) })}
	s.rebuild(9, mixed(1, 9))
	batch := func(n int) (accesses []catalogue.Access, byPass int) {
		for i := range 60 {
			accesses = append(accesses, careful(t, 100*n+i))
		}
		s.index.Prepare(accesses)
		s.arrange()
		for _, access := range accesses {
			if s.index.GoesByPass(access) {
				byPass++
			}
		}
		s.shows(accesses[0], 1, 2, 4, 5, 7, 8)
		return accesses, byPass
	}
	if _, n := batch(0); n != 48 {
		t.Errorf("%d of the first go by a pass", n)
	}
	accesses, n := batch(1)
	if n != 16 {
		t.Errorf("%d of those that come too soon go by a pass", n)
	}
	elapsed.Store(int64(2 * time.Minute))
	s.arrange()
	n = 0
	for _, access := range accesses {
		if s.index.GoesByPass(access) {
			n++
		}
	}
	if n != 48 {
		t.Errorf("%d of the second go by a pass in the end", n)
	}
}

// While passes are being given, documents change, come and go, more than are read at a time.
func TestPassesAreGivenWhileDocumentsChange(t *testing.T) {
	server := testservers.SharedTypesense(t)
	s, other := shelf{t, openOn(t, server, server.Prefix)}, shelf{t, openOn(t, server, server.Prefix)}
	const all = 4 * typesense.IssuedTogether
	s.rebuild(all, mixed(1, all))
	access := careful(t, 1)
	s.index.Prepare([]catalogue.Access{access})
	want := map[int]bool{}
	for n := 1; n <= all; n++ {
		want[n] = n%3 != 0
	}
	position := int64(all)
	for round := 0; !s.index.Arranged(); round++ {
		if _, err := s.index.Arrange(t.Context()); err != nil {
			t.Fatal(err)
		}
		batch := search.Batch{}
		for n := round + 1; n <= all; n += 97 {
			position++
			switch {
			case n%5 == 0:
				batch.Delete, want[n] = append(batch.Delete, id(n)), false
			case n%2 == 0:
				batch.Put, want[n] = append(batch.Put, warned(n, position)), false
			default:
				batch.Put, want[n] = append(batch.Put, video(n, position)), true
			}
		}
		batch.Position = position
		s.apply(batch)
		for _, at := range []shelf{s, other} {
			eventually(t, "the position", func() bool { p, err := at.index.Position(t.Context()); return err == nil && p == position })
			at.counts(access, want)
		}
	}
	eventually(t, "the pass", func() bool { return other.index.GoesByPass(access) })
	other.counts(access, want)
}

// counts checks how many videos are found by an access.
func (s shelf) counts(access catalogue.Access, want map[int]bool) {
	s.t.Helper()
	n := 0
	for _, shown := range want {
		if shown {
			n++
		}
	}
	result, err := s.index.Search(s.t.Context(), search.Query{Access: access, Today: 20_000, Size: 1})
	if err != nil || result.Total != n {
		s.t.Errorf("%+v (%v), want %d", result, err, n)
	}
}
