package typesense

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/search"
)

// Rebuild implements search.Index. It fills a new pair of collections next to the old pair and then points the alias to
// the new one. It deletes the old pair once no search of any process can still use it, because Typesense finds fewer
// and fewer documents in a collection during its deletion.
func (x *Index) Rebuild(ctx context.Context, position int64, documents iter.Seq2[search.Document, error]) error {
	return rebuild(ctx, x, position, documents, (*writer).putVideo)
}

func rebuild[D any](
	ctx context.Context, x *Index, position int64, documents iter.Seq2[D, error], put func(*writer, context.Context, *D) error,
) error {
	x.writing.Lock()
	defer x.writing.Unlock()
	before, err := x.beginWrite(ctx)
	if err != nil {
		return err
	}
	if err := x.sweep(ctx); err != nil {
		return err
	}
	made, err := x.create(ctx, before.state.Build+1)
	if err != nil {
		return err
	}
	filled, err := fill(ctx, x.newWriter(made), position, documents, put)
	if err != nil {
		x.discard(ctx, made.collection)
		return err
	}
	// From here on the alias may point to the new build, even after an error. The new build must therefore stay.
	if err := x.publish(ctx, filled); err != nil {
		return err
	}
	if before.collection != "" {
		x.retiring.Go(func() {
			time.Sleep(x.linger + loadingTime(filled.state.Words))
			x.discard(ctx, before.collection)
		})
	}
	return nil
}

// loadingTime returns the time that other processes may take to load a number of words before they use a build. Until
// then they search the previous build.
func loadingTime(words int64) time.Duration { return time.Duration(words) * time.Second / 50_000 }

// heartbeatEvery is the interval at which a long rebuild updates its Heartbeat.
const heartbeatEvery = time.Minute

// fill writes the documents into a new build.
func fill[D any](
	ctx context.Context, w *writer, position int64, documents iter.Seq2[D, error], put func(*writer, context.Context, *D) error,
) (*build, error) {
	x := w.index
	defer func() { _ = w.settle() }() // no request is pending anymore
	w.state.Position = position
	heartbeat := x.now()
	for document, err := range documents {
		if err == nil {
			err = put(w, ctx, &document)
		}
		if err == nil && x.now().Sub(heartbeat) >= heartbeatEvery {
			heartbeat = x.now()
			err = x.writeState(ctx, &w.state)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := w.flush(ctx); err != nil {
		return nil, err
	}
	if err := w.finish(ctx); err != nil {
		return nil, err
	}
	return w.build(), nil
}

// The minimum age at which sweep deletes builds of other releases and of dead processes.
const (
	deadBuild = 24 * time.Hour     // without an alias, since the last heartbeat
	deadAlias = 7 * 24 * time.Hour // with an alias, since the last heartbeat
)

// sweep deletes everything under the namespace that no process uses: unfinished builds, and the indexes of earlier
// releases.
func (x *Index) sweep(ctx context.Context) error {
	collections, err := x.server.collections(ctx)
	if err != nil {
		return err
	}
	heartbeats, err := x.sweepStates(ctx)
	if err != nil {
		return err
	}
	pointed, err := x.sweepMarks(ctx)
	if err != nil {
		return err
	}
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(x.namespace) + "-[0-9a-f]{8}(-[a-z0-9]{10}(-words)?)?$")
	for _, c := range collections {
		if !ours.MatchString(c.Name) {
			continue
		}
		if c.Name == x.base { // a foreign collection that hides the alias
			if err := x.server.deleteCollection(ctx, c.Name); err != nil {
				return err
			}
			continue
		}
		videos := strings.TrimSuffix(c.Name, "-words")
		if err := x.sweepBuild(ctx, videos, pointed[videos], x.idle(max(heartbeats[videos], c.CreatedAt))); err != nil {
			return err
		}
	}
	return nil
}

// sweepStates deletes the states of builds that ended unfinished, and returns the time of the last write to each build.
func (x *Index) sweepStates(ctx context.Context) (heartbeats map[string]int64, err error) {
	states, err := x.states(ctx)
	if err != nil {
		return nil, err
	}
	heartbeats = map[string]int64{}
	for _, s := range states {
		heartbeats[s.Collection] = s.Heartbeat
		if s.Base == encode(markBase) && x.idle(s.Heartbeat) >= deadBuild {
			if err := x.deleteState(ctx, s.Collection); err != nil {
				return nil, err
			}
		}
	}
	return heartbeats, nil
}

// sweepMarks deletes the aliases that are marks of writes, and returns the alias of each collection.
func (x *Index) sweepMarks(ctx context.Context) (pointed map[string]string, err error) {
	aliases, err := x.server.aliases(ctx)
	if err != nil {
		return nil, err
	}
	pointed = map[string]string{}
	for _, alias := range aliases {
		if markAliasForm.MatchString(alias.Name) && strings.HasPrefix(alias.Name, x.namespace+"-") {
			if err := x.server.deleteAlias(ctx, alias.Name); err != nil { // a process that waits for it creates it again
				return nil, err
			}
		}
		pointed[alias.Collection] = alias.Name
	}
	return pointed, nil
}

// sweepBuild deletes a build that has been idle for too long, with the alias that points to it; alias is "" if none does.
func (x *Index) sweepBuild(ctx context.Context, videos, alias string, idle time.Duration) error {
	switch {
	case alias == x.base, alias != "" && idle < deadAlias, alias == "" && idle < deadBuild:
		return nil
	case alias != "":
		if err := x.server.deleteAlias(ctx, alias); err != nil {
			return err
		}
	}
	x.logger.Info("an old search index is removed", "collection", videos)
	x.discard(ctx, videos)
	return nil
}

// idle returns the time since a moment in seconds of Unix time.
func (x *Index) idle(since int64) time.Duration { return x.now().Sub(time.Unix(since, 0)) }
