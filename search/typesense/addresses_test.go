package typesense_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/typesense"
)

// TestDeadAddressesArePassedBy checks that addresses that refuse connections or never answer cost little time.
func TestDeadAddressesArePassedBy(t *testing.T) {
	t.Parallel()
	server := testservers.Typesense(t)
	gone := testservers.NewLink(t, server.Addr)
	gone.Sever()
	silent := testservers.NewLink(t, server.Addr)
	silent.Hang()
	index, err := typesense.Open(t.Context(), typesense.Options{
		Addresses: []string{"http://" + gone.Addr, "http://" + silent.Addr, server.URL}, Key: server.Key, Namespace: "dead",
	})
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	s := testIndex{t, index}
	eventually(t, "the living address", func() bool { _, err := index.Position(t.Context()); return err == nil })
	s.apply(search.Batch{Put: videos(1, 10), Position: 1})
	s.stands(1, 10)
	s.finds("number4", 1)
}

// TestAServerThatComesLater checks that an index can be opened while no server answers, and works once one does.
func TestAServerThatComesLater(t *testing.T) {
	t.Parallel() // The test waits most of the time.
	server := testservers.Typesense(t)
	server.Stop()
	s := testIndex{t, openOn(t, server, "later")}
	if _, err := s.index.Position(t.Context()); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if _, err := s.total(""); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("got %v", err)
	}
	if !s.index.LeftAlone() {
		t.Error("it is said to be asked")
	}
	server.Start()
	eventually(t, "the server", func() bool { _, err := s.index.Position(t.Context()); return err == nil })
	s.stands(0, 0)
	s.apply(search.Batch{Put: videos(1, 3), Position: 3})
	s.stands(3, 3)
}

func TestCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	fake := func(answer http.HandlerFunc) string {
		server := httptest.NewServer(answer)
		t.Cleanup(server.Close)
		return server.URL
	}
	const secret = "a-very-secret-key"
	version := func(text string) string {
		return fake(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/debug" {
				fmt.Fprintf(w, `{"state": 1, "version": %q}`, text)
				return
			}
			fmt.Fprint(w, `{"aliases": [], "results": []}`)
		})
	}
	living := testservers.SharedTypesense(t)
	tests := map[string]struct{ address, key, version, problem string }{
		"fine":       {living.URL, living.Key, "0.24.1", ""},
		"away":       {"http://127.0.0.1:1", secret, "", "does not answer"},
		"wrong key":  {living.URL, secret, "", "refuses the key"},
		"forbidden":  {fake(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(403) }), secret, "", "refuses the key"},
		"too old":    {version("0.23.1"), secret, "0.23.1", "too old"},
		"new":        {version("29.0"), secret, "29.0", ""},
		"candidate":  {version("30.0.rc12"), secret, "30.0.rc12", ""},
		"unreadable": {version("nightly"), secret, "nightly", ""},
		"no Typesense": {fake(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(404)
			fmt.Fprint(w, "<html>")
		}), secret, "", "is not a Typesense server"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			limited, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			index, err := typesense.Open(limited, typesense.Options{
				Addresses: []string{test.address}, Key: test.key, Namespace: living.Prefix,
				Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			if err != nil {
				t.Fatal(err)
			}
			got, err := index.Check(limited)
			switch {
			case got != test.version:
				t.Errorf("version %q, want %q", got, test.version)
			case test.problem == "" && err != nil, test.problem != "" && (err == nil || !strings.Contains(err.Error(), test.problem)):
				t.Errorf("got %v, want %q", err, test.problem)
			case err != nil && fault.CodeOf(err) != fault.Unavailable:
				t.Errorf("code %s", fault.CodeOf(err))
			}
			applied := index.Apply(limited, search.Batch{Position: 1})
			if err := index.Close(); err != nil {
				t.Error(err)
			}
			if all := fmt.Sprint(err, applied, log.String()); strings.Contains(all, test.key) {
				t.Errorf("the key is in %s", all)
			}
		})
	}
	remove(t, living, living.Prefix)
}

func TestOptionsAreChecked(t *testing.T) {
	for name, options := range map[string]typesense.Options{
		"no namespace":  {Addresses: []string{"http://h:1"}},
		"bad namespace": {Addresses: []string{"http://h:1"}, Namespace: "Namespace/"},
		"long":          {Addresses: []string{"http://h:1"}, Namespace: strings.Repeat("n", 65)},
		"no address":    {Namespace: "n"},
	} {
		if _, err := typesense.Open(t.Context(), options); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
