package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

var update = flag.Bool("update", false, "write the golden files anew")

// story is an operator's day. Each line is a command and, after "<", its standard input.
const story = `
accounts list
packages put news --name News --rules -                            <[{"type": "ExcludedVideoTypes", "values": ["NEWS"]}]
packages put news --if-version 1 --name Papers
packages put news --name Papers
packages list
packages show news
packages show nothing
tiers put gold --name Gold --roles VIEW_VIDEOS,VIEW_TAGS --features LEARNING_MATERIAL=true,B=false
tiers put gold --name Silver --roles EVERYTHING
tiers put gold --name Silver
tiers show gold
accounts create school --name School --tier gold --content-package news --products LTI,LIBRARY --access-expires-on 2030-01-01 --origins https://learn.example
accounts create school --name School --tier gold
accounts create other --name Other --tier platinum
accounts create other --tier gold
accounts create house --name House --operator
accounts update school --name "The school" --password-sign-in --requests-per-minute 60 --clear products,accessExpiresOn
accounts update school --identity-providers -                      <[{"alias": "main", "name": "School", "issuer": "https://id.example", "clientId": "filmstrip", "clientSecret": "provider-secret"}]
accounts update school --identity-providers -                      <[{]
accounts update school --access-expires-on soon
accounts update school --clear colour
accounts list
clients create lms --account school --name LMS --redirect-uri https://lms.example/a,b --redirect-uri https://lms.example/c --roles VIEW_VIDEOS
clients create web --account school --public --redirect-uri http://127.0.0.1:8765/callback
clients create lax --account school --public --require-pkce --json
clients create bad --account school --redirect-uri http://example.org/
clients add-secret lms --old-expires-in-days 7
clients add-secret lms
clients remove-secret lms nothing
clients update lms --disabled --clear roles
clients show lms
clients list --account school
clients list --account other
clients delete lax
users create --account school --username ada --external-id S-1 --password                   <correct horse
users create --account school --username ada
users create --account school --username eve --password                                     <short
users list --account school --username ADA
users list --account school --external-id S-2
accounts delete school
staff list
staff set nobody EDITOR
clients create editors --account house --public --staff-role EDITOR --json
clients create web2 --account school --staff-role EDITOR
tiers delete gold
packages delete news
policy not-before
policy not-before 2030-01-01T00:00:00Z
policy not-before 2026-01-01T00:00:00Z
policy not-before clear
policy clients
policy clients --require-pkce --require-secret
policy clients --no-require-secret
policy staff --require-second-factor
users remove-second-factor nobody
users set-password nobody --none
audit
audit --kind tier --first 2
audit --id gold
keys rotate
keys rotate --immediately
`

// TestADayOfAnOperator verifies the output and the error messages of the commands that administer accounts, on both
// stores.
func TestADayOfAnOperator(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			where := apptest.EmptyStore(t, engine)
			var output strings.Builder
			for line := range strings.Lines(strings.TrimSpace(story)) {
				args, read, _ := strings.Cut(strings.TrimRight(line, "\n"), "<")
				got := command(t, nil, read+"\n", append(words(args), where...)...)
				fmt.Fprintf(&output, "$ filmstrip %s\n%s%s\n", strings.TrimSpace(args), got.Out, got.Err)
				if (got.Status == 0) != (got.Err == "") {
					t.Errorf("%s: status %d with %q", args, got.Status, got.Err)
				}
			}
			compare(t, "administer.golden", withoutChance(output.String()))
		})
	}
}

// words splits a line into arguments as a shell does. It supports only double quotes.
func words(line string) []string {
	var list []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}

