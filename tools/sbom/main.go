// Sbom writes the bill of materials of a Filmstrip binary to standard output, as CycloneDX 1.6 in JSON. The bill lists
// the Go modules that the binary itself names (cyclonedx-gomod reads them) and the npm packages of the pages and
// scripts that the binary embeds.
//
//	sbom FILE web/*/package-lock.json
//
// The same binary always yields the same bill. Licenses appear where the lock file states them; a binary does not state
// the licenses of its modules.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/CycloneDX/cyclonedx-gomod/pkg/generate/bin"
	"github.com/rs/zerolog"
)

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, files []string) error {
	if len(files) < 2 {
		return errors.New("expected a binary and the package-lock.json of each page or script in it")
	}
	generator, err := bin.NewGenerator(files[0], bin.WithIncludeStdlib(true), bin.WithShortPURLS(true), bin.WithLogger(zerolog.Nop()))
	if err != nil {
		return err
	}
	bill, err := generator.Generate()
	if err != nil {
		return err
	}
	for _, lock := range files[1:] {
		text, err := os.ReadFile(lock)
		if err != nil {
			return err
		}
		packages, err := npmPackages(text)
		if err != nil {
			return fmt.Errorf("%s: %w", lock, err)
		}
		*bill.Components = append(*bill.Components, packages...)
	}
	slices.SortFunc(*bill.Components, func(a, b cdx.Component) int { return cmp.Compare(a.PackageURL, b.PackageURL) })
	*bill.Components = slices.CompactFunc(*bill.Components, func(a, b cdx.Component) bool { return a.PackageURL == b.PackageURL })
	return cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bill, cdx.SpecVersion1_6)
}

// npmPackages returns the packages of a lock file that become part of the page, without those that only build it.
func npmPackages(lock []byte) (components []cdx.Component, err error) {
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
	escape := strings.NewReplacer("@", "%40", "+", "%2B").Replace // both are separators in a package URL
	for folder, entry := range file.Packages {
		if folder == "" || entry.Dev || entry.DevOptional {
			continue
		}
		name := folder[strings.LastIndex(folder, "node_modules/")+len("node_modules/"):]
		url := "pkg:npm/" + escape(name) + "@" + escape(entry.Version)
		component := cdx.Component{BOMRef: url, Type: cdx.ComponentTypeLibrary, Name: name, Version: entry.Version, PackageURL: url}
		if entry.License != "" {
			component.Licenses = &cdx.Licenses{{Expression: entry.License}}
		}
		components = append(components, component)
	}
	return components, nil
}
