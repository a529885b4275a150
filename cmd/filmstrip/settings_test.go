package main

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestPrecedence verifies that a flag takes precedence over a variable, a variable over the settings file, and the file
// over the default.
func TestPrecedence(t *testing.T) {
	root := t.TempDir()
	t.Chdir(root)
	config := apptest.WriteFile(t, "settings.yml", "data: from-file\n")
	flag := []string{"--data", "from-flag"}
	for _, test := range []struct {
		args      []string
		variables map[string]string
		want      string
	}{
		{nil, nil, "data"},
		{[]string{"--config", config}, nil, "from-file"},
		{[]string{"--config=" + config}, nil, "from-file"},
		{nil, map[string]string{"FILMSTRIP_CONFIG": config}, "from-file"},
		{nil, map[string]string{"FILMSTRIP_DATA": "from-variable"}, "from-variable"},
		{[]string{"--config", config}, map[string]string{"FILMSTRIP_DATA": "from-variable"}, "from-variable"},
		{append(flag, "--config", config), map[string]string{"FILMSTRIP_DATA": "from-variable"}, "from-flag"},
		{append(flag, "--config", config), nil, "from-flag"},
	} {
		got := command(t, test.variables, "", append([]string{"migrate"}, test.args...)...)
		if got.Status != 0 {
			t.Fatalf("%v: status %d: %s", test, got.Status, got.Err)
		}
		if _, err := os.Stat(filepath.Join(root, test.want, app.CatalogueFile)); err != nil {
			t.Errorf("%v: the stores are not in %s", test, test.want)
		}
		if err := os.RemoveAll(filepath.Join(root, test.want)); err != nil {
			t.Fatal(err)
		}
		if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
			t.Errorf("%v: there is %v besides", test, left)
		}
	}
}

// parse parses settings as realMain does, and returns those of serve.
func parse(t testing.TB, environment map[string]string, args ...string) (*app.Settings, error) {
	t.Helper()
	settings, err := loadSettings(args, environment)
	if err != nil {
		return nil, err
	}
	var all commands
	parser := apptest.Must(kong.New(&all, kong.Resolvers(settings)))(t)
	parsed, err := parser.Parse(append([]string{"serve"}, args...))
	if err != nil {
		return nil, err
	}
	return &all.Serve.Settings, settings.check(parsed)
}

// TestSettingsOfEachForm verifies that flags, variables and both forms of lists in the settings file select the same
// settings.
func TestSettingsOfEachForm(t *testing.T) {
	file := func(text string) []string { return []string{"--config", apptest.WriteFile(t, "s.yml", text)} }
	for name, read := range map[string]func() (*app.Settings, error){
		"file": func() (*app.Settings, error) {
			return parse(t, nil, file("allowed-origins: [https://a.example, https://b.example]\ncompression: false\ncache-memory: 7\nrequest-timeout: 5s\ngraphql-depth: 7\n")...)
		},
		"list": func() (*app.Settings, error) {
			return parse(t, nil, file("allowed-origins: https://a.example,https://b.example\ncompression: \"false\"\ncache-memory: \"7\"\nrequest-timeout: 5s\ngraphql-depth: \"7\"\n")...)
		},
		"variable": func() (*app.Settings, error) {
			return parse(t, map[string]string{
				"FILMSTRIP_ALLOWED_ORIGINS": "https://a.example,https://b.example", "FILMSTRIP_COMPRESSION": "false", "FILMSTRIP_CACHE_MEMORY": "7",
				"FILMSTRIP_REQUEST_TIMEOUT": "5s", "FILMSTRIP_GRAPHQL_DEPTH": "7",
			})
		},
		"flag": func() (*app.Settings, error) {
			return parse(t, nil, "--allowed-origins=https://a.example", "--allowed-origins", "https://b.example", "--no-compression", "--cache-memory=7", "--request-timeout=5s", "--graphql-depth=7")
		},
	} {
		got, err := read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if strings.Join(got.AllowedOrigins, " ") != "https://a.example https://b.example" || got.Compression || got.CacheMemory != 7 ||
			got.RequestTimeout.Seconds() != 5 || got.GraphQLDepth != 7 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestBadSettingsFiles verifies that a misspelled setting is an error.
func TestBadSettingsFiles(t *testing.T) {
	for text, says := range map[string]string{
		"adress: x":           `"adress" is not a setting`,
		"log-level: loud":     "loud",
		"cache-memory: [1,2]": "cache-memory",
		"a: [":                "s.yml",
		"- a":                 "s.yml",
		"demo: perhaps":       "perhaps",
	} {
		got := command(t, nil, "", "serve", "--config", apptest.WriteFile(t, "s.yml", text))
		if got.Status != 2 || !strings.Contains(got.Err, says) {
			t.Errorf("%s: status %d: %s", text, got.Status, got.Err)
		}
	}
}

// TestSecretsFromFiles verifies that a setting with a value takes precedence over a file, and that an empty setting
// counts as absent.
func TestSecretsFromFiles(t *testing.T) {
	file := apptest.WriteFile(t, "secret", "redis://from-file\r\n")
	config := apptest.WriteFile(t, "s.yml", "cache-file: "+file+"\n")
	for _, test := range []struct {
		variables map[string]string
		args      []string
		want      string
	}{
		{map[string]string{"FILMSTRIP_CACHE_FILE": file}, nil, "redis://from-file"},
		{map[string]string{"FILMSTRIP_CACHE_FILE": file, "FILMSTRIP_CACHE": ""}, nil, "redis://from-file"},
		{map[string]string{"FILMSTRIP_CACHE_FILE": file, "FILMSTRIP_CACHE": "redis://said"}, nil, "redis://said"},
		{map[string]string{"FILMSTRIP_CACHE_FILE": "", "FILMSTRIP_CACHE": "redis://said"}, nil, "redis://said"},
		{map[string]string{"FILMSTRIP_CACHE_FILE": ""}, nil, ""},
		{nil, []string{"--config", config}, "redis://from-file"},
		{map[string]string{"FILMSTRIP_CACHE": "redis://said"}, []string{"--config", config}, "redis://said"},
	} {
		got, err := parse(t, test.variables, test.args...)
		if err != nil || got.Cache != test.want {
			t.Errorf("%v %v: %q, want %q (%v)", test.variables, test.args, got.Cache, test.want, err)
		}
	}
}

// TestAnEmptySecretIsNoSetting verifies that servers and commands refuse an empty secret file, which would otherwise
// select an embedded engine.
func TestAnEmptySecretIsNoSetting(t *testing.T) {
	empty := apptest.WriteFile(t, "secret", "\n")
	for _, name := range []string{"serve", "migrate", "restore", "reindex"} {
		got := command(t, map[string]string{"FILMSTRIP_STORE_FILE": empty}, "", name)
		if got.Status != 2 || !strings.Contains(got.Err, "the file of --store is empty") {
			t.Errorf("%s: status %d: %s", name, got.Status, got.Err)
		}
	}
}

var settingRow = regexp.MustCompile("^\\| `--([a-z-]+)` \\| `([^`]*)` \\| \\S")

// TestSettingsAreThoseOfTheManual verifies that the table in docs/settings.md contains every setting with its default.
func TestSettingsAreThoseOfTheManual(t *testing.T) {
	text, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Skipf("THE TABLE OF SETTINGS IS NOT CHECKED: %v", err)
	}
	documented := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if row := settingRow.FindStringSubmatch(line); row != nil {
			documented[row[1]] = row[2]
		}
	}
	var all commands
	parser := apptest.Must(kong.New(&all))(t)
	for _, node := range parser.Model.Children {
		if node.Name != "serve" {
			continue
		}
		for _, flag := range node.Flags {
			want := flag.Default
			if flag.IsBool() {
				want = cmp.Or(want, "false")
			}
			got, ok := documented[flag.Name]
			if delete(documented, flag.Name); !ok || got != want {
				t.Errorf("--%s: the manual says %q (there: %v), the program %q", flag.Name, got, ok, want)
			}
		}
	}
	for name := range documented {
		t.Errorf("the manual mentions --%s, the program does not know it", name)
	}
}

