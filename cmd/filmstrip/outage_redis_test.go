package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestRedisAway: while Redis is killed, hangs, stands still, is cut off or full, everything is answered as
// before, without waiting for it each time; when it is back, it is used again. What the process remembers
// by itself is kept small, so that Redis is asked at all.
func TestRedisAway(t *testing.T) {
	t.Parallel()
	server := testservers.Redis(t)
	link := testservers.Cut(t, server.Addr)
	p := admit(t, "--cache", through(t, server, link), "--cache-memory=1", "--page-memory=1", "--answer-memory=1")
	p.awaitHits()
	for _, o := range append(outagesOf(server, link), outage{"hanging", link.Hang, link.Mend}, fullRedis(t, server)) {
		t.Run(o.name, func(t *testing.T) {
			p := p.in(t)
			o.away()
			before, began := p.derived.far.Stats(), time.Now()
			requests := p.useEverything()
			refused, took := p.derived.far.Stats().Refused-before.Refused, time.Since(began)
			if o.name != "full" && refused < int64(requests)/2 {
				t.Errorf("of the calls of %d requests %d were not made", requests, refused)
			}
			if took > time.Duration(requests)*100*time.Millisecond {
				t.Errorf("%d requests take %s", requests, took)
			}
			t.Logf("%d requests take %s, %d calls are not made", requests, took.Round(time.Millisecond), refused)
			p.awaitReadiness(stateDegraded, map[string]string{"cache": stateDegraded, "store": stateUp, "accounts": stateUp, "search": stateUp})
			o.back()
			p.awaitReadiness(stateUp, nil)
			p.awaitHits()
			p.useEverything()
		})
	}
	t.Run("flushed", func(t *testing.T) {
		p := p.in(t)
		redisOf(t, server).FlushAll(t.Context())
		p.useEverything()
		p.awaitHits()
	})
}

// in is the patient for a part of a test.
func (p *patient) in(t *testing.T) *patient {
	part := *p
	part.TB = t
	t.Cleanup(func() { p.fresh = part.fresh })
	return &part
}

func redisOf(t testing.TB, server *testservers.Server) *redis.Client {
	client := redis.NewClient(must(redis.ParseURL(server.URL))(t))
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// fullRedis leaves a server no room, and allows it to evict nothing.
func fullRedis(t testing.TB, server *testservers.Server) outage {
	limit := func(bytes string) func() {
		return func() {
			if err := redisOf(t, server).ConfigSet(t.Context(), "maxmemory", bytes).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return outage{"full", limit("1"), limit("0")}
}

// useEverything asks for one thing after the other, wants each answered, and returns how many it were.
func (p *patient) useEverything() int {
	p.Helper()
	n := 60
	if testing.Short() {
		n = 30
	}
	for i := range n {
		p.want(http.StatusOK, p.get("/v1/videos/"+p.ids[i*len(p.ids)/n]))
		p.want(http.StatusOK, p.get(p.newQuestion()))
		p.wantPersisted(p.newQuestion())
	}
	p.feed()
	p.logIn()
	p.wantAll(http.StatusOK, "/v1/", "/v1/subjects", "/v1/disciplines", "/v1/channels", "/v1/suggestions?query=wat")
	return 3*n + 10
}

// wantPersisted sends an operation with its hash, and then the hash alone; as clients do, it sends the
// text again where it was forgotten.
func (p *patient) wantPersisted(name string) {
	p.Helper()
	text := "query { index { _x: __typename } # " + name + "\n}"
	hash := sha256.Sum256([]byte(text))
	extensions := fmt.Sprintf(`"extensions":{"persistedQuery":{"version":1,"sha256Hash":%q}}`, hex.EncodeToString(hash[:]))
	whole := fmt.Sprintf(`{"query":%q,%s}`, text, extensions)
	for _, body := range []string{whole, "{" + extensions + "}"} {
		a := p.operate(body)
		if strings.Contains(string(a.body), "PERSISTED_QUERY_NOT_FOUND") {
			a = p.operate(whole)
		}
		var answered struct{ Data, Errors any }
		if err := json.Unmarshal(a.body, &answered); err != nil || answered.Data == nil || answered.Errors != nil || a.status != http.StatusOK {
			p.Errorf("a persisted operation: %s", a)
		}
	}
}

func (p *patient) operate(body string) answer {
	return p.request("POST", "/graphql", body, "Authorization", "Bearer "+p.token, "Content-Type", "application/json")
}

// awaitHits reads all videos, more than the process remembers by itself, until Redis has some of them.
func (p *patient) awaitHits() {
	p.Helper()
	before := p.derived.far.Stats().Hits
	awaitFor(p, "Redis is used", func() bool { p.feed(); return p.derived.far.Stats().Hits > before })
}
