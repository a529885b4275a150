package apptest

import (
	"encoding/json"
	"testing"
)

// Installation is a separate store for a test, on which commands and servers run.
type Installation struct {
	testing.TB
	Where []string // the flags that select the store
}

// NewInstallation creates an empty store.
func NewInstallation(t testing.TB, engine Engines) Installation {
	t.Helper()
	return Installation{t, EmptyStore(t, engine)}
}

// Filmstrip runs a command on the store and returns its output.
func (h Installation) Filmstrip(args ...string) string {
	h.Helper()
	return Succeed(h.TB, append(args, h.Where...)...)
}

// In returns the installation for a subtest.
func (h Installation) In(t testing.TB) Installation { return Installation{t, h.Where} }

// Account adds an account of the tier basic.
func (h Installation) Account(id string, more ...string) {
	h.Helper()
	h.Filmstrip(append([]string{"accounts", "create", id, "--name", id, "--tier", "basic"}, more...)...)
}

// Client adds a client and returns its secret.
func (h Installation) Client(id, account string, more ...string) string {
	h.Helper()
	return h.Secret(append([]string{"clients", "create", id, "--account", account}, more...)...)
}

// Secret runs a command that creates a secret, and returns the secret.
func (h Installation) Secret(args ...string) string {
	h.Helper()
	var made struct{ Secret string }
	h.Read(&made, args...)
	return made.Secret
}

// Read runs a command with --json and decodes its output.
func (h Installation) Read(into any, args ...string) {
	h.Helper()
	if err := json.Unmarshal([]byte(h.Filmstrip(append(args, "--json")...)), into); err != nil {
		h.Fatal(err)
	}
}

// Serve starts a server on the store.
func (h Installation) Serve(settings ...string) *Server {
	h.Helper()
	return Start(h.TB, append(settings, h.Where...)...)
}
