//go:build system

package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// lintersFolder contains the linters of the OpenAPI document and their configurations.
const lintersFolder = "testdata/linters"

// problem is an error, a warning or a hint of a linter.
type problem struct{ file, rule, message string }

// linter is a program that checks OpenAPI documents.
type linter struct {
	// command lints the files that follow it, and writes JSON to its standard output.
	command []string
	read    func(output []byte) ([]problem, error)
	// planted are the rules that the document of plantMistakes violates, of which the second causes a warning only.
	planted []string
}

var linters = map[string]linter{
	"redocly": {
		[]string{"redocly", "lint", "--config", "redocly.yaml", "--format", "json", "--max-problems", "1000"},
		readRedocly, []string{"operation-operationId-unique", "no-unused-components"},
	},
	"spectral": {
		[]string{"spectral", "lint", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "--fail-on-unmatched-globs", "--format", "json", "--quiet"},
		readSpectral, []string{"operation-operationId-unique", "oas3-unused-component"},
	},
}

func readRedocly(output []byte) (all []problem, err error) {
	for reports := json.NewDecoder(bytes.NewReader(output)); ; { // one report for each file
		var report struct {
			Problems []struct {
				RuleID, Message string
				Location        []struct{ Source struct{ Ref string } }
			}
		}
		if err := reports.Decode(&report); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		for _, one := range report.Problems {
			file := ""
			if len(one.Location) > 0 {
				file = one.Location[0].Source.Ref
			}
			all = append(all, problem{filepath.Base(file), one.RuleID, one.Message})
		}
	}
}

func readSpectral(output []byte) (all []problem, err error) {
	var report []struct{ Source, Code, Message string }
	if err := json.Unmarshal(output, &report); err != nil {
		return nil, err
	}
	for _, one := range report {
		all = append(all, problem{filepath.Base(one.Source), one.Code, one.Message})
	}
	return all, nil
}

// lint runs the linter on files and returns its problems.
func (l linter) lint(t *testing.T, files ...string) []problem {
	t.Helper()
	script := filepath.Join(".bin", l.command[0])
	testservers.Node(t, "the OpenAPI document, by "+l.command[0], lintersFolder, script)
	program := apptest.Must(filepath.Abs(filepath.Join(lintersFolder, "node_modules", script)))(t)
	command := apptest.Bounded(t, program, slices.Concat(l.command[1:], files)...)
	command.Dir = lintersFolder
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var text bytes.Buffer
	command.Stderr = &text
	output, runErr := command.Output() // fails if there are errors
	problems, err := l.read(output)
	if err != nil {
		t.Fatalf("%v: %v\n%s\n%s", runErr, err, output, text.Bytes())
	}
	return problems
}

// TestLintersReportNothing verifies that both OpenAPI documents pass Redocly and Spectral without an error, a warning or
// a hint, so that other programs can read them. The linters must report a third document, with planted mistakes.
func TestLintersReportNothing(t *testing.T) {
	text := apptest.Succeed(t, "openapi")
	folder := t.TempDir()
	var files []string
	for name, content := range map[string]string{
		"openapi.json": text, "openapi-3.0.json": apptest.Succeed(t, "openapi", "--openapi-version", "3.0"), "mistakes.json": plantMistakes(t, text),
	} {
		files = append(files, filepath.Join(folder, name))
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, one := range linters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			planted := map[string]bool{}
			for _, found := range one.lint(t, files...) {
				if planted[found.rule] = true; found.file != "mistakes.json" {
					t.Errorf("%s: %s: %s", found.file, found.rule, found.message)
				}
			}
			for _, rule := range one.planted {
				if !planted[rule] {
					t.Errorf("the planted violation of %s is not reported; the linter reports %v", rule, planted)
				}
			}
		})
	}
}

// plantMistakes returns a document of two operations with the same ID, in which most components are unused.
func plantMistakes(t *testing.T, text string) string {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	paths := document["paths"].(map[string]any)
	list, one := paths["/v1/tags"].(map[string]any), paths["/v1/tags/{id}"].(map[string]any)
	list["get"].(map[string]any)["operationId"] = one["get"].(map[string]any)["operationId"]
	document["paths"] = map[string]any{"/v1/tags": list, "/v1/tags/{id}": one}
	return string(apptest.Must(json.Marshal(document))(t))
}
