package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// The measurement of how events and other work affect one another.
const (
	strainTime   = 10 * time.Second // per phase
	probeTime    = 5 * time.Second  // per tried rate
	strainVideos = 20_000
	readRate     = 300.0 // per second, of all paths
	readers      = 12
	senders      = 256
)

// Capacity is the highest rate at which, beside reads, 99 % of the events are answered in time and none is refused.
const (
	inTime    = 250 * time.Millisecond
	firstRate = 600.0
	coarse    = 1.3  // from one tried rate to the next
	fine      = 1.04 // where the search ends
)

// strain measures, in one run: the highest rate of single events beside reads; the latency of reads alone, and beside
// events at shares of that rate and at three times it; and events beside an import into the same data. Callers are
// processes of their own. Reading callers have a higher priority than the server, sending ones a lower one, as if both
// were remote, which requires permission to set priorities.
func strain(ctx context.Context, s settings) error {
	s.processes = 1
	f, err := startFleet(ctx, s)
	if err != nil {
		return err
	}
	defer f.stop()
	m := &measurement{clients: newClients(f, newLedger(), 1), place: s.callPlace(), out: tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)}
	if err := m.logIn(ctx, m.bases[0]); err != nil {
		return err
	}
	lines, err := generateLines(ctx, s.binary, f.folder)
	if err != nil {
		return err
	}
	if m.shown, err = m.awaitPaths(ctx); err != nil {
		return err
	}
	defer func() { _ = m.out.Flush() }() // to the console
	fmt.Fprintln(m.out, "\trate/s\trefused\tmedian\tp99\tlongest\tcaller late, p99\tbroken")
	if _, err := m.read(ctx, 2*time.Second); err != nil { // warms up
		return err
	}
	capacity, err := m.capacity(ctx)
	if err != nil {
		return err
	}
	for _, share := range []float64{0, 0.4, 0.8, 3} {
		if err := m.beside(ctx, capacity, share); err != nil {
			return err
		}
	}
	return m.besideImport(ctx, capacity*0.4, func() error { return importLines(ctx, s, f.data(0), lines) })
}

// measurement is the state of strain.
type measurement struct {
	*clients
	place []string // of callers; see settings.callPlace
	out   *tabwriter.Writer
	shown []string // the paths of reads
}

// capacity finds the highest rate of events that the server sustains.
func (m *measurement) capacity(ctx context.Context) (float64, error) {
	borne, step := 0.0, coarse
	for rate := firstRate; step > fine; rate = max(borne, firstRate/coarse) * step {
		_, came, err := m.both(ctx, rate, probeTime)
		if err != nil {
			return 0, err
		}
		if came.inTime(rate * probeTime.Seconds()) {
			borne = rate
			m.row("single events, the most that is borne so far", came, probeTime)
		} else {
			step = math.Sqrt(step)
			m.row("single events, too many", came, probeTime)
		}
	}
	if borne == 0 {
		return 0, fmt.Errorf("%.0f events a second are too many", firstRate)
	}
	return borne, nil
}

// inTime reports whether the given number of requests succeeded in time.
func (o *offered) inTime(due float64) bool {
	took := o.all()
	return o.Refused == 0 && o.Other == "" && float64(len(took)) >= 0.99*due && quantile(took, 0.99) <= inTime && quantile(o.Late, 0.99) <= inTime
}

// beside measures reads beside events at a share of the capacity.
func (m *measurement) beside(ctx context.Context, capacity, share float64) error {
	came, sent, err := m.both(ctx, capacity*share, strainTime)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("beside events at %.0f %%", share*100)
	for _, path := range m.shown {
		m.row(path+", "+name, &offered{Took: map[string][]time.Duration{path: came.Took[path]}, Late: came.Late, Other: came.Other}, strainTime)
	}
	m.row("all reads, "+name, came, strainTime)
	if sent != nil {
		m.row(fmt.Sprintf("these events, at %.0f %%", share*100), sent, strainTime)
	}
	return nil
}

// both measures reads and, at a rate above 0, events; otherwise sent is nil.
func (m *measurement) both(ctx context.Context, rate float64, d time.Duration) (came, sent *offered, err error) {
	var sending sync.WaitGroup
	var fault error
	if rate > 0 {
		sending.Go(func() { sent, fault = m.send(ctx, rate, d) })
	}
	came, err = m.read(ctx, d)
	sending.Wait()
	return came, sent, errors.Join(err, fault)
}

// besideImport measures events beside an import.
func (m *measurement) besideImport(ctx context.Context, rate float64, importing func() error) error {
	var fault error
	var working sync.WaitGroup
	working.Go(func() { fault = importing() })
	sent, err := m.send(ctx, rate, strainTime)
	working.Wait()
	if err = errors.Join(err, fault); err != nil {
		return err
	}
	m.row("events at 40 %, while an import runs", sent, strainTime)
	return nil
}

func (m *measurement) row(name string, o *offered, d time.Duration) {
	took := o.all()
	fmt.Fprintf(m.out, "%s\t%.0f\t%d\t%s\t%s\t%s\t%s\t%s\n", name, float64(len(took))/d.Seconds(), o.Refused,
		quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1), quantile(o.Late, 0.99), o.Other)
}

// send sends single events.
func (m *measurement) send(ctx context.Context, rate float64, d time.Duration) (*offered, error) {
	return m.offer(offer{Rate: rate, Connections: senders, Time: d}).run(ctx, append(m.place, "nice", "-n", "10")...)
}

// read reads the paths.
func (m *measurement) read(ctx context.Context, d time.Duration) (*offered, error) {
	return m.offer(offer{Paths: m.shown, Rate: readRate, Connections: readers, Time: d}).run(ctx, append(m.place, "chrt", "-f", "1")...)
}

func (m *measurement) offer(o offer) offer {
	o.Address, o.Token = strings.TrimPrefix(m.bases[0], "http://"), *m.token.Load()
	return o
}

// awaitPaths waits until the index contains videos, and returns the paths of reads.
func (m *measurement) awaitPaths(ctx context.Context) ([]string, error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		paths, err := m.paths(ctx)
		if err == nil || time.Since(began) > startPatience || ctx.Err() != nil {
			return paths, err
		}
	}
}

// paths returns the paths of reads.
func (m *measurement) paths(ctx context.Context) ([]string, error) {
	body, err := m.get(ctx, "/v1/videos?size=1")
	if err != nil {
		return nil, err
	}
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return nil, err
	}
	if len(page.Embedded.Videos) == 0 {
		return nil, errors.New("the demo shows no video")
	}
	return []string{"/v1/videos/" + page.Embedded.Videos[0].ID, "/v1/videos?query=water&size=20", "/v1/feed/videos?size=20"}, nil
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

// generateLines generates the lines to import.
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
	command := slices.Concat(s.servePlace(), []string{s.binary, "import"}, where, []string{lines})
	output, err := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("import: %w: %s", err, output)
	}
	return nil
}
