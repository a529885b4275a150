package wire_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// BenchmarkImport measures the time from the start of an import into an empty catalogue until searches of a server, which runs
// meanwhile, show all videos, and the processor time of the server and of Typesense for each video.
func BenchmarkImport(b *testing.B) {
	w := &world{
		B: b, binary: filepath.Join(b.TempDir(), "filmstrip"), typesense: testservers.Typesense(b), postgres: testservers.PostgreSQL(b), direct: newClient(),
	}
	if err := program.Build(w.binary); err != nil {
		b.Fatal(err)
	}
	w.run(nil, "migrate", "--store", w.postgres.URL)
	server, err := program.Start(exec.Command(w.binary, append([]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error"}, w.shared()...)...))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(server.Stop)
	engine, err := os.FindProcess(w.typesense.PID())
	if err != nil {
		b.Fatal(err)
	}
	processes := []*program.Process{server, {Process: engine}}
	used := func() (times []time.Duration) {
		for _, one := range processes {
			processor, err := one.ProcessorTime()
			if err != nil {
				b.Fatal(err)
			}
			times = append(times, processor)
		}
		return times
	}
	before, start := used(), time.Now()
	w.fill("--store", w.postgres.URL)
	stored := time.Since(start)
	time.Sleep(time.Second) // until the server has seen the last change of the log
	for w.lag(server) > 0 {
		if time.Since(start) > 10*time.Minute {
			b.Fatal("searches do not show all videos")
		}
		time.Sleep(200 * time.Millisecond)
	}
	shown := time.Since(start)
	fmt.Printf("\n%d videos: stored after %.1f s, searches show them after %.1f s\n", *videos, stored.Seconds(), shown.Seconds())
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(shown.Seconds(), "s-shown")
	for i, after := range used() {
		b.ReportMetric(float64((after-before[i]).Microseconds())/float64(*videos), []string{"server-µs/video", "typesense-µs/video"}[i])
	}
}

// lag returns how many changes of the catalogue the search index of a server lacks.
func (w *world) lag(server *program.Process) (changes int64) {
	w.Helper()
	request, err := http.NewRequest(http.MethodGet, server.Base+"/readyz", nil)
	if err != nil {
		w.Fatal(err)
	}
	response, err := w.direct.Do(request)
	if err != nil {
		w.Fatal(err)
	}
	defer response.Body.Close()
	var ready struct {
		Engines map[string]struct{ Lag *int64 }
	}
	if err := json.NewDecoder(response.Body).Decode(&ready); err != nil {
		w.Fatal(err)
	}
	for _, state := range ready.Engines {
		if state.Lag != nil {
			changes = max(changes, *state.Lag)
		}
	}
	return changes
}
