//go:build system

package fleet_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// upgrade is a fleet that is upgraded from one release to the next.
type upgrade struct {
	*fleet
	old, next string // program files
	store     []string
	migrated  chan struct{}
}

// TestOldAndNewSideBySide upgrades a fleet under mixed load as docs/operations.md describes, and verifies the promises
// of docs/architecture.md. It migrates the schema first, which the old processes and the old import continue to use,
// and then replaces one process after the other. FILMSTRIP_TEST_SOAK makes the test longer.
func TestOldAndNewSideBySide(t *testing.T) {
	shared := apptest.Engines{PostgreSQL: true, Typesense: true, Redis: true}.Settings(t)
	u := &upgrade{old: apptest.Binary(t), next: apptest.NextRelease(t), store: storeOf(shared), migrated: make(chan struct{})}
	u.fleet = startFleet(t, 3, shared...)
	throughout, ok := u.wholeFeed(t.Context(), rand.New(rand.NewPCG(1, 1)))
	if !ok || len(throughout) < demo.VideoCount()*9/10 {
		t.Fatalf("the feed has %d videos: %v", len(throughout), u.history.failures)
	}
	u.rejectsOldSchema(append([]string{"serve", "--addr", testservers.FreeAddress(t)}, shared...), "")
	u.rejectsOldSchema(append([]string{"import", "-"}, u.store...), apptest.RegistersChannel)

	d := soak(12 * time.Second)
	u.load(d, u.store, func(context.Context) { u.roll(t.Context(), d/12) }, u.writeInTurn, u.readWrittenInTurn)
	u.awaitAgreement()
	u.history.terms = u.terms()
	u.report(throughout)
	u.checkColumn()
}

// rejectsOldSchema verifies that the next release refuses to work on a schema older than its own, and says what to do.
func (u *upgrade) rejectsOldSchema(arguments []string, input string) {
	u.Helper()
	ctx, cancel := context.WithTimeout(u.Context(), 30*time.Second)
	defer cancel()
	output, err := runProgram(ctx, u.next, input, arguments...)
	if err == nil || ctx.Err() != nil || !strings.Contains(output, "run filmstrip migrate") {
		u.Errorf("before the migration the next release's %s ends with %v: %s", arguments[0], err, output)
	}
}

func runProgram(ctx context.Context, file, input string, arguments ...string) (output string, err error) {
	process := exec.CommandContext(ctx, file, arguments...)
	process.Stdin = strings.NewReader(input)
	text, err := process.CombinedOutput()
	return string(text), err
}

// roll migrates, restarts one of the old processes on the new schema, and then replaces all.
func (u *upgrade) roll(ctx context.Context, pause time.Duration) {
	sleepFor(ctx, pause)
	steps, err := runProgram(ctx, u.next, "", append([]string{"migrate"}, u.store...)...)
	if err != nil || !regexp.MustCompile(`next_look.*applied now`).MatchString(steps) {
		u.history.failed("the migration ends with %v: %s", err, steps)
		return
	}
	close(u.migrated)
	sleepFor(ctx, pause)
	u.replace(u.members[0], u.old)
	for _, m := range u.members {
		sleepFor(ctx, pause)
		u.replace(m, u.next)
	}
	sleepFor(ctx, pause)
}

// replace stops a process gracefully and starts it from a program file.
func (f *fleet) replace(m *member, file string) {
	m.end(syscall.SIGTERM)
	f.start(m, file)
	f.awaitReady(m)
}

// firstInTurn is the first of the registers that both releases write, after those of the load.
const firstInTurn = registers

// writeInTurn increases registers by imports of the old release and, once it may write, of the next release in turn.
func (u *upgrade) writeInTurn(ctx context.Context) {
	for value, last := 1, false; !last; value++ {
		last = ctx.Err() != nil && u.isMigrated()
		file := u.old
		if u.isMigrated() && value%2 == 0 {
			file = u.next
		}
		register := firstInTurn + value/2%registers // each register is written by the next release, then by the old one
		if output, err := runProgram(u.Context(), file, apptest.RegistersChannel+apptest.RegisterLine(register, value), append([]string{"import", "-"}, u.store...)...); err != nil {
			u.history.failed("import by %s: %v: %s", filepath.Base(file), err, output)
			return
		}
		u.history.addWrite(written{register, value, time.Now()})
	}
}

func (u *upgrade) isMigrated() bool {
	select {
	case <-u.migrated:
		return true
	case <-u.Context().Done():
		return true // no reader waits any longer
	default:
		return false
	}
}

// readWrittenInTurn reads the registers that both releases write, until the context ends.
func (u *upgrade) readWrittenInTurn(ctx context.Context) {
	random := rand.New(rand.NewPCG(2, 2))
	for ; ctx.Err() == nil; sleepFor(ctx, 5*time.Millisecond) {
		u.history.mu.Lock()
		known := slices.Clone(u.history.writes)
		u.history.mu.Unlock()
		known = slices.DeleteFunc(known, func(w written) bool {
			return w.register < firstInTurn || time.Since(w.answered) < apptest.LagAllowed // not every process may know the write yet
		})
		if len(known) == 0 {
			continue
		}
		var video struct{ Title string }
		register := known[random.IntN(len(known))].register
		process, asked, ok := u.get(ctx, random, "/v1/videos/"+apptest.RegisterID(register), &video)
		if !ok {
			continue
		}
		var named, value int
		if _, err := fmt.Sscanf(video.Title, "Register %d stands at %d", &named, &value); err != nil || named != register {
			u.history.failed("%s shows register %d as %q", process, register, video.Title)
			continue
		}
		u.history.addPage(seen{register, value, process, asked})
	}
}

