package typesense_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// TestARebuildRepairs checks that, whatever changes are made to Typesense directly, the index reports that it is empty
// or unavailable instead of giving wrong answers, and that a Rebuild repairs it.
func TestARebuildRepairs(t *testing.T) {
	t.Parallel()
	alias := func(raw rawServer, prefix string) string {
		var all struct {
			Aliases []struct{ Name string }
		}
		raw.ask(http.MethodGet, "/aliases", "", &all)
		for _, a := range all.Aliases {
			if strings.HasPrefix(a.Name, prefix+"-") && !strings.Contains(a.Name, "-mark-") {
				return a.Name
			}
		}
		raw.t.Fatal("no alias")
		return ""
	}
	harm := map[string]func(raw rawServer, prefix, collection string){
		"the collection is deleted": func(raw rawServer, _, collection string) {
			raw.ask(http.MethodDelete, "/collections/"+collection, "", nil)
		},
		"the words are deleted": func(raw rawServer, _, collection string) {
			raw.ask(http.MethodDelete, "/collections/"+collection+"-words", "", nil)
			raw.ask(http.MethodDelete, "/collections/"+collection, "", nil)
		},
		"the states are deleted": func(raw rawServer, prefix, _ string) {
			raw.ask(http.MethodDelete, "/collections/"+prefix+"-state", "", nil)
		},
		"the alias is deleted": func(raw rawServer, prefix, _ string) {
			raw.ask(http.MethodDelete, "/aliases/"+alias(raw, prefix), "", nil)
		},
		"the alias points nowhere": func(raw rawServer, prefix, _ string) {
			raw.ask(http.MethodPut, "/aliases/"+alias(raw, prefix), `{"collection_name": "nowhere"}`, nil)
		},
		"the alias points to something else": func(raw rawServer, prefix, _ string) {
			raw.ask(http.MethodPost, "/collections", `{"name": "`+prefix+`-else", "fields": [{"name": "x", "type": "int32"}]}`, nil)
			raw.ask(http.MethodPut, "/aliases/"+alias(raw, prefix), `{"collection_name": "`+prefix+`-else"}`, nil)
		},
		"a collection hides the alias": func(raw rawServer, prefix, _ string) {
			raw.ask(http.MethodPost, "/collections", `{"name": "`+alias(raw, prefix)+`", "fields": [{"name": "x", "type": "int32"}]}`, nil)
		},
	}
	server := testservers.SharedTypesense(t)
	for name, do := range harm {
		t.Run(name, func(t *testing.T) {
			prefix := server.Prefix + "-" + strings.ReplaceAll(name, " ", "-")
			s := testIndex{t, openOn(t, server, prefix)}
			s.rebuild(5, videos(1, 20))
			do(rawServer{t, server.URL, server.Key}, prefix, s.index.Generation())
			eventually(t, "position 0", func() bool {
				at, err := s.index.Position(t.Context())
				if err == nil && at != 5 && at != 0 || err != nil && fault.CodeOf(err) != fault.Unavailable {
					t.Fatalf("position %d (%v)", at, err)
				}
				return err == nil && at == 0
			})
			s.finds("", 0)
			other := testIndex{t, openOn(t, server, prefix)}
			other.stands(0, 0)
			s.rebuild(6, videos(1, 20))
			s.stands(6, 20)
			s.finds("number7", 1)
			eventually(t, "the rebuilt index", func() bool {
				at, err := other.index.Position(t.Context())
				return err == nil && at == 6
			})
			other.finds("number7", 1)
		})
	}
	t.Run("documents are deleted", func(t *testing.T) {
		prefix := server.Prefix + "-documents"
		s := testIndex{t, openOn(t, server, prefix)}
		s.rebuild(5, videos(1, 20))
		raw := rawServer{t, server.URL, server.Key}
		raw.ask(http.MethodDelete, "/collections/"+s.index.Generation()+"/documents?filter_by=promoted:=false", "", nil)
		eventually(t, "that no more is to come", func() bool { n, err := s.index.Count(t.Context()); return err == nil && n == 0 })
		s.rebuild(6, videos(1, 20))
		s.stands(6, 20)
	})
}