// chance lists the values that differ between runs, and the column widths that result from them.
var chance = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`), "INSTANT"},
	{regexp.MustCompile(`fs_[A-Za-z0-9_-]{43}`), "fs_SECRET"},
	{regexp.MustCompile(`\b[0-9a-f]{24}\b`), "USER"},
	{regexp.MustCompile(`"id":"[A-Z2-7]{8}"`), `"id":"SECRET-ID"`},
	{regexp.MustCompile(`(version\s+|"version": |has the version )\d+`), "${1}N"},
	{regexp.MustCompile(`(?m)^\d+( +INSTANT)`), "N$1"},
	{regexp.MustCompile(`command line \S+`), "command line WHO"},
	{regexp.MustCompile(`  +`), "  "},
}

func withoutChance(text string) string {
	for _, one := range chance {
		text = one.pattern.ReplaceAllString(text, one.instead)
	}
	return text
}

// compare compares a text with testdata/NAME, or replaces the file if -update is set.
func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := string(apptest.Must(os.ReadFile(file))(t))
	if got == want {
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s differs at line %d:\n got %s\nwant %s", file, i+1, gotLines[i], wantLines[i])
		}
	}
	t.Fatalf("%s has %d lines, got %d", file, len(wantLines), len(gotLines))
}

// TestSecretsAreShownOnce verifies that no later command prints a secret, a password or the stored form of either.
func TestSecretsAreShownOnce(t *testing.T) {
	data := t.TempDir()
	succeed(t, "migrate", "--data", data)
	run := func(input string, args ...string) string {
		t.Helper()
		got := command(t, nil, input, append(args, "--data", data, "--json")...)
		if got.Status != 0 {
			t.Fatalf("%v: %s", args, got.Err)
		}
		return got.Out
	}
	run("", "accounts", "create", "school", "--name", "School", "--tier", "basic")
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(run("", "clients", "create", "lms", "--account", "school")), &made); err != nil || made.Secret == "" {
		t.Fatalf("no secret is shown: %v", err)
	}
	first := made.Secret
	if err := json.Unmarshal([]byte(run("", "clients", "add-secret", "lms")), &made); err != nil || made.Secret == first {
		t.Fatalf("no other secret is shown: %v", err)
	}
	passwordFile := apptest.WriteFile(t, "password", "battery staple\r\nand more\n")
	var user struct{ ID string }
	if err := json.Unmarshal([]byte(run("correct horse\n", "users", "create", "--account", "school", "--username", "ada", "--password-file", "-")), &user); err != nil {
		t.Fatal(err)
	}
	before := passwordHash(t, data, user.ID)
	run("", "users", "set-password", user.ID, "--password-file", passwordFile)
	after := passwordHash(t, data, user.ID)
	if before == after || !strings.HasPrefix(after, "$argon2id$") {
		t.Errorf("the password is kept as %q, then %q", before, after)
	}
	if output := command(t, nil, "", "audit", "--kind", "user", "--data", data).Out; !strings.Contains(output, user.ID+"  a secret\n") {
		t.Errorf("of another password the audit log shows:\n%s", output)
	}
	run("", "users", "update", user.ID, "--given-name", "Ada")

	later := run("", "clients", "list") + run("", "clients", "show", "lms") + run("", "users", "list") + run("", "users", "show", user.ID) +
		run("", "audit") + run("", "accounts", "show", "school") + run("", "users", "set-password", user.ID, "--none")
	if got := passwordHash(t, data, user.ID); got != "" {
		t.Errorf("the password that was taken away is kept as %q", got)
	}
	for _, secret := range []string{first, made.Secret} {
		sum := sha256.Sum256([]byte(secret))
		for _, text := range []string{secret, fmt.Sprintf("%x", sum), base64.StdEncoding.EncodeToString(sum[:])} {
			if strings.Contains(later, text) {
				t.Errorf("%q is shown", text)
			}
		}
	}
	for _, text := range []string{"correct horse", "battery staple", "argon2", before, after} {
		if strings.Contains(later, text) {
			t.Errorf("%q is shown", text)
		}
	}
}

func passwordHash(t *testing.T, data, id string) string {
	t.Helper()
	accounts := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(data, app.AccountsFile)))(t)
	defer accounts.Close()
	record := apptest.Must(accounts.Entity(t.Context(), account.EntityKey{Kind: account.KindUser, ID: id}))(t)
	return record.(*account.User).PasswordHash
}

// TestAdministrationWhileOthersWrite verifies that commands can run beside a server and beside one another.
func TestAdministrationWhileOthersWrite(t *testing.T) {
	data := t.TempDir()
	succeed(t, "migrate", "--data", data)
	succeed(t, "accounts", "create", "school", "--name", "School", "--tier", "basic", "--data", data)
	server := apptest.Must(sqlite.OpenAccounts(t.Context(), filepath.Join(data, app.AccountsFile)))(t)
	defer server.Close()
	before := apptest.Must(server.RosterVersion(t.Context()))(t)
	var running sync.WaitGroup
	for i := range 3 {
		running.Go(func() {
			for j := range 4 {
				got := command(t, nil, "", "clients", "create", fmt.Sprintf("client-%d-%d", i, j), "--account", "school", "--data", data)
				if got.Status != 0 {
					t.Errorf("a command fails: %s", got.Err)
				}
				if _, err := server.AddUsage(t.Context(), "2026-11", map[string]int64{"school": 1}); err != nil {
					t.Errorf("the server fails: %v", err)
				}
			}
		})
	}
	running.Wait()
	records, version, err := server.Roster(t.Context())
	if err != nil || version.Records <= before.Records {
		t.Fatalf("the server learns nothing: %v %v", version, err)
	}
	if roster := account.NewRoster(records); len(roster.Clients) != 12 {
		t.Errorf("there are %d clients", len(roster.Clients))
	}
}

// TestAdministrationWithoutStores verifies that a command in a directory without stores fails and creates none.
// Otherwise, an operator who misspells the directory would believe the change done.
func TestAdministrationWithoutStores(t *testing.T) {
	data := filepath.Join(t.TempDir(), "elsewhere")
	for _, args := range []string{"accounts list", "accounts create x --name x", "keys rotate", "audit"} {
		if got := command(t, nil, "", append(strings.Fields(args), "--data", data)...); got.Status != 1 || !strings.Contains(got.Err, data) {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
	if _, err := os.Stat(data); err == nil {
		t.Error("the directory is there now")
	}
}

// TestPasswordsAreNoArguments verifies that commands refuse a password as an argument, which other users of the machine
// can see.
func TestPasswordsAreNoArguments(t *testing.T) {
	for _, args := range []string{"users create --account a --password=secret", "users set-password u secret", "users set-password u --password secret"} {
		if got := command(t, nil, "", strings.Fields(args)...); got.Status != 2 {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
}

// TestTheOperatorsPage runs every command of docs/accounts.md, unchanged, with the program as it is released.
func TestTheOperatorsPage(t *testing.T) {
	program := apptest.Binary(t)
	page := string(apptest.Must(os.ReadFile(apptest.Path("docs", "accounts.md")))(t))
	folder := t.TempDir()
	for _, block := range regexp.MustCompile("(?s)```(sh|graphql)\n(.*?)```").FindAllStringSubmatch(page, -1) {
		if block[1] == "graphql" {
			a := administration{used: used{Data: filepath.Join(folder, "data"), StoreSettings: app.StoreSettings{StoreConnections: 4, StoreTimeout: time.Second}}}
			if _, err := a.ask(t.Context(), block[2], nil); err != nil {
				t.Errorf("%s: %v", block[2], err)
			}
			continue
		}
		shell := apptest.Bounded(t, "sh", "-e", "-c", block[2])
		shell.Dir = folder
		shell.Env = append(os.Environ(), "PATH="+filepath.Dir(program)+string(os.PathListSeparator)+os.Getenv("PATH"))
		if output, err := shell.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", block[2], err, output)
		}
	}
	rules := succeed(t, "packages", "show", "lessons", "--data", filepath.Join(folder, "data"))
	if !strings.Contains(rules, `"ExcludedLanguages"`) {
		t.Errorf("the page leaves behind the package %s", rules)
	}
}

// TestStaffListHasAHeadingForEachColumn verifies that the table of staff shows no field without a heading.
func TestStaffListHasAHeadingForEachColumn(t *testing.T) {
	where := apptest.EmptyStore(t, apptest.Engines{})
	var table string
	for _, line := range []string{
		`accounts create house --name House --operator`,
		`users create --account house --username edda --given-name Edda --family-name Ito --email edda@films.example --staff-role EDITOR`,
		`staff list`,
	} {
		got := command(t, nil, "", append(words(line), where...)...)
		if got.Status != 0 {
			t.Fatalf("%s: %s", line, got.Err)
		}
		table = got.Out
	}
	columns := regexp.MustCompile(` {2,}`)
	for line := range strings.Lines(table) {
		if got := len(columns.Split(strings.TrimSpace(line), -1)); got != 6 {
			t.Errorf("%d columns in %q, want 6", got, line)
		}
	}
}

// TestPasswordsThatNobodyCanUse verifies that commands say so if an account takes no passwords.
func TestPasswordsThatNobodyCanUse(t *testing.T) {
	where := apptest.EmptyStore(t, apptest.Engines{})
	const (
		create = `users create --account house --username edda@films.example --staff-role EDITOR --password`
		invite = `owner invite you@films.example`
		says   = "filmstrip: users of the account \"house\" cannot sign in with a password; to allow it beside the account's identity providers, run: filmstrip accounts update house --password-sign-in\n"
	)
	for _, step := range []struct {
		line, input, says string
		status            int
	}{
		{line: `accounts create house --name House --operator --identity-providers -`, input: `[{"alias": "main", "name": "House", "issuer": "https://id.example", "clientId": "filmstrip", "clientSecret": "s"}]`},
		{line: create, input: "correct horse", says: says},
		{line: `users create --account house --external-id S-1`},
		{line: invite, says: says, status: 1},
		{line: `accounts update house --password-sign-in`},
		{line: strings.Replace(create, "edda", "eve", 1), input: "correct horse"},
		{line: invite},
	} {
		got := command(t, nil, step.input, append(words(step.line), where...)...)
		if got.Status != step.status || got.Err != step.says {
			t.Errorf("%s: status %d: %s", step.line, got.Status, got.Err)
		}
	}
}
