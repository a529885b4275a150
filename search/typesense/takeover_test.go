package typesense_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

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
