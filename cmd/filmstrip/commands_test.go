package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestHelpOfEachCommand verifies that the help of each command mentions its main flags, and that it describes every
// flag.
func TestHelpOfEachCommand(t *testing.T) {
	for name, mentions := range map[string][]string{
		"":                   {"serve", "import", "generate", "reindex", "migrate", "version", "FILMSTRIP_BASE_URL"},
		"serve":              {"--demo", "--addr", "--base-url", "--data", "--request-timeout"},
		"import":             {"--jq", "--strict", "--prune", "--data", "<file>", "standard input"},
		"generate":           {"generate catalogue", "generate events"},
		"generate catalogue": {"--videos", "--seed", "--transcript-words", "--material", "--schools"},
		"generate events":    {"--count", "--accounts", "--append", "--data", "--from"},
		"events export":      {"--account", "--from", "--kinds", "--format", "--output", "jsonl", "--data"},
		"usage export":       {"--account", "--month", "--format", "csv", "--output"},
		"usage seal":         {"--month", "--force"},
		"usage verify":       {"status 1"},
		"usage void":         {"--event", "--client", "--video", "--from", "--to", "--reason", "--dry-run"},
		"usage voids":        {"--account"},
		"usage unvoid":       {"<id>", "--reason"},
		"users forget":       {"--account", "--id", "--external"},
		"reindex":            {"--data", "--synonyms"},
		"migrate":            {"--data"},
		"version":            {"Print the version"},
	} {
		help := succeed(t, strings.Fields(name+" --help")...)
		for _, text := range append(mentions, "Usage: filmstrip "+name) {
			if !strings.Contains(help, text) {
				t.Errorf("filmstrip %s --help does not mention %q:\n%s", name, text, help)
			}
		}
		for _, line := range strings.Split(help, "\n") {
			indent := len(line) - len(strings.TrimLeft(line, " ")) // a text that goes on in the next line is indented further
			if indent <= 6 && strings.HasPrefix(strings.TrimSpace(line), "--") && len(strings.Fields(line)) < 3 && !strings.Contains(help, line+"\n          ") {
				t.Errorf("filmstrip %s --help says nothing of %s", name, line)
			}
		}
	}
}

// TestVersion verifies that the version names the release and the version of Go.
func TestVersion(t *testing.T) {
	if got := succeed(t, "version"); !strings.HasPrefix(got, "filmstrip v0.1.0") || !strings.Contains(got, "go1.") {
		t.Errorf("the version is %q", got)
	}
}

// TestCustomaryForms verifies that help and --version work as in other programs.
func TestCustomaryForms(t *testing.T) {
	if got := succeed(t, "--version"); got != succeed(t, "version") {
		t.Errorf("--version prints %q", got)
	}
	for _, args := range [][]string{nil, {"usage", "seal"}} {
		if got := succeed(t, append([]string{"help"}, args...)...); got != succeed(t, append(args, "--help")...) || got == "" {
			t.Errorf("help %v prints %q", args, got)
		}
	}
}

// TestOwnFlagsComeFirst verifies that the help of a command shows its own flags before those of the stores.
func TestOwnFlagsComeFirst(t *testing.T) {
	for name, own := range map[string]string{"accounts create": "--tier", "usage seal": "--month", "import": "--jq", "generate events": "--append", "users export": "--external"} {
		help := succeed(t, strings.Fields(name+" --help")...)
		if at := strings.Index(help, own); at < 0 || at > strings.Index(help, "\nStores:\n") || strings.Index(help, "--store") < at {
			t.Errorf("filmstrip %s --help shows %s late:\n%s", name, own, help)
		}
	}
}

