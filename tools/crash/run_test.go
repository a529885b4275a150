//go:build system

package crash_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// settings configure a run.
type settings struct {
	binary    string
	store     string // "": SQLite, whose data directory serves only one process
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

// crash sends events, kills servers, and counts the results.
func crash(ctx context.Context, s settings) (result, error) {
	f, err := startFleet(ctx, s)
	if err != nil {
		return result{}, err
	}
	defer f.stop()
	ledger := newLedger()
	c := newClients(f, ledger, s.clients)
	if err := c.logIn(ctx, f.servers[0].base); err != nil {
		return result{}, err
	}
	enough := make(chan struct{})
	var busy sync.WaitGroup
	for i := range s.clients {
		busy.Go(func() { c.send(ctx, enough, rand.New(rand.NewPCG(s.seed, uint64(i)))) })
	}
	err = f.disturb(ctx, s)
	close(enough)
	busy.Wait() // submissions with a key are repeated until answered; all servers run again
	if err != nil {
		return result{}, err
	}
	f.kill()
	if err := readLog(ctx, s, f.data(0), ledger); err != nil {
		return result{}, err
	}
	return ledger.evaluate(s.kills), nil
}

// startTime is about how long a process takes to become ready.
const startTime = 300 * time.Millisecond

// disturb kills one victim after the other, at random moments, and starts it again.
func (f *fleet) disturb(ctx context.Context, s settings) error {
	random := rand.New(rand.NewPCG(s.seed, 1<<32))
	victims := s.others
	for _, one := range f.servers {
		victims = append(victims, one)
	}
	for i := range s.kills {
		time.Sleep(time.Duration(random.Int64N(int64(s.pause))))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		one := victims[i%len(victims)]
		one.kill()
		if process, ok := one.(*server); ok && random.IntN(4) == 0 { // kill it again before it is ready
			if err := process.launch(); err != nil {
				return err
			}
			time.Sleep(time.Duration(random.Int64N(int64(startTime))))
			process.kill()
		}
		if err := one.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// readLog compares every event of the log with the ledger.
func readLog(ctx context.Context, s settings, data string, l *ledger) error {
	log, err := openLog(ctx, s, data)
	if err != nil {
		return err
	}
	read := func() error {
		head, err := log.Head(ctx)
		if err != nil {
			return err
		}
		for after := event.Position(0); after < head; {
			events, err := log.Read(ctx, store.EventQuery{}, after, 10_000)
			if err != nil {
				return err
			}
			if len(events) == 0 {
				l.fault("the log ends at %d, its head is %d", after, head)
				return nil
			}
			for i := range events {
				if after++; events[i].Position != after {
					l.fault("position %d follows %d", events[i].Position, after-1)
					after = events[i].Position
				}
				l.read(&events[i])
			}
		}
		return nil
	}
	return errors.Join(read(), log.Close())
}

func openLog(ctx context.Context, s settings, data string) (store.Events, error) {
	if s.store == "" {
		return sqlite.OpenEvents(ctx, filepath.Join(data, eventsFile))
	}
	database, err := postgres.Open(ctx, s.store)
	if err != nil {
		return nil, err
	}
	return database.Events(), nil // closing it closes the database
}
