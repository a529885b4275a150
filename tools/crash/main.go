// Crash reports events while it kills servers, and determines whether every event was stored correctly.
//
//	crash --filmstrip bin/filmstrip                        on SQLite
//	crash --filmstrip bin/filmstrip --store URL            on an empty PostgreSQL, with three processes
//
// Clients send single events and batches, with and without Idempotency-Key. A request without a clear response is
// repeated if it has a key, and otherwise never. Meanwhile, one process after the other is killed with SIGKILL at a
// random moment and started again. At the end, crash compares the log in the store with the acknowledged events. The
// exit status is 1 if an event is lost, duplicated or altered, if a batch is stored in part, or if positions have gaps.
//
// Servers listen on 127.0.0.1 only, have the accounts of the demo, and end with this program.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// settings configure a run.
type settings struct {
	binary    string
	store     string // "": SQLite
	processes int
	kills     int
	clients   int
	// pause is the longest time between the start of a process and its end.
	pause time.Duration
	seed  uint64
	// others are killed and started in turn with the processes.
	others []victim
}

// victim is a server that is killed and started again.
type victim interface {
	kill()
	start(ctx context.Context) error
}

func main() {
	var s settings
	flag.StringVar(&s.binary, "filmstrip", "bin/filmstrip", "the program to kill")
	flag.StringVar(&s.store, "store", "", "the address of an empty PostgreSQL database (default: SQLite)")
	flag.IntVar(&s.processes, "processes", 3, "the number of processes, on PostgreSQL")
	flag.IntVar(&s.kills, "kills", 50, "the number of kills")
	flag.IntVar(&s.clients, "clients", 16, "the number of concurrent clients")
	flag.DurationVar(&s.pause, "pause", 1500*time.Millisecond, "the longest time that a process runs before it is killed")
	flag.Uint64Var(&s.seed, "seed", uint64(time.Now().UnixNano()), "the seed of the random choices")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	result, err := crash(ctx, s)
	exitAfter(err)
	fmt.Print(result)
	if !result.sound() {
		os.Exit(1)
	}
}

// exitAfter ends the program after an error.
func exitAfter(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "crash:", err)
		os.Exit(1)
	}
}