// TestCompletionAndManual verifies that a shell can complete commands, and that the manual page contains every command.
func TestCompletionAndManual(t *testing.T) {
	for shell, code := range map[string]string{"bash": "complete -o default", "zsh": "compinit", "fish": "COMP_LINE"} {
		if got := succeed(t, "completion", "-c", shell); !strings.Contains(got, code) {
			t.Errorf("%s is given %q", shell, got)
		}
	}
	ask := exec.Command(apptest.Binary(t))
	ask.Env = append(os.Environ(), "COMP_LINE=filmstrip usage s", "COMP_POINT=17")
	if got := string(apptest.Must(ask.Output())(t)); !strings.Contains(got, "seal\n") || strings.Contains(got, "export") {
		t.Errorf("after \"usage s\", the shell is offered %q", got)
	}
	manual := succeed(t, "man")
	for _, part := range []string{".TH FILMSTRIP 1", "usage seal", "backup", `\-\-tier`} {
		if !strings.Contains(manual, part) && !strings.Contains(strings.ReplaceAll(manual, `\`, ""), strings.ReplaceAll(part, `\`, "")) {
			t.Errorf("the manual page lacks %q", part)
		}
	}
}

// TestWrongUsage verifies that wrong usage ends with status 2 and a line that names the mistake.
func TestWrongUsage(t *testing.T) {
	for args, says := range map[string]string{
		"":                                  "expected",
		"fly":                               "fly",
		"serve --nothing":                   "--nothing",
		"serve --log-level loud":            "log-level",
		"serve --request-timeout soon":      "request-timeout",
		"serve --cache-memory much":         "cache-memory",
		"generate":                          "--videos",
		"generate --videos x":               "videos",
		"import":                            "file",
		"--config nowhere.yml version":      "nowhere.yml",
		"migrate --config=nowhere.yml":      "nowhere.yml",
		"import --strict=perhaps x.jsonl":   "strict",
		"reindex superfluous":               "superfluous",
		"serve --trace-share everything":    "trace-share",
		"serve --access-token-lifetime 20x": "access-token-lifetime",
	} {
		got := command(t, nil, "", strings.Fields(args)...)
		if got.Status != 2 || !strings.Contains(got.Err, says) || !strings.HasPrefix(got.Err, "filmstrip: ") {
			t.Errorf("filmstrip %s: status %d: %s", args, got.Status, got.Err)
		}
	}
}

// TestServeRefusesWhatCannotWork verifies that serve exits with status 1 if its settings cannot work.
func TestServeRefusesWhatCannotWork(t *testing.T) {
	for args, says := range map[string]string{
		"--demo --addr 0.0.0.0:0":                       "loopback",
		"--demo --addr :0":                              "loopback",
		"--addr 127.0.0.1:0 --base-url ftp://x":         "--base-url",
		"--addr nowhere":                                "nowhere",
		"--addr 127.0.0.1:0 --synonyms nowhere.txt":     "nowhere.txt",
		"--addr 127.0.0.1:0 --trusted-proxies 10.0.0.1": "10.0.0.1",
		"--addr 127.0.0.1:0 --access-token-lifetime 2h --refresh-token-lifetime 1h": "refresh tokens",
		// A setting that would have no effect is an error.
		"--addr 127.0.0.1:0 --search-ca ca.pem":                                                      "--search-ca requires --search",
		"--addr 127.0.0.1:0 --search-key k --search typesense+http://127.0.0.1:1 --search-ca ca.pem": "typesense+https://",
		"--addr 127.0.0.1:0 --cache-ca ca.pem":                                                       "--cache-ca requires --cache",
		"--addr 127.0.0.1:0 --cache redis://127.0.0.1:1 --cache-ca ca.pem":                           "rediss://",
		"--addr 127.0.0.1:0 --search-fallback":                                                       "--search-fallback requires --search",
	} {
		got := command(t, nil, "", append([]string{"serve", "--data", t.TempDir()}, strings.Fields(args)...)...)
		if got.Status != 1 || !strings.Contains(got.Err, says) {
			t.Errorf("filmstrip serve %s: status %d: %s", args, got.Status, got.Err)
		}
	}
}

// TestGenerate verifies that the same seed generates the same catalogue and another seed generates another one, and
// that invalid numbers are refused.
func TestGenerate(t *testing.T) {
	first := succeed(t, "generate", "--videos", "50", "--transcript-words", "20")
	if again := succeed(t, "generate", "--videos", "50", "--transcript-words", "20", "--seed", "1"); again != first {
		t.Error("the same seed gives another catalogue")
	}
	if other := succeed(t, "generate", "--videos", "50", "--transcript-words", "20", "--seed", "2"); other == first {
		t.Error("another seed gives the same catalogue")
	}
	if n := strings.Count(first, `"kind":"video"`); n != 50 {
		t.Errorf("there are %d videos", n)
	}
	for _, few := range [][]string{{"--videos", "-1"}, {"--videos", "1", "--schools", "-1"}} {
		if got := command(t, nil, "", append([]string{"generate"}, few...)...); got.Status == 0 {
			t.Errorf("%v are generated", few)
		}
	}
	if more := succeed(t, "generate", "--videos", "50", "--transcript-words", "20", "--material", "--schools", "10"); len(more) <= len(first) || !strings.Contains(more, `"kind":"school"`) || !strings.Contains(more, `"kind":"captions"`) {
		t.Error("nothing comes with material and schools")
	}
}

// TestImportTellsByItsStatus verifies the exit status of import: 0 if every line was imported, 1 if a line was
// rejected, and 2 if the import failed.
func TestImportTellsByItsStatus(t *testing.T) {
	const good = `{"format":1,"kind":"tag","source":"t","ref":"a","label":"Hook"}` + "\n"
	const bad = `{"format":1,"kind":"tag","source":"t","ref":"b","label":7}` + "\n"
	file := func(content string) string { return apptest.WriteFile(t, "lines.jsonl", content) }
	data := t.TempDir()
	for _, test := range []struct {
		name   string
		args   []string
		input  string
		status int
		says   string
	}{
		{"all in", []string{file(good)}, "", 0, "1 lines"},
		{"again", []string{file(good)}, "", 0, "1 lines"},
		{"standard input", []string{"-"}, good, 0, "1 lines"},
		{"one rejected", []string{file(good + bad)}, "", 1, "2 lines"},
		{"strict", []string{"--strict", file(bad + strings.ReplaceAll(good, "Hook", "Never"))}, "", 1, "strict: nothing was written"},
		{"foreign", []string{"--jq", apptest.WriteFile(t, "p.jq", `{format: 1, kind: "tag", source: "t", ref: .name, label: .name}`), file(`{"name":"Explainer"}`)}, "", 0, "1 lines"},
		{"nothing there", []string{filepath.Join(data, "nowhere.jsonl")}, "", 2, ""},
		{"no program", []string{"--jq", filepath.Join(data, "nowhere.jq"), file(good)}, "", 2, ""},
		{"a broken program", []string{"--jq", apptest.WriteFile(t, "p.jq", `{`), file(good)}, "", 2, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := command(t, nil, test.input, append([]string{"import", "--data", data}, test.args...)...)
			if got.Status != test.status || !strings.Contains(got.Out, test.says) {
				t.Errorf("status %d:\n%s%s", got.Status, got.Out, got.Err)
			}
			if test.status == 2 && !strings.HasPrefix(got.Err, "filmstrip: ") {
				t.Errorf("nothing is said about it: %q", got.Err)
			}
		})
	}
	if got := command(t, nil, strings.ReplaceAll(good, "Hook", "Never"), "import", "--data", data, "-"); !strings.Contains(totalLine(got.Out), " 1 ") {
		t.Errorf("the strict run left something behind:\n%s", got.Out)
	}
}

// totalLine returns the line of a summary that counts all kinds.
func totalLine(summary string) string {
	for line := range strings.Lines(summary) {
		if strings.HasPrefix(strings.TrimSpace(line), "total") {
			return strings.Join(strings.Fields(line), " ") + " "
		}
	}
	return ""
}

// TestMigrate verifies that the first run applies migrations and that a second run applies none.
func TestMigrate(t *testing.T) {
	data := filepath.Join(t.TempDir(), "new")
	first := succeed(t, "migrate", "--data", data)
	for _, text := range []string{app.CatalogueFile, app.AccountsFile, "applied now"} {
		if !strings.Contains(first, text) {
			t.Errorf("the first run does not mention %q:\n%s", text, first)
		}
	}
	if again := succeed(t, "migrate", "--data", data); strings.Contains(again, "applied now") || again == "" {
		t.Errorf("the second run prints:\n%s", again)
	}
}

// TestReindexWithoutAServer verifies that reindex builds the index itself if no server runs, and leaves no request
// file.
func TestReindexWithoutAServer(t *testing.T) {
	data := t.TempDir()
	if got := command(t, nil, "", "reindex", "--data", data); got.Status != 1 || !strings.Contains(got.Err, data) {
		t.Errorf("without a catalogue: status %d: %s", got.Status, got.Err)
	}
	lines := apptest.WriteFile(t, "lines.jsonl", succeed(t, "generate", "--videos", "20"))
	succeed(t, "import", "--data", data, lines)
	if got := succeed(t, "reindex", "--data", data); !strings.HasPrefix(got, "20 videos indexed") {
		t.Errorf("it says %q", got)
	}
	if _, err := os.Stat(filepath.Join(data, app.ReindexRequest)); err == nil {
		t.Error("a request is left behind for a server that does not run")
	}
}

// TestReindexOutlivesTheServer verifies that the reindex command builds the index itself if the server ends before it
// has built the index.
func TestReindexOutlivesTheServer(t *testing.T) {
	data := t.TempDir()
	succeed(t, "import", "--data", data, apptest.WriteFile(t, "lines.jsonl", succeed(t, "generate", "--videos", "20")))
	server := flock.New(filepath.Join(data, app.ServerLock))
	if taken, err := server.TryLock(); err != nil || !taken {
		t.Fatal(taken, err)
	}
	go func() {
		for _, err := os.Stat(filepath.Join(data, app.ReindexRequest)); err != nil && t.Context().Err() == nil; _, err = os.Stat(filepath.Join(data, app.ReindexRequest)) {
			time.Sleep(time.Millisecond)
		}
		_ = server.Unlock()
	}()
	if got := succeed(t, "reindex", "--data", data); !strings.Contains(got, "20 videos indexed") {
		t.Errorf("it says %q", got)
	}
}

// TestReindexWithoutTypesense verifies that reindex fails at once without Typesense and does not wait for a lease.
func TestReindexWithoutTypesense(t *testing.T) {
	data := t.TempDir()
	succeed(t, "migrate", "--data", data)
	away := map[string]string{"FILMSTRIP_SEARCH": "typesense+http://127.0.0.1:1", "FILMSTRIP_SEARCH_KEY": "a-secret"}
	if got := command(t, away, "", "reindex", "--data", data); got.Status != 1 || !strings.Contains(got.Err, "--search") || strings.Contains(got.Err, "a-secret") {
		t.Errorf("status %d: %s", got.Status, got.Err)
	}
}

// TestReapplyWithoutACatalogue verifies that a restore in a directory without a catalogue fails and creates none.
// Otherwise, an operator who misspells the directory would believe the restore done.
func TestReapplyWithoutACatalogue(t *testing.T) {
	data := filepath.Join(t.TempDir(), "elsewhere")
	if got := command(t, nil, "", "restore", "--reapply", "--data", data); got.Status != 1 || !strings.Contains(got.Err, data) {
		t.Errorf("status %d: %s", got.Status, got.Err)
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("the directory is there now")
	}
}
