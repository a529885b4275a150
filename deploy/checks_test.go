// Package deploy tests the files in this folder with the programs that read them, and the released program against what
// docs/operations.md promises to operators.
package deploy

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// check runs a checking program and returns its output, and whether it found no mistake. It skips the test if the
// machine lacks the program.
func check(t *testing.T, name string, args ...string) (said string, fine bool) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), testservers.Program(t, name, name), args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err == nil
}

// copied copies a folder of this package, with replacements in each file, and returns the path of the copy. Each old text
// must occur.
func copied(t *testing.T, folder string, replacements ...string) string {
	t.Helper()
	to := t.TempDir()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		replaced := []byte(strings.NewReplacer(replacements...).Replace(string(text)))
		all = append(all, text...)
		if err := os.WriteFile(filepath.Join(to, entry.Name()), replaced, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for n := 0; n < len(replacements); n += 2 {
		if !bytes.Contains(all, []byte(replacements[n])) {
			t.Fatalf("no file of %s contains %q", folder, replacements[n])
		}
	}
	return to
}

// TestPrometheus checks the rules, their tests and the scrape configuration with promtool, which must also find planted
// mistakes.
func TestPrometheus(t *testing.T) {
	checks := map[string][]string{
		"rules":         {"check", "rules", "filmstrip.rules.yml"},
		"tests":         {"test", "rules", "filmstrip.tests.yml"},
		"configuration": {"check", "config", "prometheus.yml"},
	}
	for name, args := range checks {
		run := func(t *testing.T, folder string) (string, bool) {
			return check(t, "promtool", append(args[:2:2], filepath.Join(folder, args[2]))...)
		}
		t.Run(name, func(t *testing.T) {
			if said, fine := run(t, "prometheus"); !fine {
				t.Error(said)
			}
		})
		t.Run("mistake in "+name, func(t *testing.T) {
			mistake := map[string][]string{
				"rules":         {"max by (job) (filmstrip_retention_stopped)", "max by (job) filmstrip_retention_stopped)"},
				"tests":         {"(filmstrip_usage_differences) > 0", "(filmstrip_usage_differences) > 5"},
				"configuration": {"scrape_interval", "scrape_intervall"},
			}[name]
			if said, fine := run(t, copied(t, "prometheus", mistake...)); fine {
				t.Errorf("it is not found: %s", said)
			}
		})
	}
}

// verifyUnits checks the units in a copy of the folder systemd, with engines.conf as a drop-in, and returns what
// systemd-analyze says about them.
func verifyUnits(t *testing.T, replacements ...string) string {
	t.Helper()
	exists, err := exec.LookPath("true") // units name programs where they are installed
	if err != nil {
		t.Fatal(err)
	}
	folder := copied(t, "systemd", append(replacements, "/usr/local/bin/filmstrip", exists+" filmstrip")...)
	dropIn := filepath.Join(folder, "filmstrip.service.d")
	if err := errors.Join(os.Mkdir(dropIn, 0o700), os.Rename(filepath.Join(folder, "engines.conf"), filepath.Join(dropIn, "engines.conf"))); err != nil {
		t.Fatal(err)
	}
	args := []string{"verify", "--man=no"}
	for _, unit := range []string{"filmstrip.service", "filmstrip-backup.service", "filmstrip-backup.timer"} {
		args = append(args, filepath.Join(folder, unit))
	}
	said, fine := check(t, "systemd-analyze", args...)
	if !fine && said == "" {
		t.Fatal("systemd-analyze fails without a reason")
	}
	var about []string // other units of the machine may have faults
	for line := range strings.Lines(said) {
		if strings.Contains(line, "filmstrip") {
			about = append(about, line)
		}
	}
	return strings.Join(about, "")
}

// TestSystemd checks the units with systemd-analyze, which must also find planted mistakes.
func TestSystemd(t *testing.T) {
	if said := verifyUnits(t); said != "" {
		t.Error(said)
	}
	for name, mistake := range map[string][]string{
		"time":    {"02:30:00", "25:30:00"},
		"key":     {"StateDirectoryMode", "StateDirectoryMod"},
		"program": {"ExecStart=", "ExecStart=/nowhere"},
		"drop-in": {"LoadCredential=store", "LoadCredentials=store"},
	} {
		if said := verifyUnits(t, mistake...); said == "" {
			t.Errorf("a wrong %s is not found", name)
		}
	}
}
