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

// boundMemory gives the garbage collector the limit of the process, and shrinks the budgets of caches and queues to those of
// budgetOf. GOMEMLIMIT replaces the limit of the garbage collector.
func (c *Settings) boundMemory() error {
	if c.Memory != 0 && c.Memory < minMemory {
		return fmt.Errorf("--memory %d is below %d", c.Memory, minMemory)
	}
	total := int64(c.Memory) * mebibyte
	limited := os.Getenv("GOMEMLIMIT") != "" // not by another server of this process
	if limit := debug.SetMemoryLimit(-1); total == 0 && limited && limit != math.MaxInt64 {
		total = limit
	}
	if total == 0 {
		offered, err := offeredMemory()
		if err != nil {
			return fmt.Errorf("the memory of this machine is unknown (%w): set --memory", err)
		}
		total = offered / 4 * 3
	}
	if !limited {
		c.bounded = total
		debug.SetMemoryLimit(collectorLimit(total, 0))
	}
	c.fileCaches = total / 16
	budget := budgetOf(total) // a third of it is for the two caches without settings
	c.stateCache, c.feedCache = min(budget/4, 80*mebibyte), min(budget/12, 32*mebibyte)
	shrink((budget-c.stateCache-c.feedCache)/mebibyte, &c.CacheMemory, &c.PageMemory, &c.AnswerMemory, &c.EventMemory, &c.BodyMemory)
	c.BodyMemory = max(c.BodyMemory, minBodyMemory)
	return nil
}

// fixed is what a process takes without caches and without a catalogue: leastOutside, and what the collector always needs.
const fixed = 160 * mebibyte

// budgetOf returns how many bytes caches and queues may take together in a process that should take total bytes: a third of
// what is not fixed. The other two thirds are for the index, and for what requests take until the next collection. If caches
// took half, a small process would collect several times a second, which costs more than the hits of a larger cache save.
func budgetOf(total int64) int64 { return max((total-fixed)/3, total/5) }

// leastOutside is what a process takes at least of what the collector does not manage: the program itself, and the memory of
// SQLite.
const leastOutside = 96 * mebibyte

// collectorLimit returns the limit of the garbage collector in a process that should take total bytes and that takes outside
// bytes which the collector does not manage. A tenth remains free, because a collection may end later than planned.
func collectorLimit(total, outside int64) int64 {
	return max(total-max(outside, leastOutside)-total/10, total/2)
}

// paceCollector adapts the garbage collector to the process every second, until ctx ends. It lowers the limit of the collector by
// what the process takes outside of it. Beside a large embedded index, it bounds the growth of the heap: hardly anything in the index becomes
// garbage, so the heap need not have room for twice the index again. GOMEMLIMIT and GOGC replace the one and the other.
func (c *Settings) paceCollector(ctx context.Context) {
	samples := []metrics.Sample{
		{Name: "/gc/gogc:percent"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"},
	}
	metrics.Read(samples)
	_, set := os.LookupEnv("GOGC")
	set = set || samples[0].Value.Uint64() != GCPercent
	limit := debug.SetMemoryLimit(-1)
	for current := GCPercent; background.Sleep(ctx, time.Second, nil); {
		metrics.Read(samples)
		if percent := gcPercent(int64(samples[1].Value.Uint64()), embedded.Held()); !set && (percent < current*9/10 || percent > current*11/10) {
			debug.SetGCPercent(percent)
			current = percent
		}
		managed := int64(samples[2].Value.Uint64() - samples[3].Value.Uint64())
		if next := collectorLimit(c.bounded, residentMemory()-managed); c.bounded > 0 && (next < limit || next > limit+4*mebibyte) {
			debug.SetMemoryLimit(next)
			limit = next
		}
	}
}

// residentMemory returns the bytes of this process in the memory of the machine, or 0 if the system does not say.
func residentMemory() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	var size, resident int64
	if err == nil {
		_, err = fmt.Sscan(string(text), &size, &resident)
	}
	if err != nil {
		return 0
	}
	return resident * int64(os.Getpagesize())
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