// TestOldBuildsAreSwept checks which old builds a later Rebuild deletes. It keeps an unfinished build for an hour,
// because a process may still be making it, and deletes it after 25 hours as left by a dead process. It deletes the
// index of another release only if nobody has used that index for a week.
func TestOldBuildsAreSwept(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	raw := rawServer{t, server.URL, server.Key}
	base := server.Prefix + "-0123abcd" // Another release would use this name.
	collection := func(name string) string {
		raw.ask(http.MethodPost, "/collections", `{"name": "`+name+`", "fields": [{"name": "x", "type": "int32"}]}`, nil)
		return name
	}
	dead, pointed := collection(base+"-aaaaaaaaaa"), collection(base+"-bbbbbbbbbb")
	collection(pointed + "-words")
	stranger := collection(server.Prefix + "-of-somebody-else")
	raw.ask(http.MethodPut, "/aliases/"+base, `{"collection_name": "`+pointed+`"}`, nil)

	rebuildAt := func(now time.Time) []string {
		t.Helper()
		index := openAt(t, server, server.Prefix, func() time.Time { return now })
		if err := index.Rebuild(t.Context(), 1, sequence(videos(1, 3))); err != nil {
			t.Fatal(err)
		}
		if err := index.Close(); err != nil {
			t.Fatal(err)
		}
		return raw.list("/collections", "name")
	}
	for _, step := range []struct {
		after      time.Duration
		kept, gone []string
	}{
		{time.Hour, []string{dead, pointed, pointed + "-words", stranger}, nil},
		{25 * time.Hour, []string{pointed, pointed + "-words", stranger}, []string{dead}},
		{8 * 24 * time.Hour, []string{stranger}, []string{dead, pointed, pointed + "-words"}},
	} {
		there := map[string]bool{}
		for _, name := range rebuildAt(time.Now().Add(step.after)) {
			there[name] = true
		}
		for _, name := range step.kept {
			if !there[name] {
				t.Errorf("after %v: %s is gone", step.after, name)
			}
		}
		for _, name := range step.gone {
			if there[name] {
				t.Errorf("after %v: %s is still there", step.after, name)
			}
		}
	}
	if status := raw.ask(http.MethodGet, "/aliases/"+base, "", nil); status != http.StatusNotFound {
		t.Errorf("the alias of the other release: status %d", status)
	}
}

// TestAQuietBuildInUseIsKept checks that a build which another release searches is kept, even without writes for a long
// time.
func TestAQuietBuildInUseIsKept(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	raw := rawServer{t, server.URL, server.Key}
	var later atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	open := func(analyzer *analysis.Analyzer) *typesense.Index {
		index, err := typesense.Open(t.Context(), typesense.Options{
			Addresses: []string{server.URL}, Key: server.Key, Namespace: server.Prefix, Analyzer: analyzer, Now: now,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = index.Close() })
		return index
	}
	t.Cleanup(func() { remove(t, server, server.Prefix) })
	synonyms, err := analysis.ParseSynonyms(strings.NewReader("film, movie\n"))
	if err != nil {
		t.Fatal(err)
	}
	quiet, other := open(analysis.New(analysis.Synonyms{})), open(analysis.New(synonyms))
	if err := quiet.Rebuild(t.Context(), 1, sequence(videos(1, 3))); err != nil {
		t.Fatal(err)
	}
	later.Store(int64(8 * 24 * time.Hour))
	state := "/collections/" + server.Prefix + "-state/documents/" + quiet.Generation()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var said struct{ Beat int64 }
		if raw.ask(http.MethodGet, state, "", &said); now().Sub(time.Unix(said.Beat, 0)) < time.Hour {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody says that the build is in use")
		}
	}
	if err := other.Rebuild(t.Context(), 1, sequence(videos(1, 3))); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(raw.list("/collections", "name"), quiet.Generation()) {
		t.Error("the build is gone")
	}
}

// TestAFailedRebuildLeavesNothing checks that a Rebuild that fails leaves nothing behind.
func TestAFailedRebuildLeavesNothing(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	s := testIndex{t, openOn(t, server, server.Prefix)}
	s.rebuild(1, videos(1, 10))
	raw := rawServer{t, server.URL, server.Key}
	before := ours(raw, server.Prefix)
	problem := errors.New("the store is away")
	err := s.index.Rebuild(t.Context(), 2, func(yield func(search.Document, error) bool) {
		for _, d := range videos(11, 900) {
			if !yield(d, nil) {
				return
			}
		}
		yield(search.Document{}, problem)
	})
	if !errors.Is(err, problem) {
		t.Errorf("got %v", err)
	}
	s.stands(1, 10)
	if after := ours(raw, server.Prefix); len(after) != len(before) {
		t.Errorf("%v remain, there were %v", after, before)
	}
}

func ours(raw rawServer, prefix string) []string {
	var names []string
	for _, name := range raw.list("/collections", "name") {
		if strings.HasPrefix(name, prefix+"-") {
			names = append(names, name)
		}
	}
	return names
}

// TestAReplacedBuildGoesInTheEnd checks that a replaced build exists while a search may use it, and is deleted
// afterwards.
func TestAReplacedBuildGoesInTheEnd(t *testing.T) {
	t.Parallel()
	server := testservers.SharedTypesense(t)
	s := testIndex{t, openOn(t, server, server.Prefix)}
	s.index.SetLinger(3 * time.Second) // Even the busiest machine checks for the build sooner.
	s.rebuild(1, videos(1, 10))
	first := s.index.Generation()
	s.rebuild(2, videos(1, 10))
	raw := rawServer{t, server.URL, server.Key}
	if status := raw.ask(http.MethodGet, "/collections/"+first, "", nil); status != 200 {
		t.Errorf("right after the rebuild: status %d", status)
	}
	if err := s.index.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{first, first + "-words"} {
		if status := raw.ask(http.MethodGet, "/collections/"+name, "", nil); status != 404 {
			t.Errorf("%s in the end: status %d", name, status)
		}
	}
}
