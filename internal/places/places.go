// Package places finds schools and districts by parts of their names. It holds all of them in memory and polls the
// store for changes once a second.
package places

import (
	"context"
	"log/slog"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

// MaxFound is the maximum number of places that a search finds.
const MaxFound = 100

// Source is the part of the catalogue that contains places.
type Source interface {
	Head(ctx context.Context) (store.Position, error)
	OwnedItemsSince(ctx context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error)
	CountOwnedItems(ctx context.Context, kind catalogue.Kind) (int, store.Position, error)
}

// Places holds schools and districts. It is safe for concurrent use.
type Places struct {
	source    Source
	logger    *slog.Logger
	seen      store.Position // the position of the log at the last poll
	schools   *nameIndex[*catalogue.School]
	districts *nameIndex[*catalogue.District]
}

// New returns Places without content; Run fills them.
func New(source Source, logger *slog.Logger) *Places {
	return &Places{
		source: source, logger: logger, seen: -1,
		schools: newNameIndex(catalogue.KindSchool, func(s *catalogue.School) entry {
			return entry{id: s.ID, version: s.Version, name: s.Name, area: area{s.Country, s.State}}
		}),
		districts: newNameIndex(catalogue.KindDistrict, func(d *catalogue.District) entry {
			return entry{id: d.ID, version: d.Version, name: d.Name, area: area{d.Country, d.State}}
		}),
	}
}

// interval is the time between polls; maxPause is the longest pause while the store does not respond.
const (
	interval = time.Second
	maxPause = 30 * time.Second
)

// Run follows the store until the context ends.
func (p *Places) Run(ctx context.Context) {
	for pause := interval; ; {
		switch err := p.poll(ctx); {
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

// poll reads the changes since the last poll.
func (p *Places) poll(ctx context.Context) error {
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

// Schools finds schools in a country (ISO 3166-1 alpha-3) or, if state is not "", in that state, whose names contain
// the text. Names and text are folded with catalogue.FoldName. Names that start with the text come first, then names
// with a word that starts with it, then the others, each by name and id; at most MaxFound. A blank text matches every
// name. Schools waits until the schools have been read, or until the context ends.
func (p *Places) Schools(ctx context.Context, country, state, text string) ([]*catalogue.School, error) {
	return p.schools.search(ctx, area{country, state}, text)
}

// Districts is Schools for districts.
func (p *Places) Districts(ctx context.Context, country, state, text string) ([]*catalogue.District, error) {
	return p.districts.search(ctx, area{country, state}, text)
}
