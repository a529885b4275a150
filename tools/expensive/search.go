package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// measurement is a request with its cost.
type measurement struct {
	candidate candidate
	sent      request
	status    int
	cost      time.Duration
}

// report is the result of a search.
type report struct {
	seed   uint64
	tried  int
	status map[int]int
	top    []measurement // with a token, then without, the most expensive first
	beyond []measurement
}

func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d requests, by status %v\n", r.seed, r.tried, r.status)
	for _, f := range r.top {
		fmt.Fprintf(&b, "%8.1f ms  %d  %s\n", milliseconds(f.cost), f.status, f.sent)
	}
	fmt.Fprintf(&b, "%d cost more than they may\n", len(r.beyond))
	return b.String()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// The number of measurements per request, and the number of requests that are kept as parents of others.
const (
	repeats = 5
	parents = 60
	// perPlace is how many requests per route or root field are kept.
	perPlace = 3
)

// searchRun is a search in progress.
type searchRun struct {
	settings
	server *program.Server
	pools  *pools
	routes []route
	random *rand.Rand
	report report
	// kept are the most expensive requests by kind: REST and GraphQL with a token, and all without one.
	kept [3][]measurement
}

func search(s settings) (*report, error) {
	folder, err := os.MkdirTemp("", "filmstrip-expensive-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	server, err := startServer(s, folder)
	if err != nil {
		return nil, err
	}
	defer server.Stop()
	h := &searchRun{settings: s, server: server, random: rand.New(rand.NewPCG(s.seed, 0)), report: report{seed: s.seed, status: map[int]int{}}}
	if h.pools, err = gather(server); err != nil {
		return nil, err
	}
	if h.routes, err = routesOf(server); err != nil {
		return nil, err
	}
	for end := time.Now().Add(s.time); time.Now().Before(end) && (s.requests == 0 || h.report.tried < s.requests); {
		if err := h.step(); err != nil {
			return nil, err
		}
	}
	h.finishReport()
	return &h.report, nil
}

// step sends one more request: a new one, or a mutation of an expensive one.
func (h *searchRun) step() error {
	of := h.random.IntN(3)
	var next candidate
	switch kept := h.kept[of]; {
	case len(kept) > 0 && h.random.IntN(3) > 0:
		next = kept[min(h.random.IntN(len(kept)), h.random.IntN(len(kept)))].candidate.mutate(h.random)
	case of == 1:
		next = newGraphQLRequest(h.random)
	default:
		next = newRouteRequest(h.random, h.routes)
	}
	one, err := h.measure(next)
	if err != nil {
		return err
	}
	h.report.tried++
	h.report.status[one.status]++
	kept := &h.kept[kindOf(one)]
	if !h.shouldKeep(*kept, one) {
		return nil
	}
	// One measurement is not enough: a garbage collection or another process may have interfered.
	costs := []time.Duration{one.cost}
	for range repeats - 1 {
		again, err := h.measure(next)
		if err != nil {
			return err
		}
		costs = append(costs, again.cost)
	}
	slices.Sort(costs)
	one.cost = costs[repeats/2]
	*kept = append(*kept, one)
	slices.SortFunc(*kept, func(a, b measurement) int { return cmp.Compare(b.cost, a.cost) })
	places := map[string]int{}
	*kept = slices.DeleteFunc(*kept, func(f measurement) bool {
		places[f.candidate.endpoint()]++
		return places[f.candidate.endpoint()] > perPlace
	})
	*kept = (*kept)[:min(len(*kept), parents)]
	return nil
}

// shouldKeep reports whether a request may be kept.
func (h *searchRun) shouldKeep(kept []measurement, one measurement) bool {
	same := 0
	for _, k := range kept {
		if k.candidate.endpoint() == one.candidate.endpoint() && k.cost >= one.cost {
			same++
		}
	}
	return same < perPlace && (len(kept) < parents || one.cost > kept[len(kept)-1].cost)
}

func kindOf(f measurement) int {
	switch {
	case !f.sent.signedIn:
		return 2
	case f.sent.path == "/graphql":
		return 1
	}
	return 0
}

// measure sends a request with new values.
func (h *searchRun) measure(c candidate) (measurement, error) {
	sent := c.instantiate(h.random, h.pools)
	before, err := h.server.ProcessorTime()
	if err != nil {
		return measurement{}, err
	}
	status, err := send(h.server, sent)
	if err != nil {
		return measurement{}, fmt.Errorf("%s: %w", sent, err)
	}
	after, err := h.server.ProcessorTime()
	return measurement{candidate: c, sent: sent, status: status, cost: after - before}, err
}

// finishReport completes the report.
func (h *searchRun) finishReport() {
	for kind, kept := range h.kept {
		most := h.most
		if kind == 2 {
			most = h.mostPublic
		}
		for i, one := range kept {
			if i < h.top {
				h.report.top = append(h.report.top, one)
			}
			if one.cost > most {
				h.report.beyond = append(h.report.beyond, one)
			}
		}
	}
}
