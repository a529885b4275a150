//go:build system

package typesense_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// applyAll applies batches of ten videos in order. It repeats each batch until the index accepts it, as the follower of
// the log does. It returns the number of refusals.
func (s testIndex) applyAll(batches int, done *atomic.Int64) (refused int) {
	for n := 1; n <= batches; n++ {
		batch := search.Batch{Put: videos(10*n-9, 10*n), Position: int64(n)}
		for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
			err := s.index.Apply(s.t.Context(), batch)
			if err == nil {
				break
			}
			refused++
			if fault.CodeOf(err) != fault.Unavailable || time.Now().After(end) {
				s.t.Errorf("batch %d: %v", n, err)
				return refused
			}
		}
		done.Store(int64(n))
	}
	return refused
}

// TestNothingIsLostWhenTheServerIsKilled checks that a server which is killed and restarted during writes loses none of
// them.
func TestNothingIsLostWhenTheServerIsKilled(t *testing.T) {
	t.Parallel() // The test waits most of the time.
	const batches = 60
	server := testservers.Typesense(t)
	s := testIndex{t, openOn(t, server, "killed")}
	var done atomic.Int64
	finished := make(chan int)
	go func() { finished <- s.applyAll(batches, &done) }()
	for _, at := range []int64{batches / 4, batches / 2} {
		eventually(t, fmt.Sprint("batch ", at), func() bool { return done.Load() >= at })
		server.Kill()
		time.Sleep(300 * time.Millisecond)
		server.Start()
	}
	t.Logf("%d batches were refused and came again", <-finished)
	s.stands(batches, 10*batches)
	s.finds("", 10*batches)
	s.finds(fmt.Sprint("number", 10*batches), 1)
}

// TestNothingIsLostWhenTheLeaderIsKilled checks that a cluster whose leader is killed during writes loses none of them,
// and that searches continue.
func TestNothingIsLostWhenTheLeaderIsKilled(t *testing.T) {
	t.Parallel() // The test waits most of the time.
	const batches = 24
	server := testservers.Typesense(t, testservers.Nodes(3))
	s := testIndex{t, openOn(t, server, "cluster")}
	var done atomic.Int64
	finished := make(chan int)
	go func() { finished <- s.applyAll(batches, &done) }()
	eventually(t, "half of the batches", func() bool { return done.Load() >= batches/2 })
	leader := leaderOf(t, server)
	leader.Kill()
	killed := time.Now()
	searched, failed := 0, 0
	var refused int
	why := map[string]int{}
	for waiting := true; waiting; {
		select {
		case refused = <-finished:
			waiting = false
		case <-time.After(20 * time.Millisecond):
			searched++
			if _, err := s.total("number3"); err != nil && anyAnswers(server, leader) {
				failed++
				why[err.Error()]++
			}
		}
	}
	took := time.Since(killed)
	t.Logf("the writes ended %v after the leader was killed, %d refused; %d of %d searches failed: %v", took, refused, failed, searched, why)
	// The index does not trust nodes that lack the last writes, and these cannot catch up without a leader.
	if failed -= why[loading]; failed > searched/4 {
		t.Errorf("%d of %d searches failed while there was no leader, but a node that answers: %v", failed, searched, why)
	}
	s.stands(batches, 10*batches)
	s.finds("", 10*batches)
	leader.Start()
	for i, node := range server.Nodes {
		raw := rawServer{t, node.URL, node.Key}
		eventually(t, fmt.Sprintf("all documents on node %d", i), func() bool {
			var info struct {
				Documents int `json:"num_documents"`
			}
			raw.ask(http.MethodGet, "/collections/"+s.index.Generation(), "", &info)
			return info.Documents == 10*batches
		})
	}
}

// loading is the error of a search while the nodes lack documents that they should have.
const loading = "the search engine is loading its documents"

// anyAnswers reports whether a node other than the killed leader answers. On a busy machine all nodes may refuse
// requests until they have elected a new leader.
func anyAnswers(server, killed *testservers.Server) bool {
	for _, node := range server.Nodes {
		if node == killed {
			continue
		}
		if response, err := http.Get(node.URL + "/health"); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return true
			}
		}
	}
	return false
}

func leaderOf(t *testing.T, server *testservers.Server) *testservers.Server {
	t.Helper()
	for _, node := range server.Nodes {
		var debug struct{ State int }
		rawServer{t, node.URL, node.Key}.ask(http.MethodGet, "/debug", "", &debug)
		if debug.State == 1 {
			return node
		}
	}
	t.Fatal("no leader")
	return nil
}

// TestNothingIsMissingWhileDocumentsLoad checks that no search sees a partly loaded server. After a kill, Typesense
// answers before its documents are loaded. Neither an index that stayed open nor an index that is opened meanwhile may
// show partial results.
func TestNothingIsMissingWhileDocumentsLoad(t *testing.T) {
	t.Parallel()
	const documents = 30_000
	server := testservers.Typesense(t)
	before := openOn(t, server, "loading")
	if err := before.Rebuild(t.Context(), 7, sequence(videos(1, documents))); err != nil {
		t.Fatal(err)
	}
	server.Kill()
	if position, err := before.Position(t.Context()); err != nil || position != 7 {
		t.Errorf("while the server is away: position %d (%v), want the last known one", position, err)
	}
	if _, err := search1(t, before); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("while the server is away: %v, want that it is unavailable", err)
	}
	server.Start()
	started := time.Now()
	after := openOn(t, server, "loading")

	refused := 0
	for whole := 0; whole < 20 && time.Since(started) < time.Minute; time.Sleep(5 * time.Millisecond) {
		answered := 0
		for name, index := range map[string]*typesense.Index{"open before": before, "opened after": after} {
			position, err := index.Position(t.Context())
			if err == nil && position != 7 {
				t.Fatalf("%v after the start, %s: position %d", time.Since(started), name, position)
			}
			found, err := search1(t, index)
			switch {
			case err != nil && fault.CodeOf(err) == fault.Unavailable:
				refused++
			case err != nil || found != documents:
				t.Fatalf("%v after the start, %s: %d of %d found (%v)", time.Since(started), name, found, documents, err)
			default:
				answered++
			}
		}
		if answered == 2 {
			whole++
		}
	}
	t.Logf("refused %d searches in %v", refused, time.Since(started))
	if _, err := search1(t, before); err != nil {
		t.Error(err)
	}
	if _, err := search1(t, after); err != nil {
		t.Error(err)
	}
}
