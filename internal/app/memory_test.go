package app

import (
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestMemoryIsOneSetting checks that --memory bounds the garbage collector and all budgets together.
func TestMemoryIsOneSetting(t *testing.T) {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	budgets := func(c *Settings) [5]int {
		return [5]int{c.CacheMemory, c.PageMemory, c.AnswerMemory, c.EventMemory, c.BodyMemory}
	}
	settings := func(memory int) *Settings {
		c := &Settings{Memory: memory, CacheMemory: 256, PageMemory: 128, AnswerMemory: 64}
		c.EventMemory, c.BodyMemory = 64, 256
		return c
	}
	for memory, want := range map[int][5]int{
		4096: {256, 128, 64, 64, 256},
		3616: {256, 128, 64, 64, 256},
		512:  {26, 13, 6, 6, 26},
		128:  {5, 2, 1, 1, 16},
	} {
		c := settings(memory)
		if err := c.boundMemory(); err != nil || budgets(c) != want {
			t.Errorf("--memory %d: %v (%v), want %v", memory, budgets(c), err, want)
		}
		if limit := debug.SetMemoryLimit(-1); limit != collectorLimit(int64(memory)*mebibyte, 0) || c.fileCaches != int64(memory)*mebibyte/16 {
			t.Errorf("--memory %d: the collector's limit is %d MiB", memory, limit>>20)
		}
	}
	t.Setenv("GOMEMLIMIT", "")
	offered, err := offeredMemory()
	if err != nil {
		t.Fatal(err)
	}
	for _, before := range []int64{math.MaxInt64, 64 * mebibyte} { // an earlier server of the process does not matter
		debug.SetMemoryLimit(before)
		if err := settings(0).boundMemory(); err != nil {
			t.Fatal(err)
		}
		if limit := debug.SetMemoryLimit(-1); limit != collectorLimit(offered/4*3, 0) {
			t.Errorf("after a limit of %d, it is %d of %d bytes", before, limit, offered)
		}
	}
	t.Setenv("GOMEMLIMIT", "300MiB")
	debug.SetMemoryLimit(300 * mebibyte)
	if err := settings(0).boundMemory(); err != nil || debug.SetMemoryLimit(-1) != 300*mebibyte {
		t.Errorf("GOMEMLIMIT=300MiB: the limit is %d (%v)", debug.SetMemoryLimit(-1), err)
	}
	if err := settings(100).boundMemory(); err == nil || !strings.Contains(err.Error(), "--memory 100") {
		t.Errorf("100 MiB: %v", err)
	}
}

// TestCollectorLeavesRoomForOthers checks the limit of the collector beside memory that it does not manage.
func TestCollectorLeavesRoomForOthers(t *testing.T) {
	for _, c := range []struct{ total, outside, limit int64 }{{500, 0, 354}, {500, 120, 330}, {500, 400, 250}, {128, 70, 64}, {4000, 300, 3300}} {
		if limit := collectorLimit(c.total*mebibyte, c.outside*mebibyte); limit != c.limit*mebibyte {
			t.Errorf("%d MiB with %d outside: the limit is %d, want %d", c.total, c.outside, limit/mebibyte, c.limit)
		}
	}
	if resident := residentMemory(); runtime.GOOS == "linux" && resident < mebibyte {
		t.Errorf("the process takes %d bytes", resident)
	}
}

// TestHeapDoesNotGrowByTheIndex checks how far the heap may grow: to three times the live data without an index, and beside a
// large one by the other data.
func TestHeapDoesNotGrowByTheIndex(t *testing.T) {
	for _, c := range []struct{ live, index, grown int64 }{
		{300, 0, 900}, {300, 10, 870}, {1000, 700, 1300}, {800, 700, 928}, {60, 0, 180}, {100, 700, 228},
	} {
		percent := gcPercent(c.live*mebibyte, c.index*mebibyte)
		if grown := c.live + c.live*int64(percent)/100; grown > c.grown+1 || grown < c.grown*95/100 {
			t.Errorf("%d MiB with an index of %d grow to %d, want %d", c.live, c.index, grown, c.grown)
		}
	}
}
