// Package testservers starts Redis, PostgreSQL and Typesense for tests, on free ports of 127.0.0.1 and
// with data in temporary folders, and lets tests break them. Only tests import it.
//
// Redis, PostgreSQL and Typesense start a server of the test's own, which ends with the test.
// SharedRedis, SharedPostgreSQL and SharedTypesense hand out a part of one server per test process,
// which is quicker; or of a server that runs already, where FILMSTRIP_TEST_REDIS_URL,
// FILMSTRIP_TEST_POSTGRES_URL, or TYPESENSE_URL with TYPESENSE_API_KEY names one. A test whose engine
// is not available is skipped; with FILMSTRIP_TEST_REQUIRED=1 it fails instead, so that CI never skips an
// engine unnoticed.
//
// No server outlives the process that started it, however that ends; and that process ends when the
// `go test` that started it is gone.
package testservers

import (
	"crypto/rand"
	"errors"
	"os"
	"strings"
	"testing"
)

// requiredVariable turns what a machine lacks into a failure where it is "1".
const requiredVariable = "FILMSTRIP_TEST_REQUIRED"

// patience bounds, in seconds, how long a server may take to start or to stop.
const patience = 60

// missing is the error of an engine that cannot be had on this machine: no fault of the test.
type missing struct{ engine, reason string }

func (m *missing) Error() string { return m.engine + ": " + m.reason }

// give hands a started server to a test: it skips the test where the engine cannot be had, and fails it
// where the engine should have started.
func give(t testing.TB, s *Server, err error) *Server {
	t.Helper()
	var absent *missing
	if errors.As(err, &absent) {
		skip(t, absent)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Missing skips a test that needs something else that this machine lacks, such as a browser, or fails it as it
// does for an engine. untested names the subject that stays untested, for example "openid clients".
func Missing(t testing.TB, untested, reason string) {
	t.Helper()
	skip(t, &missing{untested, reason})
}

func skip(t testing.TB, absent *missing) {
	t.Helper()
	if os.Getenv(requiredVariable) == "1" {
		t.Fatalf("%v; %s=1 allows no test to be skipped for it", absent, requiredVariable)
	}
	t.Skipf("NOT TESTED: %v", absent)
}

// own hands a server to the test that it was started for, and ends it with that test.
func own(t testing.TB, s *Server, err error) *Server {
	t.Helper()
	give(t, s, err)
	for _, one := range s.family() {
		one.t = t
	}
	t.Cleanup(func() {
		if err := s.removeAll(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// random is a name that nothing else has, of lower-case letters and digits.
func random() string { return "t" + strings.ToLower(rand.Text()) }
