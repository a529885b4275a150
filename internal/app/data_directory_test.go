package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDemoServesTheDataThatItIsGiven verifies that a demo keeps a data directory that --data names, even one with the
// default name. Without --data, it uses a temporary directory and removes it at the end.
func TestDemoServesTheDataThatItIsGiven(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, given := range []string{"data", "other", ""} {
		settings, err := parseSettings(t, "--demo", "--addr", "127.0.0.1:0", "--data", given)
		if err != nil {
			t.Fatal(err)
		}
		cleanUp, err := settings.prepare()
		if err != nil {
			t.Fatal(err)
		}
		if given != "" && settings.Data != given {
			t.Errorf("--data %s: it serves %s", given, settings.Data)
		}
		if _, err := os.Stat(settings.Data); err != nil {
			t.Error(err)
		}
		cleanUp()
		if _, err := os.Stat(settings.Data); (err == nil) != (given != "") {
			t.Errorf("--data %q: afterwards there is %s: %v", given, filepath.Base(settings.Data), err == nil)
		}
	}
}

// TestMissingCatalogue verifies that commands which need a catalogue say how to create one if there is none, and
// otherwise why it cannot be read.
func TestMissingCatalogue(t *testing.T) {
	empty := t.TempDir()
	file := filepath.Join(empty, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for data, want := range map[string]string{
		empty:                        "there is no catalogue.db in " + empty + `: "filmstrip migrate" creates it`,
		filepath.Join(empty, "none"): `"filmstrip migrate" creates it`,
		file:                         "not a directory",
	} {
		var settings StoreSettings
		if err := settings.MustExist(data, CatalogueFile); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", data, err, want)
		}
	}
}
