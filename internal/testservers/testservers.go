// Package testservers starts Redis, PostgreSQL and Typesense for tests, on free ports of 127.0.0.1 and
// with data in temporary folders, and lets tests break them. Only tests import it.
//
// Redis, PostgreSQL and Typesense start a server of the test's own, which ends with the test.
// SharedRedis, SharedPostgreSQL and SharedTypesense hand out a part of one server per test process,
// which is quicker; or of a server that runs already, where FILMSTRIP_TEST_REDIS_URL,
// FILMSTRIP_TEST_POSTGRES_URL, or TYPESENSE_URL with TYPESENSE_API_KEY names one. A test whose engine
// cannot be had is skipped; with FILMSTRIP_TEST_MISSED, the reason is appended to the file of that
// name, one line "ENGINE: reason" each time.
//
// No server outlives the process that started it, however that ends; and that process ends when the
// `go test` that started it is gone.
package testservers

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

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

// Missing skips a test for want of something else that this machine has not, such as a browser, and has it
// known as the want of an engine is. The first tells what is not tested: "openid clients".
func Missing(t testing.TB, untested, reason string) {
	t.Helper()
	skip(t, &missing{untested, reason})
}

func skip(t testing.TB, absent *missing) {
	t.Helper()
	if err := note(absent); err != nil {
		t.Error(err)
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

func note(m *missing) error {
	name := os.Getenv("FILMSTRIP_TEST_MISSED")
	if name == "" {
		return nil
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, m)
	return err
}

// random is a name that nothing else has, of lower-case letters and digits.
func random() string { return "t" + strings.ToLower(rand.Text()) }
