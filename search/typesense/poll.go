package typesense

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// watch polls until the index is closed.
func (x *Index) watch(ctx context.Context) {
	defer close(x.stopped)
	ticks := time.NewTicker(pollEvery)
	defer ticks.Stop()
	failing := false
	kept := x.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		err := x.poll(ctx)
		if at := x.current.Load(); err == nil && at != nil && at.collection != "" && x.now().Sub(kept) >= keepEvery {
			kept = x.now()
			if err := x.keep(ctx, at.collection); err != nil && ctx.Err() == nil {
				x.logger.Warn("the search index cannot be marked as in use for other processes", "error", err)
			}
		}
		if failed := err != nil && ctx.Err() == nil; failed != failing {
			failing = failed
			if failed {
				x.logger.Warn("the search index cannot be seen", "error", err)
			} else if ctx.Err() == nil {
				x.logger.Info("the search index is seen again")
			}
		}
	}
}

// keepEvery is the interval at which a process records that it uses a build.
const keepEvery = time.Hour

// poll takes a snapshot of the server and makes it the build that searches use. After an outage, or if the snapshot
// contains less than the previous one, poll accepts it only once the server has caught up with every write
// (takeFullSnapshot). Until then, and after a failed poll, searches fail.
func (x *Index) poll(ctx context.Context) error {
	if err := x.polling.begin(ctx); err != nil {
		return err
	}
	defer x.polling.finish()
	err := x.pollOnce(ctx)
	if err != nil && ctx.Err() == nil {
		x.failure.Store(&err)
		x.doubt.CompareAndSwap(certain, away)
	}
	return err
}

// cancelableLock is a lock whose waiters can stop waiting.
type cancelableLock chan struct{}

func (l cancelableLock) begin(ctx context.Context) error {
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return unavailable("is being polled", ctx.Err())
	}
}

func (l cancelableLock) finish() { <-l }

// The values of Index.doubt. Searches succeed while it is certain, and fail otherwise.
const (
	certain int32 = iota
	away          // the server did not answer
	loading       // the server has fewer documents than the state promises
)

func (x *Index) pollOnce(unlimited context.Context) error {
	ctx, cancel := context.WithTimeout(unlimited, pollTimeout)
	defer cancel()
	seen, err := x.takeSnapshot(ctx)
	// The two parts of a snapshot may be inconsistent if a write came between them. The next snapshot is consistent.
	for again := 0; again < 2 && err == nil && x.isLess(&seen); again++ {
		seen, err = x.takeSnapshot(ctx)
	}
	if err != nil {
		return err
	}
	if isLess := x.isLess(&seen); isLess || x.doubt.Load() != certain {
		if isLess && x.doubt.Swap(loading) != loading {
			x.logger.Warn("the search engine is loading its documents", "documents", seen.documents, "promised", seen.state.Count)
		}
		if seen, err = x.takeFullSnapshot(ctx); err != nil {
			return err
		}
		x.believed = &seen
	} else if x.believed != nil && *x.believed != seen {
		x.believed = nil
	}
	shown, err := x.isShownHere(ctx, &seen)
	if err != nil || !shown {
		return err
	}
	return x.adopt(unlimited, &seen)
}

// isLess reports whether a snapshot contains less than its state requires, or less than the current build.
func (x *Index) isLess(seen *snapshot) bool {
	known := x.current.Load()
	hasBefore := known != nil && known.collection != ""
	switch {
	case x.believed != nil && *seen == *x.believed:
		return false
	case seen.collection == "":
		return hasBefore
	case !seen.complete():
		return true
	case !hasBefore:
		return false
	case seen.collection == known.collection:
		return seen.state.Serial < known.state.Serial
	}
	return seen.state.Build < known.state.Build
}

// isSame reports whether a build is the build of a snapshot after the same write.
func (b *build) isSame(seen *snapshot) bool {
	return b != nil && b.collection == seen.collection && b.state.Serial == seen.state.Serial
}

// adopt makes a snapshot the build that searches use.
func (x *Index) adopt(ctx context.Context, seen *snapshot) error {
	known := x.current.Load()
	next := empty()
	switch {
	case seen.collection == "" || !seen.known:
		if known != nil && known.collection == "" {
			next = known
		}
	case known.isSame(seen):
		next = known
	case x.prepared.isSame(seen):
		next = x.prepared
	default:
		loaded, err := x.load(ctx, seen, known)
		if err != nil {
			return err
		}
		next = loaded
	}
	x.current.Store(next)
	if x.doubt.Swap(certain) == loading {
		x.logger.Info("the search engine has loaded its documents", "documents", seen.documents)
	}
	return nil
}

// load reads the words that another process wrote to a build.
func (x *Index) load(ctx context.Context, seen *snapshot, known *build) (*build, error) {
	made := &build{collection: seen.collection, state: seen.state, position: seen.state.Position}
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	vocabulary, after := &vocabulary{}, int64(-1)
	if known != nil && known.collection == seen.collection {
		vocabulary, after = known.vocabulary, known.state.Serial
	} else if fits, err := x.hasOurSchema(ctx, seen.collection); err != nil || !fits {
		return empty(), err
	}
	for _, after := range slices.Compact([]int64{after, -1}) {
		loaded, err := x.loadVocabulary(ctx, vocabulary, seen.collection, after)
		if isStatus(err, http.StatusNotFound) {
			x.logger.Warn("the words of the search index are gone", "collection", seen.collection)
			return empty(), nil
		}
		if err != nil {
			return nil, err
		}
		if int64(loaded.size()) >= seen.state.Words {
			made.vocabulary = loaded
			return made, nil
		}
	}
	return nil, unavailable("has not loaded its words yet", nil)
}

// hasOurSchema reports whether a collection has all fields of the schema of this release.
func (x *Index) hasOurSchema(ctx context.Context, collection string) (bool, error) {
	info, err := x.server.collection(ctx, collection)
	if err != nil {
		return false, err
	}
	for _, wanted := range x.schema(collection).Fields {
		if !slices.ContainsFunc(info.Fields, wanted.isLike) {
			x.logger.Warn("the search index is none of this release", "collection", collection, "field", wanted.Name)
			return false, nil
		}
	}
	return true, nil
}

// isLike reports whether two fields have the same name, type, facet and index settings.
func (f field) isLike(other field) bool {
	indexed := func(f field) bool { return f.Index == nil || *f.Index }
	return f.Name == other.Name && f.Type == other.Type && f.Facet == other.Facet && indexed(f) == indexed(other)
}