// TestMinimums verifies that numbers and durations below their minimums are refused, wherever they come from.
func TestMinimums(t *testing.T) {
	for problem, args := range map[string]string{
		"--client-rate -1 is below 0":                  "serve --client-rate=-1",
		"--store-connections 3 is below 4":             "migrate --store-connections 3",
		"--keep-idempotency-keys 47h0m0s is below 48h": "serve --keep-idempotency-keys 47h",
		"--embeddings-similarity NaN is below 0":       "serve --embeddings-similarity NaN",
		"--keep-addresses -1ns is below 0s":            "events export --keep-addresses=-1ns",
		"--prune-limit 0 is below 1":                   "import --prune-limit 0 -",
		"--request-timeout 999\u00b5s is below 1ms":    "serve --request-timeout 999us",
	} {
		got := command(t, nil, "", strings.Fields(args)...)
		if got.Status != 2 || !strings.Contains(got.Err, problem) {
			t.Errorf("%s: status %d: %s", args, got.Status, got.Err)
		}
	}
	if got := command(t, map[string]string{"FILMSTRIP_UPLOAD_DAYS": "0"}, "", "serve"); got.Status != 2 || !strings.Contains(got.Err, "--upload-days 0 is below 1") {
		t.Errorf("status %d: %s", got.Status, got.Err)
	}
}

// TestUnknownVariables verifies that a misspelled variable stops every command with a suggestion, and that variables of
// Kubernetes and of the tests do not.
func TestUnknownVariables(t *testing.T) {
	for variable, says := range map[string]string{
		"FILMSTRIP_LOG_LEVL":   "the variable FILMSTRIP_LOG_LEVL is not a setting; did you mean FILMSTRIP_LOG_LEVEL?",
		"FILMSTRIP_DEMO_PASTA": "did you mean FILMSTRIP_DEMO_PAST?",
		"FILMSTRIP_ZZZZZZZZZZ": "the variable FILMSTRIP_ZZZZZZZZZZ is not a setting\n",
		"FILMSTRIP_HOST":       "the variable FILMSTRIP_HOST is not a setting",
	} {
		for _, name := range []string{"version", "migrate"} {
			if got := command(t, map[string]string{variable: "x"}, "", name); got.Status != 2 || !strings.Contains(got.Err, says) {
				t.Errorf("%s: status %d: %s", variable, got.Status, got.Err)
			}
		}
	}
	for _, variable := range []string{
		"FILMSTRIP_PORT", "FILMSTRIP_PORT_8080_TCP", "FILMSTRIP_PORT_8080_TCP_ADDR", "FILMSTRIP_SERVICE_HOST", "FILMSTRIP_SERVICE_PORT_HTTP",
		"FILMSTRIP_REDIS_SERVICE_PORT", "FILMSTRIP_REDIS_PORT_6379_TCP_PROTO", "FILMSTRIP_TEST_ANYTHING", "FILMSTRIP_SEARCH_KEY_FILE", "FILMSTRIP_MONTH",
	} {
		if got := command(t, map[string]string{variable: ""}, "", "version"); got.Status != 0 {
			t.Errorf("%s: status %d: %s", variable, got.Status, got.Err)
		}
	}
}
