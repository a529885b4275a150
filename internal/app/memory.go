package app

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/search/embedded"
)

const mebibyte = 1 << 20

// minMemory is the smallest --memory, in MiB: the program, a small catalogue and its index.
const minMemory = 128

// boundMemory tells the garbage collector the limit of the process, and shrinks the budgets of caches and queues if they
// take more than half of it. GOMEMLIMIT replaces the limit of the garbage collector.
func (c *Settings) boundMemory() error {
	if c.Memory != 0 && c.Memory < minMemory {
		return fmt.Errorf("--memory %d is below %d", c.Memory, minMemory)
	}
	total := int64(c.Memory) * mebibyte
	limit := debug.SetMemoryLimit(-1)
	if total == 0 {
		total = limit
		if limit == math.MaxInt64 {
			offered, err := offeredMemory()
			if err != nil {
				return fmt.Errorf("the memory of this machine is unknown (%w): set --memory", err)
			}
			total = offered / 4 * 3
		}
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(total / 10 * 9) // the rest is for what the collector does not manage, such as the program itself
	}
	shrink(total/2/mebibyte, &c.CacheMemory, &c.PageMemory, &c.AnswerMemory, &c.EventMemory, &c.BodyMemory)
	c.BodyMemory = max(c.BodyMemory, minBodyMemory)
	return nil
}

// paceCollector bounds the growth of the heap beside a large embedded index, until ctx ends. Hardly anything in the index becomes
// garbage, so the heap need not have room for twice the index again. If GOGC is set, it does nothing.
func paceCollector(ctx context.Context) {
	samples := []metrics.Sample{{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/live:bytes"}}
	metrics.Read(samples)
	if _, set := os.LookupEnv("GOGC"); set || samples[0].Value.Uint64() != GCPercent {
		return
	}
	for current := GCPercent; background.Sleep(ctx, time.Second, nil); {
		metrics.Read(samples)
		percent := gcPercent(int64(samples[1].Value.Uint64()), embedded.Held())
		if percent < current*9/10 || percent > current*11/10 {
			debug.SetGCPercent(percent)
			current = percent
		}
	}
}

// gcPercent returns by how many percent a heap may grow, of which live bytes are in use, the index among them. Without an index
// these are GCPercent; beside a large one, the heap grows by as much as the other data takes.
func gcPercent(live, index int64) int {
	others := max(live-index, 128*mebibyte)
	growth := max(others, GCPercent*others/100-index)
	return int(min(GCPercent, growth*100/max(live, 1)))
}

// offeredMemory returns the bytes that the machine has, or that the container may use if that is less.
func offeredMemory() (int64, error) {
	offered, err := memlimit.FromSystem()
	if limit, failed := memlimit.FromCgroup(); failed == nil && limit > 0 && (err != nil || limit < offered) {
		offered, err = limit, nil
	}
	return int64(min(offered, math.MaxInt64)), err
}

// shrink reduces budgets in proportion, to at least 1, if their sum exceeds most.
func shrink(most int64, budgets ...*int) {
	sum := int64(0)
	for _, budget := range budgets {
		sum += int64(*budget)
	}
	if sum <= most {
		return
	}
	for _, budget := range budgets {
		*budget = max(1, int(int64(*budget)*most/sum))
	}
}
