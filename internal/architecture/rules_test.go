package architecture

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// rules are what each room may import.
type rules []rule

// rule is one rule of depguard, in one of the two forms that the house uses: lax denies all of the
// module but what allow lists, strict denies everything but that.
type rule struct {
	name   string
	rooms  []string // patterns of package paths below the module's, as path.Match reads them
	strict bool
	allow  []string
	deny   []string
}

// configuration is the part of .golangci.yml that is read.
type configuration struct {
	Linters struct {
		Enable   []string
		Settings struct {
			Depguard struct {
				Rules map[string]struct {
					ListMode string `yaml:"list-mode"`
					Files    []string
					Allow    []string
					Deny     []struct{ Pkg string }
				}
			}
		}
	}
}

// module is the path that every package of the house starts with.
const module = "github.com/filmstrip/filmstrip"

const standardLibrary = "$gostd"

// readRules reads the rules from a configuration of golangci-lint. It refuses rules in a form that it does
// not understand: it would check something else than the linter does.
func readRules(file string) (rules, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseRules(text)
}

func parseRules(text []byte) (rules, error) {
	var c configuration
	if err := yaml.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if !slices.Contains(c.Linters.Enable, "depguard") {
		return nil, fmt.Errorf("architecture: depguard is not enabled")
	}
	var all rules
	for name, written := range c.Linters.Settings.Depguard.Rules {
		r := rule{name: name, strict: written.ListMode == "strict", allow: written.Allow}
		if !r.strict && written.ListMode != "lax" {
			return nil, fmt.Errorf("architecture: rule %s: list-mode %q is neither lax nor strict", name, written.ListMode)
		}
		for _, denied := range written.Deny {
			r.deny = append(r.deny, denied.Pkg)
		}
		if !r.strict && !slices.Contains(r.deny, module) {
			return nil, fmt.Errorf("architecture: rule %s denies nothing of the house", name)
		}
		for _, files := range written.Files {
			room, isRoom := strings.CutPrefix(files, "**/")
			room, ofGo := strings.CutSuffix(room, "/*.go")
			switch {
			case files == "!$test":
			case isRoom && ofGo && !strings.Contains(room, "**"):
				r.rooms = append(r.rooms, room)
			default:
				return nil, fmt.Errorf("architecture: rule %s: files %q are no room (**/ROOM/*.go)", name, files)
			}
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b rule) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// of names the rules that hold for a room, a package path below the module's. depguard looks at the
// end of a path, so that search also stands for a folder x/search.
func (r rules) of(room string) []string {
	var names []string
	for _, one := range r {
		if one.covers(room) {
			names = append(names, one.name)
		}
	}
	return names
}

// refuse says why a room may not import a package, by its full path; "": it may.
func (r rules) refuse(room, imported string) string {
	for _, one := range r {
		if one.covers(room) && !one.allows(imported) {
			return fmt.Sprintf("%s imports %s, which rule %q of .golangci.yml does not allow", room, imported, one.name)
		}
	}
	return ""
}

func (r *rule) covers(room string) bool {
	parts := strings.Split(room, "/")
	for i := range parts {
		for _, pattern := range r.rooms {
			if matched, err := path.Match(pattern, strings.Join(parts[i:], "/")); err == nil && matched {
				return true
			}
		}
	}
	return false
}

// allows decides as depguard does: the longer of two entries that fit goes before the shorter.
func (r *rule) allows(imported string) bool {
	allowed, denied := longest(r.allow, imported), longest(r.deny, imported)
	if r.strict {
		return allowed > denied
	}
	return denied == 0 || allowed > denied
}

// longest is the length of the longest entry that an import fits; 0: it fits none.
func longest(entries []string, imported string) int {
	length := 0
	for _, entry := range entries {
		if fits(entry, imported) {
			length = max(length, len(entry))
		}
	}
	return length
}

func fits(entry, imported string) bool {
	if entry == standardLibrary {
		first, _, _ := strings.Cut(imported, "/")
		return !strings.Contains(first, ".")
	}
	if exact, ok := strings.CutSuffix(entry, "$"); ok {
		return imported == exact
	}
	return strings.HasPrefix(imported, entry)
}