// checkColumn verifies that the next release filled the column that only it knows, and that no other process did.
func (u *upgrade) checkColumn() {
	u.Helper()
	ctx := context.Background()
	connection := apptest.Must(pgx.Connect(ctx, u.store[1]))(u)
	defer func() { _ = connection.Close(ctx) }() // it only reads
	count := func(condition string) (n int) {
		u.Helper()
		if err := connection.QueryRow(ctx, "SELECT count(*) FROM videos WHERE "+condition).Scan(&n); err != nil {
			u.Fatal(err)
		}
		return n
	}
	const inTurn = "id >= 'ffffffffffffffffffff0014' AND id < 'ffffffffffffffffffff0028'"
	if n := count("next_look IS NOT NULL AND " + inTurn); n == 0 {
		u.Error("the next release has written nothing of its own")
	}
	if n := count("next_look IS NOT NULL AND NOT (" + inTurn + ")"); n > 0 {
		u.Errorf("%d videos that only the old release wrote have fields that only the next one knows", n)
	}
	u.Logf("the next release wrote %d of %d registers", count("next_look IS NOT NULL"), count(inTurn))
}

// TestTwoSetsOfIndexingRules verifies that processes whose index follows other indexing rules build their own index
// beside the existing one, in the same Typesense and Redis, while the other processes continue to answer. Neither kind
// gets cached responses of the other, and no rebuild removes data of the other.
func TestTwoSetsOfIndexingRules(t *testing.T) {
	shared := apptest.Engines{PostgreSQL: true, Typesense: true, Redis: true}.Settings(t)
	synonyms := []string{"--synonyms", apptest.WriteFile(t, "synonyms.txt", "qwyjibo, register\n")}
	others := indexesOf(t, shared, nil)
	f := startFleet(t, 3, shared...)
	plain, other := f.members[:1], f.members[1:]
	f.load(soak(8*time.Second), storeOf(shared), func(context.Context) {
		f.settings = append(f.settings, synonyms...)
		for _, m := range other {
			f.replace(m, apptest.Binary(t))
		}
	})
	if len(f.history.failures) > 0 {
		t.Error(f.history.failures)
	}
	both := func(when string) {
		t.Helper()
		f.awaitAgreement()
		for _, m := range slices.Concat(plain, other, plain, other) { // the second responses come from caches
			want := 0
			if m != plain[0] {
				want = registers
			}
			if got := f.total(m, "qwyjibo"); got != want {
				t.Errorf("%s: %s finds %d registers by the synonym, want %d", when, m.name, got, want)
			}
		}
	}
	both("rolled")
	before := indexesOf(t, shared, others)
	if len(before) != 4 {
		t.Fatalf("Typesense has the indexes %v, want those of videos and of collections of each kind", before)
	}
	for kind, more := range map[string][]string{"plain": nil, "other": synonyms} {
		output, err := runProgram(t.Context(), apptest.Binary(t), "", slices.Concat([]string{"reindex"}, indexSettings(shared), more)...)
		if err != nil {
			t.Errorf("reindex of the %s kind: %v: %s", kind, err, output)
		}
		both("reindexed " + kind)
	}
	after := indexesOf(t, shared, others) // indexes of collections are built as well, although there are no collections
	for alias, collection := range before {
		if after[alias] == "" || after[alias] == collection || len(after) != 4 {
			t.Errorf("rebuilding each kind turned the indexes %v into %v", before, after)
		}
	}
	f.replace(plain[0], apptest.Binary(t)) // with the others' rules from now on, so that no process keeps the old ones
	if got := f.total(plain[0], "qwyjibo"); got != registers {
		t.Errorf("replaced, %s finds %d registers by the synonym", plain[0].name, got)
	}
}

// total returns the number of videos that a process finds for a query.
func (f *fleet) total(m *member, query string) int {
	f.Helper()
	var page struct{ Page struct{ TotalElements int } }
	if err := f.read1(m, "/v1/videos?size=1&query="+url.QueryEscape(query), &page); err != nil {
		f.Fatal(err)
	}
	return page.Page.TotalElements
}

// indexSettings returns the settings of store and index among those of a server.
func indexSettings(settings []string) (kept []string) {
	for i := 0; i+1 < len(settings); i += 2 {
		if settings[i] != "--cache" {
			kept = append(kept, settings[i:i+2]...)
		}
	}
	return kept
}

// indexName matches the alias of an index, which consists of the catalogue and the indexing rules.
var indexName = regexp.MustCompile(`^filmstrip-[0-9a-f]+-[0-9a-f]{8}$`)

// indexesOf asks Typesense for the collection behind each alias, without the aliases of other tests.
func indexesOf(t testing.TB, settings []string, others map[string]string) map[string]string {
	t.Helper()
	value := func(name string) string { return settings[slices.Index(settings, name)+1] }
	address := strings.TrimPrefix(value("--search"), "typesense+") + "/aliases"
	request := apptest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))(t)
	request.Header.Set("X-TYPESENSE-API-KEY", value("--search-key"))
	response := apptest.Must(http.DefaultClient.Do(request))(t)
	defer response.Body.Close()
	var answer struct {
		Aliases []struct {
			Name       string
			Collection string `json:"collection_name"`
		}
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("Typesense lists no aliases: %d %v", response.StatusCode, err)
	}
	indexes := map[string]string{}
	for _, alias := range answer.Aliases {
		if _, known := others[alias.Name]; !known && indexName.MatchString(alias.Name) {
			indexes[alias.Name] = alias.Collection
		}
	}
	return indexes
}
