package wire_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// phase is a state of the caches in which all questions are measured.
type phase string

const (
	uncached      phase = "nothing remembered"
	withDocuments phase = "documents in the process, answer not"
	fromRedis     phase = "answer and documents in Redis, nothing in the process"
	embeddedCold  phase = "embedded engines, nothing remembered"
	embeddedWarm  phase = "embedded engines, answer and page in the process"
)

// timedServer is a server whose response times are measured.
type timedServer struct {
	name string
	ask  func(q *question)
}

const (
	service             = "the service"
	typesenseAlone      = "Typesense alone, the search"
	typesenseWithLadder = "Typesense alone, the search and the requests for its match level"
)

func (w *world) service(p *process) timedServer {
	return timedServer{service, func(q *question) { p.get(q.path) }}
}

// typesenseOnly returns an asker that sends Typesense the search that the service sends for a question.
func (w *world) typesenseOnly() timedServer {
	return timedServer{typesenseAlone, func(q *question) { w.multiSearch(q.search) }}
}

// typesenseWithLevels returns an asker that also sends the requests that find the match level, one after the other.
func (w *world) typesenseWithLevels() timedServer {
	return timedServer{typesenseWithLadder, func(q *question) {
		for _, body := range q.asked {
			w.multiSearch(body)
		}
	}}
}

func (w *world) multiSearch(body []byte) {
	w.Helper()
	request, err := http.NewRequest(http.MethodPost, w.typesense.URL+"/multi_search", bytes.NewReader(body))
	if err != nil {
		w.Fatal(err)
	}
	request.Header.Set("X-Typesense-Api-Key", w.typesense.Key)
	request.Header.Set("Content-Type", "application/json")
	if answer := send(w.B, w.direct, request); bytes.Contains(answer, []byte(`"error":`)) {
		w.Fatalf("Typesense returned an error: %s", answer[:min(len(answer), 500)])
	}
}

// measure sends every question to each server. The first server changes with every question, and the order alternates
// between rounds.
func (r *report) measure(of phase, round int, list []*question, askers ...timedServer) {
	for i, q := range list {
		order := make([]int, len(askers))
		for place := range order {
			order[place] = (i + place) % len(askers)
		}
		if (i/len(askers)+round)%2 == 1 {
			slices.Reverse(order)
		}
		for _, place := range order {
			start := time.Now()
			askers[place].ask(q)
			r.add(of, askers[place].name, q, time.Since(start))
		}
	}
}

func (w *world) searchUncached(r *report, round int, list []*question) {
	p := w.serve(w.shared()...)
	defer p.shutDown()
	w.warm(p)
	r.measure(uncached, round, list, w.service(p), w.typesenseOnly(), w.typesenseWithLevels())
}

func (w *world) searchWithDocuments(r *report, round int, list []*question) {
	p := w.serve(w.shared()...)
	defer p.shutDown()
	w.warm(p)
	w.cacheDocuments(p, list)
	r.measure(withDocuments, round, list, w.service(p), w.typesenseOnly(), w.typesenseWithLevels())
}

// cacheDocuments makes a process cache the documents of all pages.
func (w *world) cacheDocuments(p *process, list []*question) {
	w.Helper()
	for _, q := range list {
		if len(q.found) == 0 {
			continue
		}
		if found := videosOf(w.B, p.get(q.idsPath())); len(found) != len(q.found) {
			w.Fatalf("%d videos of %d are found by id", len(found), len(q.found))
		}
	}
}

// searchFromRedis measures a new process with the contents that another process left in Redis.
func (w *world) searchFromRedis(r *report, round int, list []*question) {
	settings := append(w.shared(), "--cache", w.redis.URL)
	if round == 0 {
		w.fillRedis(settings, list)
	}
	p := w.serve(settings...)
	defer p.shutDown()
	w.warm(p)
	r.measure(fromRedis, round, list, w.service(p), w.typesenseOnly())
}

func (w *world) fillRedis(settings []string, list []*question) {
	w.Helper()
	p := w.serve(settings...)
	defer p.shutDown()
	w.warm(p)
	for _, q := range list {
		p.get(q.path)
	}
	p.get(feedPath)
}

// feedPath requests videos by position in the log, which reads only documents.
var feedPath = fmt.Sprintf("/v1/feed/videos?size=%d", pageSize)

// searchEmbedded measures the engines that need no server.
func (w *world) searchEmbedded(r *report, round int, list []*question) {
	p := w.serve("--data", w.folder)
	defer p.shutDown()
	w.warm(p)
	r.measure(embeddedCold, round, list, w.service(p))
	r.measure(embeddedWarm, round, list, w.service(p))
}
