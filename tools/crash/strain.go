package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"
)

// The measurement of how events and everything else bear one another.
const (
	strainTime    = 10 * time.Second // of each phase
	strainClients = 32
	strainShare   = 0.8 // of the rate that events can have
	strainVideos  = 20_000
	askEvery      = 10 * time.Millisecond
)

// strain measures, in one run: at which rate single events are taken at most; how long other requests take while
// nothing else happens, and while events come in at a share of that rate; and how events fare while an import
// writes to the same data.
func strain(ctx context.Context, s settings) error {
	s.processes = 1
	f, err := startFleet(ctx, s)
	if err != nil {
		return err
	}
	defer f.stop()
	m := &measurement{clients: newClients(f, newLedger(), strainClients), out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)}
	if err := m.logIn(ctx, m.bases[0]); err != nil {
		return err
	}
	lines, err := generateLines(ctx, s.binary, f.folder)
	if err != nil {
		return err
	}
	paths, err := m.paths(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = m.out.Flush() }() // to the console
	fmt.Fprintln(m.out, "\trate/s\trefused\tmedian\tp99\tlongest")
	m.ask(ctx, paths, time.Second) // warms up
	capacity := m.events(ctx, 0).rate
	m.row("single events, as fast as they are taken", m.last)
	share := capacity * strainShare
	idle := m.ask(ctx, paths, strainTime)
	var busy map[string]latencies
	m.events(ctx, share, func() { busy = m.ask(ctx, paths, strainTime) })
	m.row(fmt.Sprintf("single events, at %.0f %% of that", strainShare*100), m.last)
	importing := func() { err = importLines(ctx, s, f.data(0), lines) }
	m.events(ctx, share, importing)
	m.row("the same while an import runs", m.last)
	for _, path := range paths {
		m.row(path+", alone", idle[path])
		m.row(path+", beside events", busy[path])
	}
	return err
}

// measurement is what strain works with.
type measurement struct {
	*clients
	out  *tabwriter.Writer
	last latencies
}

// latencies are how long requests took, from the moment at which they were due.
type latencies struct {
	rate    float64 // of those that were answered as they should
	refused int
	took    []time.Duration // in order
}

func (m *measurement) row(name string, l latencies) {
	fmt.Fprintf(m.out, "%s\t%.0f\t%d\t%s\t%s\t%s\n", name, l.rate, l.refused, l.quantile(0.5), l.quantile(0.99), l.quantile(1))
}

func (l latencies) quantile(q float64) time.Duration {
	if len(l.took) == 0 {
		return 0
	}
	return l.took[min(len(l.took)-1, int(q*float64(len(l.took))))].Round(10 * time.Microsecond)
}

// gathered are latencies that several gather.
type gathered struct {
	mu sync.Mutex
	latencies
}

func (g *gathered) add(took time.Duration, well bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !well {
		g.refused++
		return
	}
	g.took = append(g.took, took)
}

func (g *gathered) sum(since time.Time) latencies {
	slices.Sort(g.took)
	g.rate = float64(len(g.took)) / time.Since(since).Seconds()
	return g.latencies
}

// events sends single events at a rate, 0: as fast as they are answered, while other things are done, or for
// strainTime.
func (m *measurement) events(ctx context.Context, rate float64, while ...func()) latencies {
	var over atomic.Bool
	g, began := &gathered{}, time.Now()
	var sending sync.WaitGroup
	for i := range strainClients {
		sending.Go(func() {
			step := time.Duration(0)
			if rate > 0 {
				step = time.Duration(float64(time.Second) * strainClients / rate)
			}
			due := began.Add(step * time.Duration(i) / strainClients)
			for !over.Load() && ctx.Err() == nil {
				if step == 0 {
					due = time.Now()
				}
				time.Sleep(time.Until(due))
				s := m.ledger.add(1, "", false)
				status, _, err := m.post(ctx, m.bases[0], s, bodyOf(s))
				g.add(time.Since(due), err == nil && status == http.StatusCreated)
				due = due.Add(step)
			}
		})
	}
	if len(while) == 0 {
		time.Sleep(strainTime)
	}
	for _, do := range while {
		do()
	}
	over.Store(true)
	sending.Wait()
	m.last = g.sum(began)
	return m.last
}

// paths are what other clients ask for.
func (m *measurement) paths(ctx context.Context) ([]string, error) {
	body, err := m.get(ctx, "/v1/videos?size=1")
	if err != nil {
		return nil, err
	}
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
	}
	if err := json.Unmarshal(body, &page); err != nil || len(page.Embedded.Videos) == 0 {
		return nil, fmt.Errorf("the demo shows no video: %w", err)
	}
	return []string{"/v1/videos/" + page.Embedded.Videos[0].ID, "/v1/videos?query=water&size=20", "/v1/feed/videos?size=20"}, nil
}

// ask asks for each path at a steady rate.
func (m *measurement) ask(ctx context.Context, paths []string, d time.Duration) map[string]latencies {
	took := make([]latencies, len(paths))
	var asking sync.WaitGroup
	for i, path := range paths {
		asking.Go(func() {
			g, began := &gathered{}, time.Now()
			for due := began; due.Before(began.Add(d)) && ctx.Err() == nil; due = due.Add(askEvery) {
				time.Sleep(time.Until(due))
				_, err := m.get(ctx, path)
				g.add(time.Since(due), err == nil)
			}
			took[i] = g.sum(began)
		})
	}
	asking.Wait()
	all := map[string]latencies{}
	for i, path := range paths {
		all[path] = took[i]
	}
	return all
}

func (m *measurement) get(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, m.bases[0]+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+*m.token.Load())
	response, err := m.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s: %s", path, response.Status, body)
	}
	return body, err
}

// generateLines makes what is imported.
func generateLines(ctx context.Context, binary, folder string) (string, error) {
	name := filepath.Join(folder, "lines.jsonl")
	file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	defer file.Close()
	generate := exec.CommandContext(ctx, binary, "generate", "--videos", fmt.Sprint(strainVideos))
	generate.Stdout = file
	return name, generate.Run()
}

// importLines runs the import beside the server.
func importLines(ctx context.Context, s settings, data, lines string) error {
	where := []string{"--data", data}
	if s.store != "" {
		where = []string{"--store", s.store}
	}
	output, err := exec.CommandContext(ctx, s.binary, append(append([]string{"import"}, where...), lines)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("import: %w: %s", err, output)
	}
	return nil
}
