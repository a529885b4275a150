package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/store/postgres"
)

// bareTable is like the log, without positions, order or keys.
const bareTable = `CREATE TABLE bare (
	position bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, received bigint, at bigint, starts bigint, ends bigint, id uuid,
	kind smallint, sandbox boolean, account bytea, client bytea, video bytea, address bytea)`

var bareColumns = []string{"received", "at", "starts", "ends", "id", "kind", "sandbox", "account", "client", "video", "address"}

func bareRow(e *event.Event) []any {
	return []any{
		int64(e.Received), int64(e.At), e.Start, e.End, [16]byte(e.ID), int16(e.Kind), e.Sandbox,
		[]byte(e.Account), []byte(e.Client), []byte(e.Video), []byte(e.Address),
	}
}

// BenchmarkEvents compares Append with the server's own speed, on a server that flushes. The baseline inserts rows one
// by one and copies them in batches, on several connections. Append stores groups of one-event submissions, as requests
// that share a commit form them, and batches. The result is in events per second.
func BenchmarkEvents(b *testing.B) {
	server := testservers.PostgreSQL(b, testservers.Durable())
	if _, err := postgres.Migrate(context.Background(), server.URL); err != nil {
		b.Fatal(err)
	}
	execute(b, server.URL, bareTable)
	insert := "INSERT INTO bare (received, at, starts, ends, id, kind, sandbox, account, client, video, address) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)"
	for _, connections := range []int{1, 8, 32} {
		pool := bare(b, server.URL, connections)
		measure(b, fmt.Sprintf("bare inserts, %d connections", connections), connections, 1, func(batch []event.Submission) error {
			_, err := pool.Exec(context.Background(), insert, bareRow(&batch[0].Events[0])...)
			return err
		})
	}
	for _, connections := range []int{1, 3} {
		pool := bare(b, server.URL, connections)
		measure(b, fmt.Sprintf("bare copies of 500, %d connections", connections), connections, 500, func(batch []event.Submission) error {
			_, err := pool.CopyFrom(context.Background(), pgx.Identifier{"bare"}, bareColumns, pgx.CopyFromSlice(len(batch[0].Events),
				func(i int) ([]any, error) { return bareRow(&batch[0].Events[i]), nil }))
			return err
		})
	}
	e := open(b, server.URL).Events()
	add := func(batch []event.Submission) error {
		_, err := e.Append(context.Background(), batch)
		return err
	}
	for _, at := range []int{1, 2, 3} {
		for _, group := range []int{1, 8, 32, 100} {
			measure(b, fmt.Sprintf("groups of %d, %d at once", group, at), at, -group, add)
		}
		for _, size := range []int{500, 2000} {
			measure(b, fmt.Sprintf("batches of %d, %d at once", size, at), at, size, add)
		}
	}
	var keys atomic.Int64
	measure(b, "groups of 32 with keys, 1 at once", 1, -32, func(batch []event.Submission) error {
		for i := range batch {
			batch[i].Key = fmt.Sprint("key ", keys.Add(1))
		}
		return add(batch)
	})
}

// bare returns a connection pool of its own.
func bare(b *testing.B, url string, connections int) *pgxpool.Pool {
	b.Helper()
	config, err := pgxpool.ParseConfig(url)
	must(b, err)
	config.MaxConns = int32(connections)
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	must(b, err)
	b.Cleanup(pool.Close)
	return pool
}

// measure runs add in at goroutines. A call passes one submission of size events or, if size is negative, -size
// submissions of one event.
func measure(b *testing.B, name string, at, size int, add func([]event.Submission) error) {
	b.Run(name, func(b *testing.B) {
		each := max(size, -size)
		var (
			all  sync.WaitGroup
			left atomic.Int64
		)
		left.Store(int64(b.N))
		b.ResetTimer()
		for range at {
			all.Go(func() {
				batch := []event.Submission{submission("", max(size, 1))}
				for len(batch) < -size {
					batch = append(batch, submission("", 1))
				}
				for left.Add(-1) >= 0 {
					if err := add(batch); err != nil {
						b.Error(err)
					}
				}
			})
		}
		all.Wait()
		b.ReportMetric(float64(each)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
}
