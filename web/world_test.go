package web_test

import (
	"os"
	"os/exec"
	"testing"
)

// clientID, secret and token are the credentials and the access token of the tests' service.
const clientID, secret, token = "a-client", "a secret & more", "a-token"

// browserVariable is the environment variable that, set to "required", makes a test fail instead of skipping it when
// the machine has no browser.
const browserVariable = "FILMSTRIP_TEST_BROWSER_TESTS"

// skipOrFail skips or fails a test that needs something that this machine lacks.
func skipOrFail(t *testing.T, what string) {
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
	skipOrFail(t, "there is no "+names[0])
	return ""
}
