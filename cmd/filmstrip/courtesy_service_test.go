package main

import (
	"bytes"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/processors"
)

// TestEventsGiveWay: while nobody asks for anything, events are taken as fast as they come, over both doors; while
// others ask, those that would wait too long at the pace that is left are refused, to come again.
func TestEventsGiveWay(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a service")
	}
	p := admit(t, "--data", t.TempDir(), "--event-pace", "1")
	many := 10 * processors.Count() // take ten seconds at that pace
	post := func(path, body string) answer {
		return p.request("POST", path, body, "Authorization", "Bearer "+p.token, "Content-Type", "application/json")
	}
	all := func(send func() answer) (taken int, refused []answer) {
		var sending sync.WaitGroup
		answers := make(chan answer, many)
		for range many {
			sending.Go(func() { answers <- send() })
		}
		sending.Wait()
		close(answers)
		for told := range answers {
			if told.status/100 == 2 && !bytes.Contains(told.body, []byte(`"errors"`)) {
				taken++
			} else {
				refused = append(refused, told)
			}
		}
		return taken, refused
	}
	time.Sleep(2 * time.Second) // after those with which it started
	for door, send := range map[string]func() answer{
		"the façade": func() answer { return post(playbackPath, playbackOf(p.ids[0])) },
		"GraphQL": func() answer {
			return post("/graphql", `{"query":"mutation { recordPlayback(event: {videoId: \"`+p.ids[0]+`\", segmentStartSeconds: 0, segmentEndSeconds: 1}) }"}`)
		},
	} {
		if taken, refused := all(send); taken < many {
			t.Errorf("%s took %d of %d while nobody asked: %s", door, taken, many, refused[0])
		}
	}
	for range 2 * manyOthers {
		if told := p.get("/v1/videos/" + p.ids[0]); told.status != http.StatusOK {
			t.Fatal(told)
		}
	}
	taken, refused := all(func() answer { return post(playbackPath, playbackOf(p.ids[0])) })
	if len(refused) == 0 {
		t.Errorf("%d of %d were taken while others asked", taken, many)
	}
	for _, told := range refused {
		if told.status != http.StatusServiceUnavailable || told.retryAfter == "" {
			t.Error(told)
		}
	}
}
