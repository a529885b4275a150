package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// jsonRuns are runs of every command that prints a result, in an order in which all succeed on the store of a demo. DIR
// is a temporary folder, MONTH the month three months ago, VIDEOS a file of import lines, RULES one of rules.
const jsonRuns = `
version
openapi
generate catalogue --videos 3
generate events --count 5
generate events --count 5 --append --force --account demo STORE
migrate STORE
import VIDEOS --data DIR/imported
reindex STORE
accounts list STORE
accounts create json --tier basic STORE
accounts show json STORE
accounts update json --name JSON STORE
clients create json --account json STORE
clients list STORE
clients show json STORE
clients update json --name JSON STORE
clients add-secret json STORE
clients delete json STORE
users create --account json --username ada --external-id S-1 STORE
users list STORE
users export --account json --external S-1 STORE
users forget --account json --external S-1 STORE
accounts delete json STORE
owner invite you@films.example --account demo-operator STORE
staff list STORE
tiers put json STORE
tiers list STORE
tiers show json STORE
tiers delete json STORE
packages put json --rules RULES STORE
packages list STORE
packages show json STORE
packages delete json STORE
policy not-before STORE
policy clients STORE
policy staff STORE
keys rotate STORE
audit STORE
audit --catalogue STORE
deprecations list STORE
deprecations notices STORE
clock status STORE
clock confirm --reason test STORE
searches --from 2026-01-01 --to 2026-01-31 STORE
events export STORE
events archive --archive DIR/archive STORE
videos list STORE
subjects list STORE
channels list STORE
usage verify STORE
usage voids STORE
usage recount STORE
usage skip-dropped STORE
usage export --account demo --month MONTH STORE
usage seal --month MONTH STORE
usage digests STORE
invoices draft --month MONTH --issuer demo-operator STORE
invoices issue --month MONTH STORE
invoices list STORE
backup DIR/copy STORE
restore DIR/copy --data DIR/restored --no-restore-list
`

// elsewhere are the commands that cannot succeed on a fresh demo, or need what another command printed.
var elsewhere = map[string]string{
	"users remove-second-factor": "needs a user who has one",
	"clients remove-secret":      "needs the id of a secret",
	"users show":                 "needs the id of a user",
	"users update":               "needs the id of a user",
	"users set-password":         "needs the id of a user",
	"users delete":               "needs the id of a user",
	"staff set":                  "needs the id of a user",
	"staff remove":               "needs the id of a user",
	"deprecations set":           "needs a deprecated item",
	"deprecations clear":         "needs a deprecated item",
	"invoices show":              "needs the id of an invoice",
	"invoices export":            "writes PDF, CSV and ZIP files",
	"usage skip-damaged":         "needs a damaged event",
	"usage void":                 "needs counted plays",
	"usage unvoid":               "needs a void",
}

// TestJSONOfEachCommand runs every command with --json on the store of a demo. Each prints one JSON document or JSON
// lines; a command that is missing here fails the test. Commands that print no result refuse --json.
func TestJSONOfEachCommand(t *testing.T) {
	folder := t.TempDir()
	data := filepath.Join(folder, "data")
	server := apptest.Start(t, "--demo", "--data", data)
	server.Stop(os.Interrupt)
	replace := strings.NewReplacer("STORE", "--data "+data, "DIR", folder, "MONTH", time.Now().UTC().AddDate(0, -3, 0).Format("2006-01"),
		"RULES", apptest.WriteFile(t, "rules.json", `[{"type":"IncludedVideoTypes","values":["NEWS"]}]`),
		"VIDEOS", apptest.WriteFile(t, "videos.jsonl", succeed(t, "generate", "--videos", "3")))
	met := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(jsonRuns)) {
		args := append(strings.Fields(replace.Replace(line)), "--json")
		name := args[0]
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			name += " " + args[1]
		}
		met[name], met[args[0]] = true, true
		got := command(t, nil, "", args...)
		if got.Status != 0 {
			t.Errorf("%v: status %d: %s", args, got.Status, got.Err)
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(got.Out))
		for values := 0; ; values++ {
			var value any
			if err := decoder.Decode(&value); err == io.EOF && (values > 0 || mayBeEmpty[name]) {
				break
			} else if err != nil {
				t.Errorf("%v: the output is not JSON: %v: %.200q", args, err, got.Out)
				break
			}
		}
	}
	var all commands
	for _, node := range apptest.Must(kong.New(&all))(t).Model.Leaves(false) {
		name := strings.TrimPrefix(node.FullPath(), node.FullPath()[:strings.IndexByte(node.FullPath(), ' ')+1])
		switch {
		case node.Tag.Has("plain"):
			got := command(t, nil, "", name, "--json")
			var message struct {
				Error  string
				Status int
			}
			if err := json.Unmarshal([]byte(got.Err), &message); err != nil || got.Status != 2 || message.Status != 2 || message.Error == "" {
				t.Errorf("%s --json: status %d: %s", name, got.Status, got.Err)
			}
		case !met[name] && elsewhere[name] == "":
			t.Errorf("%s is not run with --json", name)
		}
	}
}

// mayBeEmpty are the commands that print JSON lines, of which there may be none.
var mayBeEmpty = map[string]bool{"usage digests": true, "events export": true, "users export": true}

// TestJSONExcludesOtherFormats verifies that --json refuses the formats that are not JSON lines, and names the one that is.
func TestJSONExcludesOtherFormats(t *testing.T) {
	data := t.TempDir()
	succeed(t, "import", "--data", data, apptest.WriteFile(t, "lines.jsonl", succeed(t, "generate", "--videos", "1")))
	for _, args := range [][]string{
		{"events", "export", "--format", "parquet"},
		{"usage", "export", "--account", "demo", "--month", "2026-01", "--format", "csv"},
	} {
		got := command(t, nil, "", append(args, "--data", data, "--json")...)
		if got.Status == 0 || got.Out != "" || !strings.Contains(got.Err, "--json excludes --format "+args[len(args)-1]+"; --format jsonl prints JSON lines") {
			t.Errorf("%v: status %d, output %q, message %s", args, got.Status, got.Out, got.Err)
		}
	}
}
