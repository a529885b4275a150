//go:build system

package fleet_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// fleet is several processes that serve the same shared engines.
type fleet struct {
	testing.TB
	settings []string // the settings of all processes
	members  []*member
	history  *history
	client   *http.Client
	token    string
}

// member is one process of a fleet, which restarts at the same address.
type member struct {
	name, base string
	mu         sync.Mutex
	process    *exec.Cmd
	ended      chan struct{}
	log        bytes.Buffer // of all runs; readable when the process has ended
}

// fleetBase is the URL of a load balancer in front of a fleet.
const fleetBase = "http://catalogue.example"

// startFleet starts the given number of processes. The first one fills the catalogue.
func startFleet(t testing.TB, members int, settings ...string) *fleet {
	t.Helper()
	f := &fleet{
		TB: t, history: &history{}, client: &http.Client{Timeout: 10 * time.Second},
		settings: append([]string{"serve", "--demo", "--base-url", fleetBase, "--log-format", "json", "--shutdown-timeout", "2s"}, settings...),
	}
	for i := range members {
		m := &member{name: string(rune('a' + i)), base: "http://" + testservers.FreeAddress(t)}
		f.members = append(f.members, m)
		f.start(m, apptest.Binary(t))
		f.awaitReady(m)
	}
	t.Cleanup(func() {
		for _, m := range f.members {
			m.kill()
		}
		if t.Failed() {
			for _, m := range f.members {
				t.Logf("%s wrote:\n%s", m.name, apptest.LastLines(m.log.String(), 30))
			}
		}
	})
	f.logIn()
	return f
}

// start starts a process from a program file.
func (f *fleet) start(m *member, file string) {
	f.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	process := exec.Command(file, append(f.settings, "--addr", strings.TrimPrefix(m.base, "http://"))...)
	process.Env = append(os.Environ(), "TMPDIR="+f.TempDir())
	process.Stderr = &m.log
	if err := process.Start(); err != nil {
		f.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = process.Wait(); close(ended) }()
	m.process, m.ended = process, ended
}

// end sends a signal and waits until the process has ended.
func (m *member) end(signal os.Signal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.process.Process.Signal(signal)
	select {
	case <-m.ended:
	case <-time.After(time.Minute):
		_ = m.process.Process.Signal(syscall.SIGQUIT) // the log then contains the stacks of all goroutines
		<-m.ended
	}
}

func (m *member) kill() { m.end(syscall.SIGKILL) }

func (f *fleet) awaitReady(m *member) {
	f.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		response, err := f.client.Get(m.base + "/readyz")
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-m.ended:
			f.Fatalf("%s has ended: %s", m.name, apptest.LastLines(m.log.String(), 10))
		default:
		}
		if time.Now().After(deadline) {
			f.Fatalf("%s does not become ready: %v", m.name, err)
		}
	}
}

// logIn requests a token from one process, for all of them.
func (f *fleet) logIn() {
	f.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.OperatorAccount}, "client_secret": {demo.Secret}}
	response := apptest.Must(f.client.PostForm(f.members[0].base+"/v1/token", form))(f)
	defer response.Body.Close()
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || answer.Token == "" {
		f.Fatalf("no token: %d %v", response.StatusCode, err)
	}
	f.token = answer.Token
}

// patience is how long a client retries.
const patience = 15 * time.Second

// get reads a document from any process, like a client behind a load balancer. It retries requests that are refused,
// cut off or answered with 502 to 504 at another process. Any other status but 200 fails at once.
func (f *fleet) get(ctx context.Context, random *rand.Rand, path string, into any) (process string, asked time.Time, ok bool) {
	var last error
	for began := time.Now(); time.Since(began) < patience && ctx.Err() == nil; time.Sleep(50 * time.Millisecond) {
		m := f.members[random.IntN(len(f.members))]
		asked = time.Now()
		status, body, err := f.once(ctx, m.base+path)
		switch {
		case err != nil:
			last = err
		case status >= 502 && status <= 504:
			last = fmt.Errorf("%d %.200s", status, body)
		case status != http.StatusOK:
			f.history.failed("%s answers %s with %d %.300s", m.name, path, status, body)
			return "", asked, false
		default:
			if err := json.Unmarshal(body, into); err != nil {
				f.history.failed("%s answers %s with no JSON: %.300s", m.name, path, body)
				return "", asked, false
			}
			return m.name, asked, true
		}
	}
	if ctx.Err() == nil {
		f.history.failed("%s is not answered for %s: %v", path, patience, last)
	}
	return "", asked, false
}

func (f *fleet) once(ctx context.Context, address string) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Authorization", "Bearer "+f.token)
	response, err := f.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(response.Body)
	return response.StatusCode, body, err
}

// importLines runs the import command as a separate process.
func (f *fleet) importLines(ctx context.Context, lines string, settings ...string) error {
	process := exec.CommandContext(ctx, apptest.Binary(f), append(append([]string{"import"}, settings...), "-")...)
	process.Stdin = strings.NewReader(lines)
	output, err := process.CombinedOutput()
	if err != nil {
		return fmt.Errorf("import: %w: %s", err, output)
	}
	return nil
}

