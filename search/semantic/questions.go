package semantic

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Embedder computes the vectors of texts, as Service does.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([]search.Vector, error)
}

// QuestionOptions are the settings of Questions.
type QuestionOptions struct {
	Embedder Embedder
	// Model is the name of the model of Embedder.
	Model string
	// Least is that of search.Meaning.
	Least float32
	// Patience is how long a search waits for the vector of its text before it does without.
	Patience time.Duration
}

// Questions turns the texts of queries into meanings. It remembers them, and asks once for all concurrent searches with the
// same text. It may be used concurrently.
type Questions struct {
	options QuestionOptions
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	vectors interface {
		GetIfPresent(text string) (search.Vector, bool)
		Set(text string, vector search.Vector) (search.Vector, bool)
	}
	asking  singleflight.Group
	pending atomic.Int64 // calls of the service
	stats   struct{ remembered, asked, missed atomic.Int64 }
}

// Bounds on the calls that queries cause, so that many queries neither wait in vain nor keep the service from videos.
const (
	maxAsking  = 32 // at the same time; further queries use words alone
	askingTime = 10 * time.Second
)

// maxQuestions is the number of texts whose vectors are remembered: about 10 MB for vectors of 384 dimensions.
const maxQuestions = 20_000

// NewQuestions returns Questions that remember nothing yet.
func NewQuestions(options QuestionOptions) *Questions {
	return &Questions{
		options: options,
		vectors: otter.Must(&otter.Options[string, search.Vector]{MaximumSize: maxQuestions}),
	}
}

// Meaning returns the meaning of a text, or nil if its vector is not known within Patience: the search then uses words
// alone. A request that takes longer goes on, so that the next search with the same text finds the vector.
func (q *Questions) Meaning(ctx context.Context, text string) *search.Meaning {
	text = strings.Join(strings.Fields(text), " ")
	if vector, ok := q.vectors.GetIfPresent(text); ok {
		q.stats.remembered.Add(1)
		return q.meaning(vector)
	}
	q.stats.asked.Add(1)
	if q.pending.Load() >= maxAsking {
		q.stats.missed.Add(1)
		return nil
	}
	answer := q.asking.DoChan(text, func() (any, error) { return q.ask(context.WithoutCancel(ctx), text) })
	timer := time.NewTimer(q.options.Patience)
	defer timer.Stop()
	select {
	case found := <-answer:
		if found.Err == nil {
			return q.meaning(found.Val.(search.Vector))
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	q.stats.missed.Add(1)
	return nil
}

func (q *Questions) ask(ctx context.Context, text string) (search.Vector, error) {
	q.pending.Add(1)
	defer q.pending.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, askingTime)
	defer cancel()
	vectors, err := q.options.Embedder.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	q.vectors.Set(text, vectors[0])
	return vectors[0], nil
}

// MeaningOf returns the mean of the vectors of an embedding, or nil if another model computed them.
func (q *Questions) MeaningOf(e *catalogue.Embedding) *search.Meaning {
	if e.Model != q.options.Model || len(e.Vectors) == 0 {
		return nil
	}
	sums := make([]float32, e.Dimensions)
	for i, component := range e.Vectors {
		sums[i%e.Dimensions] += float32(int8(component))
	}
	return q.meaning(search.Quantize(sums))
}

func (q *Questions) meaning(vector search.Vector) *search.Meaning {
	return &search.Meaning{Vector: vector, Least: q.options.Least}
}

// QuestionStats counts the calls of Meaning since NewQuestions.
type QuestionStats struct {
	Remembered int64 // answered from memory
	Asked      int64 // not in memory
	Missed     int64 // of these, those without a meaning: the service failed or took too long
}

// Stats returns the counts.
func (q *Questions) Stats() QuestionStats {
	return QuestionStats{q.stats.remembered.Load(), q.stats.asked.Load(), q.stats.missed.Load()}
}
