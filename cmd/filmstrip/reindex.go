package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search/embedded"
)

type reindexCommand struct {
	Data string `help:"The directory of SQLite's files and of the index's snapshot (${default})." placeholder:"DIR" default:"data"`
	storeSettings
	searchSettings
}

// reindexRequest is a file in the data directory by which the command asks a running server, whose
// index lives in that process, to build it anew. The server removes it when it has.
const reindexRequest = "reindex.request"

// Run builds the index that processes share, while they go on searching in the one before. An index of
// one process is built here where no server runs on the data, else by the server, and waited for.
func (c *reindexCommand) Run(ctx context.Context, console console) error {
	if err := errors.Join(c.storeSettings.check(), c.searchSettings.check()); err != nil {
		return err
	}
	if err := c.storeSettings.mustExist(c.Data); err != nil {
		return err
	}
	if !c.inMemory() {
		return c.build(ctx, console)
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(c.Data, serverLock))
	taken, err := lock.TryLock()
	if err != nil {
		return err
	}
	if !taken {
		if done, err := c.ask(ctx, console, lock); done || err != nil {
			return err
		}
	}
	defer func() { _ = lock.Unlock() }()
	return c.build(ctx, console)
}

func (c *reindexCommand) build(ctx context.Context, console console) (err error) {
	options := projection.Options{Logger: slog.New(slog.DiscardHandler)}
	stores, err := c.storeSettings.open(ctx, c.Data, options.Logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.close()) }()
	options.Store = stores.catalogue
	if err := c.openIndex(ctx, stores, &options); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, options.Index.Close()) }()
	started := time.Now()
	follower := projection.New(options)
	if err := follower.Rebuild(ctx); err != nil {
		return err
	}
	if err := follower.Save(ctx); err != nil {
		return err
	}
	n, err := options.Index.Count(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(console.out, "%d videos indexed in %s\n", n, time.Since(started).Round(time.Millisecond))
	return c.buildCollections(ctx, console, stores)
}

// buildCollections builds the index of collections that processes share. One of a process alone is built
// whenever the process starts.
func (c *reindexCommand) buildCollections(ctx context.Context, console console, stores *stores) (err error) {
	if c.inMemory() {
		return nil
	}
	analyzer, err := analyzerOf(c.Synonyms)
	if err != nil {
		return err
	}
	namespace, err := stores.namespace(ctx)
	if err != nil {
		return err
	}
	logger := slog.New(slog.DiscardHandler)
	index, lease, err := c.searchSettings.openCollections(ctx, stores, namespace, analyzer, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	started := time.Now()
	if err := projection.NewCollections(stores.collections, index, projection.Options{Logger: logger, Lease: lease}).Rebuild(ctx); err != nil {
		return err
	}
	n, err := index.Count(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(console.out, "%d collections indexed in %s\n", n, time.Since(started).Round(time.Millisecond))
	return nil
}

// openIndex opens the index that is to be built, with what says how it is kept.
func (c *reindexCommand) openIndex(ctx context.Context, stores *stores, options *projection.Options) error {
	analyzer, err := analyzerOf(c.Synonyms)
	if err != nil {
		return err
	}
	if c.inMemory() {
		index, err := embedded.Open(embedded.Options{Dir: filepath.Join(c.Data, searchFolder), Analyzer: analyzer})
		if err != nil {
			return err
		}
		options.Index, options.Snapshots = index, index
		return nil
	}
	namespace, err := stores.namespace(ctx)
	if err != nil {
		return err
	}
	index, err := c.searchSettings.open(ctx, namespace, analyzer, options.Logger)
	if err != nil {
		return err
	}
	// What the lease waits for is said by nobody: an index that is away is a fault at once.
	limited, cancel := context.WithTimeout(ctx, c.SearchTimeout)
	defer cancel()
	if _, err := index.Check(limited); err != nil {
		return fmt.Errorf("--search: %w", errors.Join(err, index.Close()))
	}
	options.Index, options.Lease = index, stores.indexLease(index.Name())
	return nil
}

// ask has the running server build the index, and waits for it. Where the server ends before it has, done
// is false: the data are this command's now, and locked.
func (c *reindexCommand) ask(ctx context.Context, console console, lock *flock.Flock) (done bool, err error) {
	request := filepath.Join(c.Data, reindexRequest)
	if err := os.WriteFile(request, nil, 0o600); err != nil {
		return false, err
	}
	fmt.Fprintln(console.out, "a server is running on this data; it rebuilds the index and continues to answer")
	for {
		if _, err := os.Stat(request); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(console.out, "done")
			return true, nil
		}
		if taken, err := lock.TryLock(); taken || err != nil {
			fmt.Fprintln(console.out, "the server has stopped; this command builds the index")
			if removed := os.Remove(request); !errors.Is(removed, fs.ErrNotExist) {
				err = errors.Join(err, removed)
			}
			return false, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// obeyReindexRequests builds the index anew whenever the command asks for it, until the context
// ends. A request that fails stays, and is tried again.
func obeyReindexRequests(ctx context.Context, data string, rebuild func(context.Context) error, logger *slog.Logger) {
	request := filepath.Join(data, reindexRequest)
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(500 * time.Millisecond):
		}
		if _, err := os.Stat(request); err != nil {
			continue
		}
		err := rebuild(ctx)
		if err == nil {
			err = os.Remove(request)
		}
		if err != nil {
			logger.Error("the index cannot be built anew", "error", err)
		}
	}
}
