// Package architecture holds the rooms of the house to the directions in which they may import one
// another. The directions stand in .golangci.yml, where the linter reads them as well (depguard);
// docs/architecture.md explains them.
package architecture

import (
	"errors"
	"go/build"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..")

func houseRules(t *testing.T) rules {
	t.Helper()
	all, err := readRules(filepath.Join(root, ".golangci.yml"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// free reports whether a room may import everything: the program, which wires the others, and what
// measures them.
func free(room string) bool {
	return strings.HasPrefix(room, "cmd/") || strings.HasPrefix(room, "tools/")
}

// imports lists what each room imports, its tests aside. It reads the files itself, rather than asking
// go list, so that go test knows what its answer depends on and does not repeat an old one.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	rooms := map[string][]string{}
	err := filepath.WalkDir(root, func(folder string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		name := entry.Name()
		if folder != root && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "testdata") {
			return fs.SkipDir
		}
		found, err := build.ImportDir(folder, 0)
		var none *build.NoGoError
		switch {
		case errors.As(err, &none):
			return nil
		case err != nil:
			return err
		}
		if len(found.GoFiles) > 0 { // else it holds tests only, which may import everything
			room, err := filepath.Rel(root, folder)
			rooms[filepath.ToSlash(room)] = found.Imports
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(rooms["rest"]) == 0 {
		t.Fatalf("rest is not among the rooms found: %q", slices.Sorted(maps.Keys(rooms)))
	}
	return rooms
}

func TestRoomsImportWhatTheyMay(t *testing.T) {
	house := houseRules(t)
	for room, imported := range imports(t) {
		for _, one := range imported {
			if refusal := house.refuse(room, one); refusal != "" {
				t.Error(refusal)
			}
		}
	}
}

// Every room has exactly one rule, and every rule a room: a new room needs a decision, and a rule for
// a room that has moved would hold for nothing.
func TestEveryRoomHasARule(t *testing.T) {
	house := houseRules(t)
	used := map[string]bool{}
	for room := range imports(t) {
		names := house.of(room)
		switch {
		case free(room) && len(names) > 0:
			t.Errorf("%s may import everything, and still has rules: %q", room, names)
		case !free(room) && len(names) != 1:
			t.Errorf("%s has the rules %q, not one", room, names)
		}
		for _, name := range names {
			used[name] = true
		}
	}
	for _, one := range house {
		if !used[one.name] {
			t.Errorf("rule %q holds for no room", one.name)
		}
	}
}

// What a rule does not list is refused: each room is given, in turn, an import of every other room.
func TestAPlantedImportIsCaught(t *testing.T) {
	house := houseRules(t)
	rooms := imports(t)
	for room := range rooms {
		if free(room) {
			continue
		}
		for other := range rooms {
			planted := module + "/" + other
			if other == room || slices.ContainsFunc(allowOf(house, room), func(entry string) bool { return entry == planted+"$" }) {
				continue
			}
			if house.refuse(room, planted) == "" {
				t.Errorf("%s could import %s", room, other)
			}
		}
	}
}

func allowOf(house rules, room string) []string {
	var allowed []string
	for _, r := range house {
		if r.covers(room) {
			allowed = append(allowed, r.allow...)
		}
	}
	return allowed
}

// The arrows that the design forbids by name stay forbidden, whatever the rules come to allow.
func TestForbiddenArrows(t *testing.T) {
	house := houseRules(t)
	for _, arrow := range []struct{ from, to string }{
		{"rest", "resolvers"}, {"rest", "search"}, {"rest", "store"}, {"rest", "graph"},
		{"resolvers", "rest"}, {"resolvers", "search/embedded"}, {"resolvers", "store/sqlite"}, {"resolvers", "cache/memory"},
		{"graph", "resolvers"}, {"graph/endpoint", "resolvers"}, {"graph/endpoint", "rest"},
		{"auth", "store"}, {"auth", "store/sqlite"},
		{"store", "cache"}, {"store", "search"}, {"search", "store"}, {"cache", "cache/memory"},
		{"store/sqlite", "search"}, {"search/embedded", "store"}, {"cache/memory", "store"},
		{"catalogue", "account"}, {"catalogue", "catalogue/shown"}, {"catalogue", "graph"}, {"account", "store"},
		{"internal/importer", "store/sqlite"}, {"internal/follow", "search/embedded"}, {"internal/follow", "cache"},
	} {
		if house.refuse(arrow.from, module+"/"+arrow.to) == "" {
			t.Errorf("%s could import %s", arrow.from, arrow.to)
		}
	}
	for _, library := range []struct{ from, to string }{
		{"catalogue", "github.com/99designs/gqlgen/graphql"}, {"account", "golang.org/x/text/unicode/norm"},
		{"resolvers", "net/http"}, {"resolvers", "github.com/gorilla/mux"},
	} {
		if house.refuse(library.from, library.to) == "" {
			t.Errorf("%s could import %s", library.from, library.to)
		}
	}
}

func TestHowRulesAreRead(t *testing.T) {
	read := func(t *testing.T, text string) rules {
		t.Helper()
		parsed, err := parseRules([]byte("linters:\n  enable: [depguard]\n  settings:\n    depguard:\n      rules:\n        r: " + text))
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	lax := read(t, `{list-mode: lax, files: ["**/a/*.go", "!$test"], deny: [{pkg: `+module+`}], allow: [`+module+`/b$, `+module+`/c]}`)
	strict := read(t, `{list-mode: strict, files: ["**/a/*.go"], allow: [$gostd, `+module+`/b$]}`)
	for _, test := range []struct {
		name           string
		rules          rules
		room, imported string
		refused        bool
	}{
		{"an exact path", lax, "a", module + "/b", false},
		{"below an exact path", lax, "a", module + "/b/d", true},
		{"below a path", lax, "a", module + "/c/d", false},
		{"nothing is said of it", lax, "a", module + "/d", true},
		{"a library, lax", lax, "a", "example.org/library", false},
		{"the standard library, lax", lax, "a", "net/http", false},
		{"the room's name at the end of a path", lax, "x/a", module + "/d", true},
		{"below the room", lax, "a/x", module + "/d", false},
		{"another room", lax, "b", module + "/d", false},
		{"an exact path, strict", strict, "a", module + "/b", false},
		{"another of ours, strict", strict, "a", module + "/d", true},
		{"a library, strict", strict, "a", "example.org/library", true},
		{"the standard library, strict", strict, "a", "net/http", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if refusal := test.rules.refuse(test.room, test.imported); (refusal != "") != test.refused {
				t.Errorf("got %q", refusal)
			}
		})
	}
}

func TestRulesThatCannotBeChecked(t *testing.T) {
	const head = "linters:\n  enable: [depguard]\n  settings:\n    depguard:\n      rules:\n        r: "
	for _, test := range []struct{ name, text, want string }{
		{"no YAML", ":\n\t", "yaml"},
		{"depguard is off", "linters: {enable: [errcheck]}", "not enabled"},
		{"another mode", head + `{list-mode: original, files: ["**/a/*.go"]}`, "neither lax nor strict"},
		{"nothing is denied", head + `{list-mode: lax, files: ["**/a/*.go"]}`, "denies nothing"},
		{"whole trees", head + `{list-mode: strict, files: ["**/a/**/*.go"]}`, "are no room"},
		{"tests only", head + `{list-mode: strict, files: ["$test"]}`, "are no room"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := parseRules([]byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	if _, err := readRules(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there was read")
	}
}
