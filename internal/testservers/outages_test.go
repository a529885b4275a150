//go:build system

package testservers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// eventually repeats an action until it succeeds, for up to 30 seconds.
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
	// If the sentinel did not notice the failover in time, the old master becomes the master again.
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
	eventually(t, "a write to the remaining nodes", create("later"))
	s.Start()
	eventually(t, "the node that came back", func() error {
		_, err := typesense(t.Context(), s, "GET", "/collections/later", "")
		return err
	})
}

func TestTypesenseRestarts(t *testing.T) {
	t.Parallel()
	s := testservers.Typesense(t)
	wantTypesense(t, s, "POST", "/collections", `{"name":"kept","fields":[{"name":"title","type":"string"}]}`)
	wantTypesense(t, s, "POST", "/collections/kept/documents", `{"id":"one","title":"water"}`)
	for _, end := range []func(){s.Kill, s.Stop} {
		end()
		if _, err := typesense(t.Context(), s, "GET", "/health", ""); err == nil {
			t.Error("a Typesense that ended answered")
		}
		s.Start()
		deadline := time.Now().Add(20 * time.Second)
		for {
			text, err := typesense(t.Context(), s, "GET", "/collections/kept/documents/one", "")
			if err == nil && strings.Contains(text, "water") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("the document is not back: %s, %v", text, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

func TestPostgreSQLRestarts(t *testing.T) {
	t.Parallel()
	s := testservers.PostgreSQL(t, testservers.Durable())
	wantQuery(t, s.URL, "SHOW fsync", "on")
	write(t, s.URL, "CREATE TABLE kept (n text)", "INSERT INTO kept VALUES ('one')")
	s.Kill()
	if _, err := query(t, s.URL, "SELECT n FROM kept"); err == nil {
		t.Error("a killed PostgreSQL answered")
	}
	s.Start()
	wantQuery(t, s.URL, "SELECT n FROM kept", "one")
	s.Stop()
	if _, err := query(t, s.URL, "SELECT n FROM kept"); err == nil {
		t.Error("a stopped PostgreSQL answered")
	}
	s.Start()
	wantQuery(t, s.URL, "SELECT n FROM kept", "one")
}
