// Package places finds schools and districts by parts of their names. It holds all of them in memory, as
// the store has them, and looks once a second whether something has changed.
package places

import (
	"context"
	"log/slog"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// MaxFound is the most places that a search finds.
const MaxFound = 100

// Source is the part of the catalogue that places come from.
type Source interface {
	Head(ctx context.Context) (store.Position, error)
	OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error)
	CountOwnedItems(ctx context.Context, kind catalogue.Kind) (int, store.Position, error)
}

// Places knows schools and districts. Every method may be called concurrently.
type Places struct {
	source    Source
	logger    *slog.Logger
	seen      store.Position // of the log, when it was last looked at
	schools   *shelf[*catalogue.School]
	districts *shelf[*catalogue.District]
}

// New knows nothing until it runs.
func New(source Source, logger *slog.Logger) *Places {
	return &Places{
		source: source, logger: logger, seen: -1,
		schools: newShelf(catalogue.KindSchool, func(s *catalogue.School) entry {
			return entry{id: s.ID, version: s.Version, name: s.Name, area: area{s.Country, s.State}}
		}),
		districts: newShelf(catalogue.KindDistrict, func(d *catalogue.District) entry {
			return entry{id: d.ID, version: d.Version, name: d.Name, area: area{d.Country, d.State}}
		}),
	}
}

// interval is how often the log is looked at; maxPause, how seldom while the store does not answer.
const (
	interval = time.Second
	maxPause = 30 * time.Second
)

// Run keeps up with the store until the context ends.
func (p *Places) Run(ctx context.Context) {
	for pause := interval; ; {
		switch err := p.look(ctx); {
		case err == nil:
			pause = interval
		case ctx.Err() == nil:
			pause = min(2*pause, maxPause)
			p.logger.WarnContext(ctx, "schools and districts may be out of date", "error", err, "pause", pause)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// look takes in what has changed since it last did.
func (p *Places) look(ctx context.Context) error {
	head, err := p.source.Head(ctx)
	if err != nil || head == p.seen {
		return err
	}
	if err := p.schools.refresh(ctx, p.source); err != nil {
		return err
	}
	if err := p.districts.refresh(ctx, p.source); err != nil {
		return err
	}
	p.seen = head
	return nil
}

// Schools finds schools of a country (ISO 3166-1 alpha-3), of one state or, where state is "", of the whole country,
// whose name contains the text, both folded as catalogue.FoldName does: those that start with it first, then those
// with a word that does, then the rest, each by name and ID; MaxFound at the most. Every name contains a blank text.
// It waits for the schools to be there, or for the end of the context.
func (p *Places) Schools(ctx context.Context, country, state, text string) ([]*catalogue.School, error) {
	return p.schools.search(ctx, area{country, state}, text)
}

// Districts is Schools for districts.
func (p *Places) Districts(ctx context.Context, country, state, text string) ([]*catalogue.District, error) {
	return p.districts.search(ctx, area{country, state}, text)
}
