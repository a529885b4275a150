package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// Reindex rebuilds the search indexes from the store.
type Reindex struct {
	Data string `help:"The directory of SQLite's files and of the index's snapshot (${default})." placeholder:"DIR" default:"data"`
	StoreSettings
	searchSettings
}

// ReindexRequest is the name of a file in the data directory. With it, the command asks a running server, whose index
// lives in that process, to rebuild the index. The server removes the file after the rebuild.
const ReindexRequest = "reindex.request"

// Reindexed is the result of Reindex. Videos and Collections are the numbers of indexed items. They are nil if a running
// server rebuilt its index; Collections is also nil if the index of collections is built at each start of a server.
type Reindexed struct {
	ByServer    bool   `json:"byServer"`
	Videos      *int64 `json:"videos"`
	Collections *int64 `json:"collections"`
}

// Run rebuilds an index that processes share, while they continue to search the previous one. It rebuilds the index
// of a single process only if no server runs on the data; otherwise it asks that server to do so, and waits. It writes
// its progress and the result, as text, to out.
func (c *Reindex) Run(ctx context.Context, out io.Writer) (result Reindexed, err error) {
	if err := errors.Join(c.StoreSettings.Check(), c.searchSettings.Check()); err != nil {
		return result, err
	}
	if err := c.StoreSettings.MustExist(c.Data, CatalogueFile); err != nil {
		return result, err
	}
	if !c.inMemory() {
		err = c.build(ctx, out, &result)
		return result, err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return result, err
	}
	lock := flock.New(filepath.Join(c.Data, ServerLock))
	taken, err := lock.TryLock()
	if err != nil {
		return result, err
	}
	if !taken {
		if done, err := c.ask(ctx, out, lock); done || err != nil {
			return Reindexed{ByServer: done}, err
		}
	}
	defer func() { _ = lock.Unlock() }()
	err = c.build(ctx, out, &result)
	return result, err
}

func (c *Reindex) build(ctx context.Context, out io.Writer, result *Reindexed) (err error) {
	options := projection.Options{Logger: slog.New(slog.DiscardHandler), Model: c.EmbeddingsModel}
	stores, err := c.StoreSettings.Open(ctx, c.Data, options.Logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	options.Store = stores.Catalogue
	index, err := c.openIndex(ctx, stores, &options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	started := time.Now()
	follower := projection.New(options)
	if err := follower.Rebuild(ctx); err != nil {
		return err
	}
	if err := follower.Save(ctx); err != nil {
		return err
	}
	n, err := index.Count(ctx)
	if err != nil {
		return err
	}
	result.Videos = new(int64(n))
	fmt.Fprintf(out, "%d videos indexed in %s\n", n, time.Since(started).Round(time.Millisecond))
	return c.buildCollections(ctx, out, stores, result)
}

// buildCollections rebuilds the shared index of collections. An index in memory is built at each start of its process.
func (c *Reindex) buildCollections(ctx context.Context, out io.Writer, stores *Stores, result *Reindexed) (err error) {
	if c.inMemory() {
		return nil
	}
	analyzer, err := openAnalyzer(c.Synonyms)
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
	if err := projection.NewCollections(stores.Collections, index, projection.Options{Logger: logger, Lease: lease}).Rebuild(ctx); err != nil {
		return err
	}
	n, err := index.Count(ctx)
	if err != nil {
		return err
	}
	result.Collections = new(int64(n))
	fmt.Fprintf(out, "%d collections indexed in %s\n", n, time.Since(started).Round(time.Millisecond))
	return nil
}

// openIndex opens the index to build, and sets the options that belong to it.
func (c *Reindex) openIndex(ctx context.Context, stores *Stores, options *projection.Options) (search.Index, error) {
	analyzer, err := openAnalyzer(c.Synonyms)
	if err != nil {
		return nil, err
	}
	if c.inMemory() {
		index, err := embedded.Open(embedded.Options{Dir: filepath.Join(c.Data, SearchFolder), Analyzer: analyzer, Model: c.EmbeddingsModel})
		if err != nil {
			return nil, err
		}
		options.Index, options.Snapshots = index, index
		return index, nil
	}
	namespace, err := stores.namespace(ctx)
	if err != nil {
		return nil, err
	}
	index, err := c.searchSettings.open(ctx, namespace, analyzer, options.Logger)
	if err != nil {
		return nil, err
	}
	// A follower waits for its lease without an error, so this command must detect an unavailable index here.
	limited, cancel := context.WithTimeout(ctx, c.SearchTimeout)
	defer cancel()
	if _, err := index.Check(limited); err != nil {
		return nil, fmt.Errorf("--search: %w", errors.Join(err, index.Close()))
	}
	options.Index, options.Lease = index, stores.indexLease(index.Name())
	return index, nil
}

// ask makes the running server rebuild the index, and waits for it. If the server ends first, done is false and this
// process holds the lock of the data.
func (c *Reindex) ask(ctx context.Context, out io.Writer, lock *flock.Flock) (done bool, err error) {
	request := filepath.Join(c.Data, ReindexRequest)
	if err := os.WriteFile(request, nil, 0o600); err != nil {
		return false, err
	}
	fmt.Fprintln(out, "a server is running on this data; it rebuilds the index and continues to answer")
	for {
		if _, err := os.Stat(request); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintln(out, "done")
			return true, nil
		}
		if taken, err := lock.TryLock(); taken || err != nil {
			fmt.Fprintln(out, "the server has stopped; this command builds the index")
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

// serveReindexRequests rebuilds the index whenever a request file appears, until the context ends. After a failure, the
// file stays and the server tries again.
func serveReindexRequests(ctx context.Context, data string, rebuild func(context.Context) error, logger *slog.Logger) {
	request := filepath.Join(data, ReindexRequest)
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
			logger.Error("the index cannot be rebuilt", "error", err)
		}
	}
}
