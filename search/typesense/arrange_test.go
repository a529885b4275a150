package typesense_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
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

// Another process takes over while passes are being given: those are none, whatever arrives of them later,
// and the first process begins anew if it is its turn again.
func TestPassesOfAProcessThatIsReplaced(t *testing.T) {
	server := testservers.SharedTypesense(t)
	first, second := shelf{t, openOn(t, server, server.Prefix)}, shelf{t, openOn(t, server, server.Prefix)}
	const all = 3 * typesense.IssuedTogether
	first.rebuild(all, videos(1, all))
	access := careful(t, 1)
	first.index.Prepare([]catalogue.Access{access})
	for range 3 { // begins, and gives some theirs
		if _, err := first.index.Arrange(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	begun := passesOf(t, first.index)
	if len(begun) != 1 || begun[0].Complete {
		t.Fatalf("passes %+v", begun)
	}

	second.index.Prepare([]catalogue.Access{access})
	second.apply(search.Batch{Put: []search.Document{warned(1, all+1)}, Position: all + 1})
	for _, p := range passesOf(t, second.index) {
		if p.Number == begun[0].Number && p.Access != "" {
			t.Errorf("the second goes on with what the first has begun: %+v", p)
		}
	}
	second.arrange()
	second.goesByPass(access, true)
	// What the first has sent arrives late.
	late := fmt.Sprintf(`{"id":"0%s","pass_%d":%d}`, id(1), begun[0].Slot, begun[0].Number)
	raw := rawServer{t, server.URL, server.Key}
	raw.ask(http.MethodPost, "/collections/"+first.index.Generation()+"/documents/import?action=update", late, nil)
	want := map[int]bool{}
	for n := 2; n <= all; n++ {
		want[n] = true
	}
	for _, s := range []shelf{first, second} {
		eventually(t, "the pass", func() bool { return s.index.GoesByPass(access) })
		s.counts(access, want)
	}

	// The first goes on as if nothing had been.
	third := careful(t, 3)
	first.index.Prepare([]catalogue.Access{access, third})
	first.arrange()
	first.goesByPass(third, true)
	first.counts(third, want)
	first.counts(access, want)
}

// A process that knows no accesses writes: every process goes by the rules from then on, and nothing is
// missing or shown.
func TestAWriterThatKnowsNoAccess(t *testing.T) {
	server := testservers.SharedTypesense(t)
	first, second := shelf{t, openOn(t, server, server.Prefix)}, shelf{t, openOn(t, server, server.Prefix)}
	first.rebuild(9, mixed(1, 9))
	access := careful(t, 1)
	first.index.Prepare([]catalogue.Access{access})
	first.arrange()
	second.apply(search.Batch{Put: []search.Document{warned(1, 10), video(3, 11)}, Position: 11})
	eventually(t, "the position", func() bool { p, err := first.index.Position(t.Context()); return err == nil && p == 11 })
	first.goesByPass(access, false)
	for _, s := range []shelf{first, second} {
		s.shows(access, 2, 3, 4, 5, 7, 8)
	}
	first.arrange()
	first.goesByPass(access, true)
	first.shows(access, 2, 3, 4, 5, 7, 8)
}

// A request that gives passes and is not answered is not sent again: it may arrive when a document has
// become another. Its passes are none, and new ones are given.
func TestPassesThatMayArriveLater(t *testing.T) {
	server := testservers.SharedTypesense(t)
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	var swallow atomic.Bool
	var swallowed atomic.Pointer[[]byte]
	var updates atomic.Int64
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if r.URL.Query().Get("action") == "update" && strings.Contains(string(body), "pass_") {
			updates.Add(1)
			if swallow.Load() {
				swallowed.Store(&body)
				panic(http.ErrAbortHandler)
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	t.Cleanup(func() { remove(t, server, server.Prefix) })
	s := shelf{t, openedAt(t, server, server.Prefix, front.URL, front.URL)}
	s.rebuild(9, videos(1, 9))
	access := careful(t, 1)
	s.index.Prepare([]catalogue.Access{access})
	swallow.Store(true)
	for {
		more, err := s.index.Arrange(t.Context())
		if err != nil {
			break
		}
		if !more {
			t.Fatal("nothing was swallowed")
		}
	}
	swallow.Store(false)
	if n := updates.Load(); n != 1 {
		t.Errorf("sent %d times", n)
	}
	s.goesByPass(access, false)
	s.arrange()
	s.goesByPass(access, true)
	s.apply(search.Batch{Put: []search.Document{warned(1, 10)}, Position: 10})
	raw := rawServer{t, server.URL, server.Key}
	raw.ask(http.MethodPost, "/collections/"+s.index.Generation()+"/documents/import?action=update", string(*swallowed.Load()), nil)
	s.goesByPass(access, true)
	s.shows(access, 2, 3, 4, 5, 6, 7, 8, 9)
}
