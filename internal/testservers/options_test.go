package testservers_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestRedisBounded(t *testing.T) {
	t.Parallel()
	client := redisClient(t, testservers.Redis(t, testservers.MaxMemory(4<<20, "noeviction")))
	value := strings.Repeat("x", 1<<20)
	var err error
	for i := range 8 {
		if err = client.Set(t.Context(), fmt.Sprint("key", i), value, 0).Err(); err != nil {
			break
		}
	}
	if err == nil || !strings.HasPrefix(err.Error(), "OOM") {
		t.Errorf("8 MiB in a Redis of 4 MiB: %v", err)
	}
}

func TestRedisPassword(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t, testservers.Password("secret"))
	if err := redisClient(t, s).Ping(t.Context()).Err(); err != nil {
		t.Error(err)
	}
	client := redis.NewClient(&redis.Options{Addr: s.Addr, MaxRetries: -1})
	defer client.Close()
	if err := client.Ping(t.Context()).Err(); err == nil || !strings.HasPrefix(err.Error(), "NOAUTH") {
		t.Errorf("without the password: %v", err)
	}
}

func TestRedisTLS(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t, testservers.TLS())
	options, err := redis.ParseURL(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	options.MaxRetries = -1
	ping := func() error {
		client := redis.NewClient(options)
		defer client.Close()
		return client.Ping(t.Context()).Err()
	}
	var stranger *tls.CertificateVerificationError
	if err := ping(); !errors.As(err, &stranger) {
		t.Errorf("with the authorities of the machine: %v", err)
	}
	authority, err := os.ReadFile(s.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	options.TLSConfig.RootCAs = x509.NewCertPool()
	options.TLSConfig.RootCAs.AppendCertsFromPEM(authority)
	if err := ping(); err != nil {
		t.Errorf("with the server's authority: %v", err)
	}
}

func TestPostgreSQLTLS(t *testing.T) {
	t.Parallel()
	s := testservers.PostgreSQL(t, testservers.TLS(), testservers.Replica())
	for _, one := range []*testservers.Server{s, s.Replica} {
		wantQuery(t, one.URL, "SELECT ssl::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()", "true")
		if !strings.Contains(one.URL, "verify-full") {
			t.Errorf("the URL lets any certificate pass: %s", one.URL)
		}
		plain := strings.Replace(one.URL, "verify-full", "disable", 1)
		if _, err := query(t, plain, "SELECT 'plain'"); err == nil || !strings.Contains(err.Error(), "no encryption") {
			t.Errorf("without TLS: %v", err)
		}
	}
}

// TestOptionOfAnotherEngine checks that an engine refuses another engine's option instead of ignoring it.
func TestOptionOfAnotherEngine(t *testing.T) {
	if os.Getenv("FILMSTRIP_TEST_OPTION") != "" {
		testservers.Redis(t, testservers.Replica())
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestOptionOfAnotherEngine$")
	command.Env = append(os.Environ(), "FILMSTRIP_TEST_OPTION=wrong")
	if output, err := command.CombinedOutput(); err == nil || !strings.Contains(string(output), "Replica is not an option of redis") {
		t.Errorf("%v: %s", err, output)
	}
}
