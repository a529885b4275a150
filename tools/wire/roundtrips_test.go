package wire_test

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// roundTrips are the numbers of waits for Redis.
type roundTrips struct {
	feed     int            // for a feed page, which reads only documents
	commands map[string]int // by name, for the same page
	text     map[int]int    // search pages with a text, by number of waits
	plain    map[int]int    // the other pages
}

// countRoundTrips requests pages that Redis has from a new process, behind a link that counts.
func (w *world) countRoundTrips(list []*question) *roundTrips {
	w.Helper()
	link := testservers.NewLink(w.B, w.redis.Addr)
	p := w.serve(append(w.shared(), "--cache", "redis://"+link.Addr)...)
	defer p.shutDown()
	p.get("/v1/videos?size=1") // opens the connections
	trips := &roundTrips{text: map[int]int{}, plain: map[int]int{}}
	during := func(path string) int {
		before := link.RoundTrips()
		p.get(path)
		return link.RoundTrips() - before
	}
	client := redis.NewClient(&redis.Options{Addr: w.redis.Addr})
	defer client.Close()
	before := w.commands(client)
	trips.feed = during(feedPath)
	trips.commands = w.commands(client)
	for name, n := range trips.commands {
		if trips.commands[name] = n - before[name]; trips.commands[name] == 0 || name == "info" {
			delete(trips.commands, name)
		}
	}
	w.warm(p)
	for _, q := range list {
		if n := during(q.path); q.hasText {
			trips.text[n]++
		} else {
			trips.plain[n]++
		}
	}
	return trips
}

// commands returns how often each command was sent to Redis, by its own statistics.
func (w *world) commands(client *redis.Client) map[string]int {
	w.Helper()
	text, err := client.Info(w.Context(), "commandstats").Result()
	if err != nil {
		w.Fatal(err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(text) {
		name, numbers, found := strings.Cut(strings.TrimPrefix(line, "cmdstat_"), ":calls=")
		var n int
		if _, err := fmt.Sscan(strings.SplitN(numbers+",", ",", 2)[0], &n); found && err == nil {
			counts[name] = n
		}
	}
	return counts
}

func (t *roundTrips) print(out io.Writer) {
	fmt.Fprintf(out, "round trips to Redis: feed page of %d: %d (%v)\n", pageSize, t.feed, t.commands)
	for _, kind := range []struct {
		name  string
		pages map[int]int
	}{{"with a text", t.text}, {"without", t.plain}} {
		for _, n := range slices.Sorted(maps.Keys(kind.pages)) {
			fmt.Fprintf(out, "round trips to Redis: search page of %d %s: %d for %d of them\n", pageSize, kind.name, n, kind.pages[n])
		}
	}
}