// The mixed load.

const registers = 20

// write increases registers by imports until the context ends. It waits for a running import.
func (f *fleet) write(ctx context.Context, random *rand.Rand, settings []string) {
	values := make([]int, registers)
	for ctx.Err() == nil {
		var lines strings.Builder
		raised := random.Perm(registers)[:1+random.IntN(5)]
		for _, register := range raised {
			values[register]++
			lines.WriteString(apptest.RegisterLine(register, values[register]))
		}
		if err := f.importLines(context.WithoutCancel(ctx), lines.String(), settings...); err != nil {
			f.history.failed("%v", err)
			return
		}
		answered := time.Now()
		for _, register := range raised {
			f.history.addWrite(written{register, values[register], answered})
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// read reads registers by ID until the context ends.
func (f *fleet) read(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		register := random.IntN(registers)
		var video struct{ Title string }
		process, asked, ok := f.get(ctx, random, "/v1/videos/"+apptest.RegisterID(register), &video)
		if !ok {
			continue
		}
		var named, value int
		if _, err := fmt.Sscanf(video.Title, "Register %d stands at %d", &named, &value); err != nil || named != register {
			f.history.failed("%s shows register %d as %q", process, register, video.Title)
			continue
		}
		f.history.addPage(seen{register, value, process, asked})
		time.Sleep(2 * time.Millisecond)
	}
}

// search searches by words, filters and facets in turn until the context ends.
func (f *fleet) search(ctx context.Context, random *rand.Rand) {
	questions := []string{"water", "the history of energy", "register stands", "light and sound in the ocean", ""}
	for ctx.Err() == nil {
		var page struct{ Page struct{ TotalElements int } }
		address := "/v1/videos?size=20&query=" + url.QueryEscape(questions[random.IntN(len(questions))])
		if process, _, ok := f.get(ctx, random, address, &page); ok && page.Page.TotalElements == 0 {
			f.history.failed("%s finds nothing for %s", process, address)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// walk reads the feed, each page from another process, until the context ends.
func (f *fleet) walk(ctx context.Context, random *rand.Rand) {
	for ctx.Err() == nil {
		if ids, ok := f.wholeFeed(ctx, random); ok {
			f.history.addWalk(walk{ids})
		}
	}
}

func (f *fleet) wholeFeed(ctx context.Context, random *rand.Rand) (ids []string, ok bool) {
	for path := "/v1/feed/videos?size=200"; path != ""; {
		var page struct {
			Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
			Links    struct{ Next struct{ Href string } }   `json:"_links"`
		}
		if _, _, ok := f.get(ctx, random, path, &page); !ok {
			return nil, false
		}
		for _, video := range page.Embedded.Videos {
			ids = append(ids, video.ID)
		}
		path = strings.TrimPrefix(page.Links.Next.Href, fleetBase)
	}
	return ids, true
}

// disturb kills one process after the other and restarts it, until the context ends.
func (f *fleet) disturb(ctx context.Context, pause time.Duration) {
	for i := 0; ; i = (i + 1) % len(f.members) {
		m := f.members[i]
		if !sleepFor(ctx, pause) {
			return
		}
		m.kill()
		sleepFor(ctx, 300*time.Millisecond)
		f.start(m, apptest.Binary(f))
		f.awaitReady(m)
	}
}

func sleepFor(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// load runs the mixed load and the disturbances for a duration.
func (f *fleet) load(d time.Duration, importSettings []string, disturbances ...func(context.Context)) {
	f.Helper()
	var first strings.Builder
	first.WriteString(apptest.RegistersChannel)
	for register := range registers {
		first.WriteString(apptest.RegisterLine(register, 0))
	}
	if err := f.importLines(f.Context(), first.String(), importSettings...); err != nil {
		f.Fatal(err)
	}
	time.Sleep(apptest.LagAllowed)
	f.awaitRegisters()
	ctx, cancel := context.WithTimeout(f.Context(), d)
	defer cancel()
	var working sync.WaitGroup
	seed := uint64(time.Now().UnixNano())
	f.Logf("seed %d", seed)
	for i, task := range []func(context.Context, *rand.Rand){
		func(ctx context.Context, random *rand.Rand) { f.write(ctx, random, importSettings) },
		f.read, f.read, f.search, f.walk,
	} {
		working.Go(func() { task(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	for _, disturbance := range disturbances {
		working.Go(func() { disturbance(ctx) })
	}
	working.Wait()
}

// awaitRegisters waits until every process finds the registers, because searches follow the first import more slowly on
// a busy machine.
func (f *fleet) awaitRegisters() {
	f.Helper()
	const patience = 30 * time.Second
	for _, m := range f.members {
		for began := time.Now(); f.total(m, "register stands") < registers; time.Sleep(50 * time.Millisecond) {
			if time.Since(began) > patience {
				f.Fatalf("%s does not find the registers", m.name)
			}
		}
	}
}

// terms reads from the logs which process wrote which index when. A killed process wrote it at least until its last
// line.
func (f *fleet) terms() (terms []term) {
	for _, m := range f.members {
		m.kill()
		open := map[string]term{} // by lease
		var last time.Time
		end := func(lease string, at time.Time) {
			if t, ok := open[lease]; ok {
				t.to = at
				terms = append(terms, t)
				delete(open, lease)
			}
		}
		for lines := bufio.NewScanner(bytes.NewReader(m.log.Bytes())); lines.Scan(); {
			var line struct {
				Time       time.Time
				Msg, Lease string
			}
			if json.Unmarshal(lines.Bytes(), &line) != nil || line.Lease == "usage" {
				continue
			}
			switch line.Msg {
			case processStarts: // the last run may have ended without a message
				for lease := range open {
					end(lease, last)
				}
			case leaseTaken:
				end(line.Lease, last)
				open[line.Lease] = term{process: m.name, lease: line.Lease, from: line.Time}
			case leaseLost, leaseHanded:
				end(line.Lease, line.Time)
			}
			last = line.Time
		}
		for lease := range open {
			end(lease, last)
		}
	}
	return terms
}

// report fails the test for each fault of the history, and if there is too little activity to judge.
func (f *fleet) report(throughout []string) {
	f.Helper()
	h := f.history
	faults := h.faults(throughout)
	for i, fault := range faults {
		if i == 20 {
			f.Errorf("and %d more", len(faults)-i)
			break
		}
		f.Error(fault)
	}
	f.Logf("%d writes, %d reads, %d walks, %d terms of an indexer", len(h.writes), len(h.reads), len(h.walks), len(h.terms))
	if len(h.writes) < 5 || len(h.reads) < 100 || len(h.walks) < 1 {
		f.Error(errors.New("too little happened to judge by"))
	}
}

// The log messages of a process that acquires or loses a lease.
const (
	leaseTaken    = "this process holds the lease from now on"
	leaseLost     = "another process took over the lease"
	leaseHanded   = "the lease is handed over to another process"
	processStarts = "starting"
)

// TestSeveralProcesses verifies that three processes on shared engines keep the promises of docs/architecture.md under
// mixed load, while one after the other is killed and restarted. FILMSTRIP_TEST_SOAK makes the test longer.
func TestSeveralProcesses(t *testing.T) {
	shared := apptest.Engines{PostgreSQL: true, Typesense: true, Redis: true}.Settings(t)
	f := startFleet(t, 3, shared...)
	throughout, ok := f.wholeFeed(t.Context(), rand.New(rand.NewPCG(1, 1)))
	if !ok || len(throughout) < demo.VideoCount()*9/10 {
		t.Fatalf("the feed has %d videos: %v", len(throughout), f.history.failures)
	}
	f.load(soak(15*time.Second), storeOf(shared), func(ctx context.Context) { f.disturb(ctx, 2*time.Second) })
	f.awaitAgreement()
	f.history.terms = f.terms()
	f.report(throughout)
}

// soak returns the duration of a load: FILMSTRIP_TEST_SOAK, or else a duration that suits every run of the tests.
func soak(short time.Duration) time.Duration {
	if d, err := time.ParseDuration(os.Getenv("FILMSTRIP_TEST_SOAK")); err == nil {
		return d
	}
	return short
}

// storeOf returns the store's settings among those of a server.
func storeOf(settings []string) []string {
	for i, setting := range settings {
		if setting == "--store" {
			return settings[i : i+2]
		}
	}
	return nil
}

// awaitAgreement waits until searches on every process find every register with its value in the store.
func (f *fleet) awaitAgreement() {
	f.Helper()
	for _, m := range f.members {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(50 * time.Millisecond) {
			missing := f.notFound(m)
			if missing == "" {
				break
			}
			if time.Now().After(deadline) {
				f.Errorf("%s never finds %s", m.name, missing)
				break
			}
		}
	}
}

// notFound returns a register that a process does not find by its current title.
func (f *fleet) notFound(m *member) string {
	for register := range registers {
		var video struct{ Title string }
		var page struct {
			Embedded struct{ Videos []struct{ ID, Title string } } `json:"_embedded"`
		}
		if f.read1(m, "/v1/videos/"+apptest.RegisterID(register), &video) != nil {
			return fmt.Sprint("register ", register, " by its id")
		}
		search := "/v1/videos?size=5&query=" + url.QueryEscape(`"`+video.Title+`"`)
		if f.read1(m, search, &page) != nil || len(page.Embedded.Videos) != 1 || page.Embedded.Videos[0].ID != apptest.RegisterID(register) {
			return video.Title
		}
	}
	return ""
}

// read1 reads a document from one process.
func (f *fleet) read1(m *member, path string, into any) error {
	status, body, err := f.once(f.Context(), m.base+path)
	if err != nil || status != http.StatusOK {
		return errors.Join(err, fmt.Errorf("%d %.200s", status, body))
	}
	return json.Unmarshal(body, into)
}
