package web_test

import (
	"os"
	"os/exec"
	"testing"
)

// The credentials and the token of the test's service.
const clientID, secret, token = "a-client", "a secret & more", "a-token"

// browserVariable set to "required" makes a machine without a browser fail the test instead of
// skipping it.
const browserVariable = "FILMSTRIP_BROWSER_TESTS"

// missing skips a test that needs what this machine has not.
func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv(browserVariable) == "required" {
		t.Fatal(what)
	}
	t.Skipf("NOT TESTED: %s (set %s=required to fail here)", what, browserVariable)
}

func find(t *testing.T, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "there is no "+names[0])
	return ""
}
