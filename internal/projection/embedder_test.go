package projection_test

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/internal/testservers"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/semantic"
	"github.com/filmstrip/filmstrip/store"
)

const testModel = "words"

// embedding is a world whose videos are embedded and indexed.
type embedding struct {
	*world
	service   *testservers.Embeddings
	questions *semantic.Questions
	index     *embedded.Index
	embedder  *projection.Follower
	stats     *projection.EmbedderStats
}

func openEmbedding(t *testing.T) *embedding {
	t.Helper()
	e := &embedding{world: open(t), service: testservers.NewEmbeddings(t)}
	e.service.Synonyms = map[string]string{"greenery": "plants", "nourishment": "food", "bouldering": "climbing"}
	client := semantic.NewService(semantic.Options{URL: e.service.URL, Model: testModel})
	e.questions = semantic.NewQuestions(semantic.QuestionOptions{Embedder: client, Least: 0.4, Patience: patience})
	index, err := embedded.Open(embedded.Options{Model: testModel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	e.index = index
	e.options.Index, e.options.Subscribers, e.options.Model = index, nil, testModel
	return e
}

// runEmbedder runs an embedder beside the follower of the index, until stop is called or the test ends.
func (e *embedding) runEmbedder() (stop func()) {
	options := projection.Options{Store: e.store, Poll: e.options.Poll, BackOff: e.options.BackOff, MaxBackOff: e.options.MaxBackOff}
	e.embedder, e.stats = projection.NewEmbedder(semantic.NewService(semantic.Options{URL: e.service.URL, Model: testModel}), options)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { e.embedder.Run(ctx) })
	stop = func() { cancel(); running.Wait() }
	e.Cleanup(stop)
	return stop
}

// finds reports whether a search for a text finds a video, by meaning or by words.
func (e *embedding) finds(t *testing.T, text string, video catalogue.ID) bool {
	t.Helper()
	query := search.Query{Text: search.ParseText(text), Size: 10, Meaning: e.questions.Meaning(t.Context(), text)}
	result, err := e.index.Search(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range result.Refs {
		if ref.ID == video {
			return true
		}
	}
	return false
}

func TestVideosAreEmbedded(t *testing.T) {
	e := openEmbedding(t)
	plants, rocks := newVideo("plants", "How plants make food"), newVideo("rocks", "Rocks")
	e.put(plants, rocks)
	e.run()
	stop := e.runEmbedder()
	e.eventually("plants found by other words", func() bool { return e.finds(t, "greenery nourishment", plants.ID) })
	if e.finds(t, "bouldering", rocks.ID) {
		t.Error("rocks are found by a word that they do not mean")
	}

	transcript := "climbing is fun, climbing is healthy, climbing"
	changed := newVideo("rocks", "Rocks")
	changed.Transcript = &transcript
	before := e.stored(rocks.ID)
	e.put(changed)
	e.eventually("rocks found by their new transcript", func() bool { return e.finds(t, "bouldering", rocks.ID) })
	after := e.stored(rocks.ID)
	if after == nil || before.Texts == after.Texts || len(after.Vectors) != 2*after.Dimensions {
		t.Errorf("the embedding was %+v and is %+v", before, after)
	}

	stop()
	embedded := e.service.Texts.Load()
	stop = e.runEmbedder()
	e.eventually("ready", e.embedder.Ready)
	if again := e.service.Texts.Load() - embedded; again > 0 {
		t.Errorf("a restart embedded %d texts again", again)
	}
	version := e.videoVersion(plants.ID)
	if version != plants.Version {
		t.Errorf("the video got version %d because it was embedded, it had %d", version, plants.Version)
	}

	err := e.other.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Delete(ctx, catalogue.KindVideo, []catalogue.ID{rocks.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	e.eventually("rocks gone", func() bool { return !e.finds(t, "bouldering", rocks.ID) && e.stored(rocks.ID) == nil })
	stop()
}

// TestEmbeddingServiceIsAway checks that words are searched while the service is away, and that videos are embedded when it
// is back.
func TestEmbeddingServiceIsAway(t *testing.T) {
	e := openEmbedding(t)
	e.service.Status.Store(http.StatusServiceUnavailable)
	plants := newVideo("plants", "How plants make food")
	e.put(plants)
	e.run()
	e.runEmbedder()
	e.eventually("found by a word", func() bool { return e.finds(t, "plants", plants.ID) })
	if e.finds(t, "greenery nourishment", plants.ID) {
		t.Error("found by other words without a vector")
	}
	e.service.Status.Store(0)
	e.eventually("found by other words", func() bool { return e.finds(t, "greenery nourishment", plants.ID) })
	if videos := e.stats.Videos.Load(); videos != 1 {
		t.Errorf("%d videos were embedded, want 1", videos)
	}
}

// TestAnotherModel checks that vectors of another model are neither indexed nor kept.
func TestAnotherModel(t *testing.T) {
	e := openEmbedding(t)
	plants := newVideo("plants", "How plants make food")
	e.put(plants, &catalogue.Embedding{
		Meta: catalogue.Meta{ID: plants.ID}, Model: "another", Texts: "fingerprint", Dimensions: 3, Vectors: []byte{1, 2, 3},
	})
	e.run()
	e.runEmbedder()
	e.eventually("found by other words", func() bool { return e.finds(t, "greenery nourishment", plants.ID) })
	if got := e.stored(plants.ID); got.Model != testModel {
		t.Errorf("the embedding is of the model %q", got.Model)
	}
}

// stored returns the stored embedding of a video, or nil.
func (e *embedding) stored(video catalogue.ID) *catalogue.Embedding {
	e.Helper()
	items, err := e.other.OwnedItems(context.Background(), catalogue.KindEmbedding, []catalogue.ID{video})
	if err != nil {
		e.Fatal(err)
	}
	if len(items) == 0 {
		return nil
	}
	return items[0].(*catalogue.Embedding)
}

func (e *embedding) videoVersion(id catalogue.ID) int64 {
	e.Helper()
	videos, err := e.other.Videos(context.Background(), []catalogue.ID{id})
	if err != nil || len(videos) != 1 {
		e.Fatal(videos, err)
	}
	return videos[0].Version
}

// BenchmarkEmbedder measures how many videos are embedded by a service that answers at once: the rate at which the store,
// and not the service, is the limit.
func BenchmarkEmbedder(b *testing.B) {
	w := open(b)
	importItems(w, slices.Collect(generate.Items(generate.Options{Videos: 5000, Seed: 1, TranscriptWords: 400})))
	service := testservers.NewEmbeddings(b)
	for b.Loop() {
		if err := w.store.Write(b.Context(), func(ctx context.Context, tx store.Tx) error {
			ids, err := tx.Of(ctx, catalogue.KindEmbedding, "", "", 10_000)
			if err != nil {
				return err
			}
			_, err = tx.Delete(ctx, catalogue.KindEmbedding, ids)
			return err
		}); err != nil {
			b.Fatal(err)
		}
		embedder, stats := projection.NewEmbedder(semantic.NewService(semantic.Options{URL: service.URL, Model: testModel}), projection.Options{Store: w.store})
		started := time.Now()
		if err := embedder.Rebuild(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(stats.Videos.Load())/time.Since(started).Seconds(), "videos/s")
		b.ReportMetric(float64(stats.Passages.Load())/time.Since(started).Seconds(), "passages/s")
	}
}
