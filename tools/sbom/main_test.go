package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

const lockFile = `{"lockfileVersion": 3, "packages": {
	"": {"name": "page"},
	"node_modules/@scope/one": {"version": "1.0.0", "license": "MIT"},
	"node_modules/two/node_modules/@scope/one": {"version": "1.0.0", "license": "MIT"},
	"node_modules/two": {"version": "2.0.0-rc+1"},
	"node_modules/builder": {"version": "3.0.0", "dev": true}
}}`

// TestBill writes the bill of the test's own binary twice, and verifies its contents.
func TestBill(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob("../../web/*/package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(t.TempDir(), "package-lock.json")
	if err := os.WriteFile(lock, []byte(lockFile), 0o600); err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run(out, append([]string{binary, lock}, locks...)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two bills of one binary differ")
	}
	var written cdx.BOM
	if err := cdx.NewBOMDecoder(&first, cdx.BOMFileFormatJSON).Decode(&written); err != nil {
		t.Fatal(err)
	}
	if written.SpecVersion != cdx.SpecVersion1_6 || written.SerialNumber != "" || written.Metadata.Timestamp != "" {
		t.Errorf("the bill has version %v, serial number %q and timestamp %q", written.SpecVersion, written.SerialNumber, written.Metadata.Timestamp)
	}
	for _, name := range []string{"std", "github.com/CycloneDX/cyclonedx-gomod", "graphiql", "@scalar/api-reference", "hls.js"} {
		if !slices.ContainsFunc(*written.Components, func(c cdx.Component) bool { return c.Name == name }) {
			t.Errorf("the bill does not list %s", name)
		}
	}
	for url, want := range map[string]int{"pkg:npm/%40scope/one@1.0.0": 1, "pkg:npm/two@2.0.0-rc%2B1": 1, "pkg:npm/builder@3.0.0": 0} {
		found := slices.DeleteFunc(slices.Clone(*written.Components), func(c cdx.Component) bool { return c.PackageURL != url })
		if len(found) != want {
			t.Errorf("the bill lists %s %d times, want %d", url, len(found), want)
		}
		if url == "pkg:npm/%40scope/one@1.0.0" && (len(found) != 1 || found[0].Licenses == nil || (*found[0].Licenses)[0].Expression != "MIT") {
			t.Errorf("%+v does not have the license of the lock file", found)
		}
	}
}

// TestUnusableInputs verifies that unusable lock files and files that are not Go binaries are errors.
func TestUnusableInputs(t *testing.T) {
	for _, lock := range []string{"", "{}", `{"lockfileVersion": 1, "dependencies": {}}`} {
		if list, err := npmPackages([]byte(lock)); err == nil {
			t.Errorf("%q yields %v", lock, list)
		}
	}
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no binary"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(&bytes.Buffer{}, []string{text, "main.go"}); err == nil {
		t.Error("a text file has a bill")
	}
}
