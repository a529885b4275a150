package app

import (
	"time"

	"github.com/filmstrip/filmstrip/internal/lease"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/search/semantic"
)

// embeddings are the parts of search by meaning.
type embeddings struct {
	service   *semantic.Service
	questions *semantic.Questions
	follower  *projection.Follower // embeds videos
	stats     *projection.EmbedderStats
}

// state reports whether the service answers. Without it, searches use words alone.
func (e *embeddings) state() engineState {
	state := engineState{Status: stateUp}
	if e.service.Failing() {
		state.Status, state.Detail = stateDegraded, "the embedding service does not answer: searches use words alone, and changed videos keep their vectors"
		state.Remedy = "check the service at --embeddings and the name of the model; the server's log has the error, and the server recovers on its own"
	}
	return state
}

// counts returns the counts of search by meaning, for metrics.
func (e *embeddings) counts() telemetry.Embeddings {
	queries := e.questions.Stats()
	return telemetry.Embeddings{
		Videos: e.stats.Videos.Load(), Passages: e.stats.Passages.Load(), Tokens: e.service.Stats().Tokens,
		Waited:     time.Duration(e.stats.Waited.Load()) * time.Millisecond,
		Remembered: queries.Remembered, Asked: queries.Asked, Missed: queries.Missed,
	}
}

// openEmbeddings returns the parts of search by meaning, or nil if the settings select no service. It does not connect: the
// server starts, and searches by words, without the service.
func (s *App) openEmbeddings(settings *Settings) (*embeddings, error) {
	service, err := settings.service(s.logger)
	if service == nil || err != nil {
		return nil, err
	}
	e := &embeddings{service: service, questions: semantic.NewQuestions(semantic.QuestionOptions{
		Embedder: service, Model: settings.EmbeddingsModel, Least: float32(settings.EmbeddingsSimilarity), Patience: settings.EmbeddingsTimeout,
	})}
	options := projection.Options{Store: s.catalogue, Logger: s.logger}
	if !settings.InFiles() { // one of the processes that share the store embeds
		options.Lease = &lease.Options{Store: s.stores.leases, Name: "embeddings"}
	}
	e.follower, e.stats = projection.NewEmbedder(service, options)
	return e, nil
}
