package testservers_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// eventually repeats what may fail at first.
func eventually(t *testing.T, what string, do func() error) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for {
		err := do()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

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

func TestRedisCluster(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t, testservers.ClusterOf(3), testservers.Password("secret"))
	if len(s.Nodes) != 3 || len(s.Addrs()) != 3 {
		t.Fatalf("%d nodes at %q", len(s.Nodes), s.Addrs())
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: s.Addrs(), Password: "secret"})
	defer client.Close()
	nodes := map[string]bool{}
	for i := range 50 {
		key := fmt.Sprint("key", i)
		if err := client.Set(t.Context(), key, i, 0).Err(); err != nil {
			t.Fatal(err)
		}
		node, err := client.MasterForKey(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		nodes[node.Options().Addr] = true
	}
	if len(nodes) != 3 {
		t.Errorf("the keys are on %v, not on three nodes", nodes)
	}
	s.Nodes[1].Kill()
	s.Nodes[1].Start()
	eventually(t, "after a node came back", func() error { return client.Set(t.Context(), "key1", 1, 0).Err() })
}

func TestRedisSentinel(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t, testservers.Sentinel(), testservers.Password("secret"))
	client := redis.NewFailoverClient(&redis.FailoverOptions{MasterName: testservers.SentinelMaster, SentinelAddrs: s.Addrs(), Password: "secret"})
	defer client.Close()
	if err := client.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	replica := redisClient(t, s.Replica)
	eventually(t, "the replica", func() error { return replica.Get(t.Context(), "key").Err() })
	s.Kill()
	eventually(t, "after the master was killed", func() error { return client.Set(t.Context(), "key", "later", 0).Err() })
	if value, err := replica.Get(t.Context(), "key").Result(); err != nil || value != "later" {
		t.Errorf("the new master has %q, %v", value, err)
	}
	s.Start()
	old := redisClient(t, s)
	// Where the sentinel was too slow to note the fail-over, the old master is the master again.
	eventually(t, "the old master", func() error {
		both := ""
		for _, one := range []*redis.Client{old, replica} {
			info, err := one.Info(t.Context(), "replication").Result()
			if err != nil {
				return err
			}
			both += info
		}
		if strings.Count(both, "role:slave") != 1 || strings.Count(both, "role:master") != 1 {
			return errors.New(both)
		}
		return nil
	})
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

func TestPostgreSQLReplica(t *testing.T) {
	t.Parallel()
	s := testservers.PostgreSQL(t, testservers.Replica())
	write(t, s.URL, "CREATE TABLE kept (n text)", "INSERT INTO kept VALUES ('one')")
	arrived := func(want string) func() error {
		return func() error {
			got, err := query(t, s.Replica.URL, "SELECT max(n) FROM kept")
			if err == nil && got != want {
				err = errors.New(got)
			}
			return err
		}
	}
	eventually(t, "the replica follows", arrived("one"))
	wantQuery(t, s.Replica.URL, "SELECT pg_is_in_recovery()::text", "true")
	s.Replica.Kill()
	write(t, s.URL, "INSERT INTO kept VALUES ('two')")
	s.Replica.Start()
	eventually(t, "the replica follows again", arrived("two"))
	s.Kill()
	wantQuery(t, s.Replica.URL, "SELECT max(n) FROM kept", "two")
}

func TestTypesenseCluster(t *testing.T) {
	t.Parallel()
	s := testservers.Typesense(t, testservers.Nodes(3))
	if len(s.Addrs()) != 3 {
		t.Fatalf("nodes at %q", s.Addrs())
	}
	create := func(name string) func() error {
		return func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := typesense(ctx, s.Nodes[1], "POST", "/collections", `{"name":"`+name+`","fields":[{"name":"title","type":"string"}]}`)
			return err
		}
	}
	eventually(t, "a write", create("kept"))
	for i, node := range s.Nodes {
		eventually(t, fmt.Sprint("node ", i), func() error {
			_, err := typesense(t.Context(), node, "GET", "/collections/kept", "")
			return err
		})
	}
	s.Kill()
	eventually(t, "a write to what is left", create("later"))
	s.Start()
	eventually(t, "the node that came back", func() error {
		_, err := typesense(t.Context(), s, "GET", "/collections/later", "")
		return err
	})
}

// An option that is not the engine's is refused, rather than passed over.
func TestOptionOfAnotherEngine(t *testing.T) {
	if os.Getenv("FILMSTRIP_TEST_OPTION") != "" {
		testservers.Redis(t, testservers.Replica())
		return
	}
	command := exec.Command(os.Args[0], "-test.run=^TestOptionOfAnotherEngine$")
	command.Env = append(os.Environ(), "FILMSTRIP_TEST_OPTION=wrong")
	if output, err := command.CombinedOutput(); err == nil || !strings.Contains(string(output), "Replica is no option of redis") {
		t.Errorf("%v: %s", err, output)
	}
}
