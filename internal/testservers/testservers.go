// Package testservers starts Redis, PostgreSQL, Typesense and Pebble for tests, on free ports of 127.0.0.1 and with data in
// temporary folders, and lets tests break them. Only tests import it.
//
// Redis, PostgreSQL, Typesense and Pebble start a server for one test, which ends with the test. SharedRedis, SharedPostgreSQL
// and SharedTypesense return a part of one server per test process, which is faster, or of a running server that
// FILMSTRIP_TEST_REDIS_URL, FILMSTRIP_TEST_POSTGRES_URL, or TYPESENSE_URL with TYPESENSE_API_KEY names. A test whose
// engine is missing is skipped; with FILMSTRIP_TEST_REQUIRED=1 it fails instead, so that CI never skips an engine
// unnoticed.
//
// No server outlives the process that started it, however that process ends; and the process ends when the `go test`
// that started it has ended.
package testservers

import (
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"testing"
)

// requiredVariable, if "1", makes a missing engine a failure.
const requiredVariable = "FILMSTRIP_TEST_REQUIRED"

// patience is how many seconds a server may take to start or to stop.
const patience = 60

// missingError is the error for an engine that this machine lacks, which is not the test's fault.
type missingError struct{ engine, reason string }

func (m *missingError) Error() string { return m.engine + ": " + m.reason }

// require passes a started server to a test. It skips the test if the engine is missing, and fails it if the engine did
// not start.
func require(t testing.TB, s *Server, err error) *Server {
	t.Helper()
	var absent *missingError
	if errors.As(err, &absent) {
		skip(t, absent)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Missing skips a test that needs something else that this machine lacks, such as a browser, or fails it as for a
// missing engine. untested names the untested subject, for example "openid clients".
func Missing(t testing.TB, untested, reason string) {
	t.Helper()
	skip(t, &missingError{untested, reason})
}

func skip(t testing.TB, absent *missingError) {
	t.Helper()
	if os.Getenv(requiredVariable) == "1" {
		t.Fatalf("%v; %s=1 allows no test to be skipped for it", absent, requiredVariable)
	}
	t.Skipf("NOT TESTED: %v", absent)
}

// endWithTest passes a server to the test that it was started for, and ends it with that test.
func endWithTest(t testing.TB, s *Server, err error) *Server {
	t.Helper()
	require(t, s, err)
	for _, one := range s.members() {
		one.t = t
	}
	t.Cleanup(func() {
		if err := s.removeAll(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// uniqueName returns a unique name of lower-case letters and digits.
func uniqueName() string { return "t" + strings.ToLower(rand.Text()) }
