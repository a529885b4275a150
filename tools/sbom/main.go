// Sbom writes the bill of materials of a Filmstrip binary to standard output, as CycloneDX 1.6 in
// JSON: the Go modules that the linker put into the file, by what the file itself says, and the npm
// packages of the pages and scripts that are embedded in it.
//
//	go run ./tools/sbom FILE web/*/package-lock.json
//
// It holds neither a time nor a random number: the same binary has the same bill. Licences are named
// where the lock file names them; a binary says nothing of the licences of its modules.
package main

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, files []string) error {
	if len(files) < 2 {
		return errors.New("wanted: a binary and the package-lock.json of each page or script in it")
	}
	info, err := buildinfo.ReadFile(files[0])
	if err != nil {
		return err
	}
	var packages []component
	for _, lock := range files[1:] {
		text, err := os.ReadFile(lock)
		if err != nil {
			return err
		}
		list, err := npmPackages(text)
		if err != nil {
			return fmt.Errorf("%s: %w", lock, err)
		}
		packages = append(packages, list...)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(billOf(info, packages))
}

// bill is the part of CycloneDX 1.6 that is written.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Ref        string     `json:"bom-ref"`
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Licenses   []license  `json:"licenses,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type license struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// billOf lists what a binary was built of, each thing once, in the order of their addresses.
func billOf(info *buildinfo.BuildInfo, packages []component) bill {
	program := module(&info.Main)
	program.Type = "application"
	for _, setting := range info.Settings {
		switch setting.Key {
		case "GOOS", "GOARCH", "vcs.revision":
			program.Properties = append(program.Properties, property{"go:build:" + setting.Key, setting.Value})
		}
	}
	components := slices.Clone(packages)
	components = append(components, newComponent("golang", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, dependency := range info.Deps {
		components = append(components, module(dependency))
	}
	slices.SortFunc(components, func(a, b component) int { return cmp.Compare(a.Ref, b.Ref) })
	components = slices.CompactFunc(components, func(a, b component) bool { return a.Ref == b.Ref })
	return bill{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{program}, Components: components}
}

// module is what was linked: the replacement, where a module was replaced.
func module(m *debug.Module) component {
	for m.Replace != nil {
		m = m.Replace
	}
	c := newComponent("golang", m.Path, m.Version)
	if m.Sum != "" {
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// npmPackages are the packages of a lock file that go into the page, not those that only build it.
func npmPackages(lock []byte) ([]component, error) {
	var file struct {
		Version  int `json:"lockfileVersion"`
		Packages map[string]struct {
			Version     string `json:"version"`
			License     string `json:"license"`
			Dev         bool   `json:"dev"`
			DevOptional bool   `json:"devOptional"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(lock, &file); err != nil {
		return nil, err
	}
	if file.Version < 2 || len(file.Packages) == 0 {
		return nil, fmt.Errorf("a lock file of version %d lists no packages", file.Version)
	}
	var list []component
	for folder, entry := range file.Packages {
		if folder == "" || entry.Dev || entry.DevOptional {
			continue
		}
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		one := newComponent("npm", name, entry.Version)
		if entry.License != "" {
			one.Licenses = []license{{entry.License}}
		}
		list = append(list, one)
	}
	return list, nil
}

// newComponent is a library under its package address (purl), in which @ and + are separators.
func newComponent(kind, name, version string) component {
	escape := strings.NewReplacer("@", "%40", "+", "%2B").Replace
	address := "pkg:" + kind + "/" + escape(name) + "@" + escape(version)
	return component{Ref: address, Type: "library", Name: name, Version: version, PURL: address}
}
