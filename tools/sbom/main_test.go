package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"testing"
)

const lockFile = `{"lockfileVersion": 3, "packages": {
	"": {"name": "page"},
	"node_modules/@scope/one": {"version": "1.0.0", "license": "MIT"},
	"node_modules/two/node_modules/@scope/one": {"version": "1.0.0", "license": "MIT"},
	"node_modules/two": {"version": "2.0.0-rc+1"},
	"node_modules/builder": {"version": "3.0.0", "dev": true}
}}`

func TestBill(t *testing.T) {
	packages, err := npmPackages([]byte(lockFile))
	if err != nil {
		t.Fatal(err)
	}
	got := billOf(&buildinfo.BuildInfo{
		GoVersion: "go1.26.1",
		Main:      debug.Module{Path: "example.org/program", Version: "v1.2.3"},
		Deps: []*debug.Module{
			{Path: "example.org/b", Version: "v1.0.0+incompatible", Sum: "h1:b"},
			{Path: "example.org/a", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/fork", Version: "v9.0.0"}},
		},
		Settings: []debug.BuildSetting{{Key: "GOOS", Value: "linux"}, {Key: "-ldflags", Value: "-s"}},
	}, packages)
	var addresses []string
	for _, one := range got.Components {
		addresses = append(addresses, one.PURL)
	}
	want := []string{
		"pkg:golang/example.org/b@v1.0.0%2Bincompatible",
		"pkg:golang/example.org/fork@v9.0.0",
		"pkg:golang/std@1.26.1",
		"pkg:npm/%40scope/one@1.0.0",
		"pkg:npm/two@2.0.0-rc%2B1",
	}
	if !slices.Equal(addresses, want) {
		t.Errorf("the bill lists %q, want %q", addresses, want)
	}
	program := got.Metadata.Component
	if program.PURL != "pkg:golang/example.org/program@v1.2.3" || len(program.Properties) != 1 {
		t.Errorf("the program is %+v", program)
	}
	if one := got.Components[3]; len(one.Licenses) != 1 || one.Licenses[0].Expression != "MIT" {
		t.Errorf("%s has the licences %v", one.Name, one.Licenses)
	}
}

// The test's own binary has modules too, and its bill is the same each time.
func TestBillOfABinary(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob("../../web/*/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run(out, append([]string{binary}, locks...)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two bills of one binary differ")
	}
	var written bill
	if err := json.Unmarshal(first.Bytes(), &written); err != nil {
		t.Fatal(err)
	}
	for _, embedded := range []string{"graphiql", "swagger-ui-dist", "hls.js"} {
		if !slices.ContainsFunc(written.Components, func(c component) bool { return c.Name == embedded }) {
			t.Errorf("the bill does not know %s", embedded)
		}
	}
}

func TestNoBill(t *testing.T) {
	for _, lock := range []string{"", "{}", `{"lockfileVersion": 1, "dependencies": {}}`} {
		if list, err := npmPackages([]byte(lock)); err == nil {
			t.Errorf("%q: %v", lock, list)
		}
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no binary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(&bytes.Buffer{}, []string{text, "main.go"}); err == nil {
		t.Error("a text has a bill")
	}
}
