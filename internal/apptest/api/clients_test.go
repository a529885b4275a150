//go:build system

package api_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// pythonClients is the path at which tools/setup.sh installs openapi-python-client.
var pythonClients = apptest.Path(".tools", "openapi-python-client-0.29.1", "bin")

// generatedClient is a folder of examples/clients, with the commands that generate, check and run its client.
type generatedClient struct {
	folder string
	// check generates the client, and compiles it strictly together with the quickstart.
	check []string
	start string
}

var generatedClients = []generatedClient{
	{"openapi-typescript", []string{"npm run generate", "npm run build"}, "npm start --silent"},
	{"hey-api", []string{"npm run generate", "npm run build"}, "npm start --silent"},
	{"oapi-codegen", []string{"go generate", "go vet ./..."}, "go run ."},
	{
		"python", []string{
			"openapi-python-client generate --url $BASE_URL/openapi.json --output-path generated --meta none --config config.yaml --fail-on-warning",
			"python -m compileall -q quickstart.py generated", "mypy quickstart.py generated",
		}, "python quickstart.py",
	},
}

// TestGeneratedClients verifies that clients which well-known programs generate from the OpenAPI documents of a running
// demo compile, and that their quickstarts print the demo's content and report a playback.
func TestGeneratedClients(t *testing.T) {
	installation := apptest.NewInstallation(t, apptest.Engines{})
	s := installation.Serve(apptest.Unlimited...)
	s.Token = s.Access(demo.Account, demo.Secret)
	want := quickstartOutput(s)
	var skipped atomic.Int32
	t.Run("of", func(t *testing.T) {
		for _, client := range generatedClients {
			t.Run(client.folder, func(t *testing.T) {
				t.Parallel()
				t.Cleanup(func() {
					if t.Skipped() {
						skipped.Add(1)
					}
				})
				client.verify(t, s.Base, want)
			})
		}
	})
	if t.Failed() {
		return
	}
	reported := strings.Count(installation.Filmstrip("events", "export", "--format", "jsonl"), `"pupil-7"`)
	if want := len(generatedClients) - int(skipped.Load()); reported != want {
		t.Errorf("%d playbacks are stored, want %d", reported, want)
	}
}

// quickstartOutput returns the output of each quickstart.
func quickstartOutput(s *apptest.Server) string {
	s.Helper()
	search := s.Index().At("_links", "searchVideos", "href")
	found := s.Document(s.Base + "/v1/videos?query=water&language=eng&duration_max=PT10M&size=3")
	next := s.Document(found.Link("next", nil))
	video := found.Videos()[0]
	var subjects []string
	for _, subject := range s.Document(s.Base+"/v1/subjects").At("_embedded", "subjects").([]any) {
		subjects = append(subjects, subject.(map[string]any)["name"].(string))
	}
	titles := func(page apptest.Document) string {
		var all []string
		for _, video := range page.Videos() {
			all = append(all, video.At("title").(string))
		}
		if len(all) != 3 {
			s.Fatalf("the page has %d videos, want 3", len(all))
		}
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("Search at %s\n%d videos: %s\nPage 2: %s\n%s (%s): #EXTM3U\n12.5 seconds are reported.\nSubjects: %s\n",
		search, found.Total(), titles(found), titles(next), video.At("title"), video.At("playback", "duration"), strings.Join(subjects, ", "))
}

// verify generates and checks the client in a copy of its folder, and compares the output of its quickstart.
func (c generatedClient) verify(t *testing.T, base, want string) {
	t.Helper()
	folder := c.copy(t)
	run := func(command string) (output string) {
		t.Helper()
		program := apptest.Bounded(t, "sh", "-c", command)
		program.Dir = folder
		// Without the name of the folder, the Go command finds the compiled client of an earlier run.
		program.Env = append(os.Environ(), "BASE_URL="+base, "GOFLAGS=-trimpath", "GOWORK=off", "PATH="+pythonClients+string(filepath.ListSeparator)+os.Getenv("PATH"))
		var printed, faults bytes.Buffer
		program.Stdout, program.Stderr = &printed, &faults
		if err := program.Run(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", command, err, printed.String(), faults.String())
		}
		return printed.String()
	}
	for _, command := range c.check {
		run(command)
	}
	if got := run(c.start); got != want {
		t.Errorf("the quickstart prints\n%s\nwant\n%s", got, want)
	}
}

// copy copies the files of the folder to a temporary folder, with a link to its npm packages.
func (c generatedClient) copy(t *testing.T) string {
	t.Helper()
	source, folder := apptest.Path("examples", "clients", c.folder), t.TempDir()
	untested := "the client by " + c.folder
	for _, file := range apptest.Must(os.ReadDir(source))(t) {
		if file.Type().IsRegular() {
			content := apptest.Must(os.ReadFile(filepath.Join(source, file.Name())))(t)
			if err := os.WriteFile(filepath.Join(folder, file.Name()), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	switch program := strings.Fields(c.start)[0]; program {
	case "python":
		if _, err := os.Stat(filepath.Join(pythonClients, "mypy")); err != nil {
			testservers.Missing(t, untested, "tools/setup.sh has not installed openapi-python-client")
		}
	case "npm":
		testservers.Program(t, untested, "npm")
		packages := filepath.Join(source, "node_modules")
		testservers.Node(t, untested, source)
		if err := os.Symlink(packages, filepath.Join(folder, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}
