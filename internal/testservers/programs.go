package testservers

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Program returns the path of a program, and skips a test that needs it on a machine without it, or fails it as for a
// missing engine. untested names the untested subject.
func Program(t testing.TB, untested, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		Missing(t, untested, "there is no "+name+"; make setup installs it")
	}
	return path
}

// Node is Program for node. It also needs the named npm packages in a folder, or, without names, any packages there.
func Node(t testing.TB, untested, folder string, packages ...string) string {
	t.Helper()
	for _, name := range append(packages, ".") {
		path := filepath.Join(folder, "node_modules", name)
		if _, err := os.Stat(path); err != nil {
			Missing(t, untested, "there is no "+path+"; make setup installs it")
		}
	}
	return Program(t, untested, "node")
}

// Browser is Program for Chromium. It prefers the edition without a window, which takes less processor time.
func Browser(t testing.TB, untested string) string {
	t.Helper()
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return Program(t, untested, "google-chrome")
}
