package redis_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"os"
	"testing"
	"time"

	client "github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/cache"
	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }

// patience is a timeout that no call reaches, even on a busy machine.
const patience = 20 * time.Second

func open(t testing.TB, options redis.Options) *redis.Cache {
	t.Helper()
	c, err := redis.Open(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// trusting returns a TLS configuration that trusts the certificate authority in a file, or the authorities of the
// system if file is "".
func trusting(t testing.TB, file string) *tls.Config {
	t.Helper()
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if file == "" {
		return config
	}
	authority, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	config.RootCAs = x509.NewCertPool()
	if !config.RootCAs.AppendCertsFromPEM(authority) {
		t.Fatalf("no certificate in %s", file)
	}
	return config
}

// raw returns a client of a server that bypasses the cache.
func raw(t testing.TB, url string) *client.Client {
	t.Helper()
	options, err := client.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	r := client.NewClient(options)
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func put(t testing.TB, c cache.Cache, key string, version int64, value string) {
	t.Helper()
	items := []cache.Item{{Key: key, Entry: cache.Entry{Version: version, Value: []byte(value)}}}
	if err := c.Put(context.Background(), items); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, c cache.Cache, key string) cache.Entry {
	t.Helper()
	into := make([]cache.Entry, 1)
	if err := c.Get(context.Background(), []cache.Ask{{Key: key, AtLeast: 1}}, into); err != nil {
		t.Fatal(err)
	}
	return into[0]
}

// until waits until done reports true.
func until(t testing.TB, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to be that %s", what)
		}
	}
}
