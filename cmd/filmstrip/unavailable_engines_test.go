package main

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestEnginesThatCannotBeHad verifies that each command fails at once if an engine is unavailable. The error states the
// reason and never contains a password or a key.
func TestEnginesThatCannotBeHad(t *testing.T) {
	const secret = "s3cret-of-the-test"
	nobody := testservers.FreeAddress(t)
	filled := apptest.ThreeVideos(t, "Title")
	empty := []string{"--data", t.TempDir()}
	store := func(address string) []string { return append(empty, "--store", address) }
	search := func(address string) []string {
		return []string{"--data", filled, "--search", address, "--search-key", secret}
	}
	for name, test := range map[string]struct {
		settings []string
		commands string
		says     string
	}{
		"no PostgreSQL":                {store("postgres://u:" + secret + "@" + nobody + "/d"), "migrate import reindex restore serve", "the database cannot be reached"},
		"no address of PostgreSQL":     {store("postgres://u:" + secret + "%zz@" + nobody + "/d"), "migrate import reindex restore serve", "is not understood"},
		"another database":             {store("mysql://u:" + secret + "@" + nobody + "/d"), "migrate import reindex restore serve", "--store is not an address that starts with postgres://"},
		"no Typesense":                 {search("typesense+http://" + nobody), "reindex", "the search engine does not answer"},
		"another search engine":        {search("http://u:" + secret + "@" + nobody), "reindex serve", "--search does not start with typesense+http://"},
		"a key in Typesense's address": {search("typesense+http://" + nobody + ",u:" + secret + "@" + nobody), "reindex serve", "--search: address 2 is not HOST:PORT"},
		"another cache":                {append(empty, "--cache", "memcached://:"+secret+"@"+nobody), "serve", "--cache: "},
	} {
		for verb := range strings.FieldsSeq(test.commands) {
			arguments := append([]string{verb}, test.settings...)
			switch verb {
			case "import":
				arguments = append(arguments, "-")
			case "restore":
				arguments = append(arguments, "--reapply", "--no-restore-list")
			case "serve":
				arguments = append(arguments, "--addr", "127.0.0.1:0")
			}
			got := command(t, nil, "", arguments...)
			if got.Status == 0 || !strings.Contains(got.Err, test.says) {
				t.Errorf("%s: %s ends with %d: %s", name, verb, got.Status, got.Err)
			}
			if strings.Contains(got.Out+got.Err, secret) {
				t.Errorf("%s: %s shows the secret: %s%s", name, verb, got.Out, got.Err)
			}
		}
	}
}
