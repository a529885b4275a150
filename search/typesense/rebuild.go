package typesense

import (
	"context"
	"iter"
	"regexp"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/search"
)

// Rebuild implements search.Index: it fills a new pair of collections beside the old one and points the alias to it. It
// removes the old pair once no search of any process can still use it, because in a collection that is being deleted,
// Typesense finds fewer and fewer documents.
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
	// From here on the alias may point to the new build, whatever is answered: it stays.
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

// loadingTime is how long other processes may take to load so many words before they use a build. Until then they
// search the one before.
func loadingTime(words int64) time.Duration { return time.Duration(words) * time.Second / 50_000 }

// beatEvery is the interval at which a long rebuild records that it is alive.
const beatEvery = time.Minute

// fill writes the documents into a new build.
func fill[D any](
	ctx context.Context, w *writer, position int64, documents iter.Seq2[D, error], put func(*writer, context.Context, *D) error,
) (*build, error) {
	x := w.index
	defer func() { _ = w.settle() }() // nothing is under way any more
	w.state.Position = position
	beat := x.now()
	for document, err := range documents {
		if err == nil {
			err = put(w, ctx, &document)
		}
		if err == nil && x.now().Sub(beat) >= beatEvery {
			beat = x.now()
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

// How long sweep leaves the builds of other releases and of dead processes alone.
const (
	deadBuild = 24 * time.Hour     // without an alias, since the last beat
	deadAlias = 7 * 24 * time.Hour // with an alias, since the last beat
)

// sweep removes what no process uses under the namespace: builds that were never finished, and the indexes of earlier
// releases.
func (x *Index) sweep(ctx context.Context) error {
	collections, err := x.server.collections(ctx)
	if err != nil {
		return err
	}
	aliases, err := x.server.aliases(ctx)
	if err != nil {
		return err
	}
	states, err := x.states(ctx)
	if err != nil {
		return err
	}
	beats := map[string]int64{} // when each build was written last
	for _, s := range states {
		beats[s.Collection] = s.Beat
		if s.Base == encode(markBase) && x.idle(s.Beat) >= deadBuild {
			if err := x.deleteState(ctx, s.Collection); err != nil {
				return err
			}
		}
	}
	pointed := map[string]string{} // the alias of a collection
	for _, alias := range aliases {
		if markAliasForm.MatchString(alias.Name) && strings.HasPrefix(alias.Name, x.namespace+"-") {
			if err := x.server.deleteAlias(ctx, alias.Name); err != nil { // whoever waits for it makes it again
				return err
			}
		}
		pointed[alias.Collection] = alias.Name
	}
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(x.namespace) + "-[0-9a-f]{8}(-[a-z0-9]{10}(-words)?)?$")
	for _, c := range collections {
		if !ours.MatchString(c.Name) {
			continue
		}
		if c.Name == x.base { // it hides the alias, and is none of ours
			if err := x.server.deleteCollection(ctx, c.Name); err != nil {
				return err
			}
			continue
		}
		videos := strings.TrimSuffix(c.Name, "-words")
		idle := x.idle(max(beats[videos], c.CreatedAt))
		alias, used := pointed[videos]
		switch {
		case used && (alias == x.base || idle < deadAlias):
		case !used && idle < deadBuild:
		default:
			if used {
				if err := x.server.deleteAlias(ctx, alias); err != nil {
					return err
				}
			}
			x.logger.Info("an old search index is removed", "collection", videos)
			x.discard(ctx, videos)
		}
	}
	return nil
}

// idle returns the time since a moment, which is in seconds of Unix time.
func (x *Index) idle(since int64) time.Duration { return x.now().Sub(time.Unix(since, 0)) }
