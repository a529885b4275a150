// Package places shows countries, and finds schools and districts by their names.
package places

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// Index finds schools and districts of a country by a part of their names: those of a state or, for "", all of them. An
// empty text finds the first by name.
type Index interface {
	Schools(ctx context.Context, country, state, text string) ([]*catalogue.School, error)
	Districts(ctx context.Context, country, state, text string) ([]*catalogue.District, error)
}

// Resolver resolves the fields about places.
type Resolver struct {
	index    Index
	analyzer *analysis.Analyzer
}

// New makes a resolver. Without an index, schools and districts return errors with the code Unavailable.
func New(index Index, analyzer *analysis.Analyzer) *Resolver {
	return &Resolver{index: index, analyzer: analyzer}
}

func (*Resolver) Countries(ctx context.Context) ([]*graph.Country, error) {
	if _, err := authz.Caller(ctx); err != nil {
		return nil, err
	}
	return values.Map(catalogue.Countries(), shownCountry), nil
}

func (*Resolver) Country(ctx context.Context, id string) (*graph.Country, error) {
	if _, err := authz.Caller(ctx); err != nil {
		return nil, err
	}
	country, ok := catalogue.CountryOf(id)
	if !ok {
		return nil, nil
	}
	return shownCountry(country), nil
}

func shownCountry(country catalogue.Country) *graph.Country {
	return &graph.Country{
		ID: catalogue.ID(country.Code), Name: country.Name, Links: model.CountryLinks(country),
		States: values.Map(country.States, func(state catalogue.CountryState) *graph.CountryState {
			return &graph.CountryState{ID: catalogue.ID(state.Code), Name: state.Name}
		}),
	}
}

func (r *Resolver) Schools(ctx context.Context, country string, state, text *string) ([]*graph.School, error) {
	part, err := r.partOfName(ctx, country, values.Or(state), values.Or(text))
	if err != nil {
		return nil, err
	}
	found, err := r.index.Schools(ctx, country, values.Or(state), part)
	return values.Map(found, func(s *catalogue.School) *graph.School {
		return &graph.School{ID: s.ID, ExternalID: s.ExternalID, Name: s.Name, City: values.OrNil(s.City)}
	}), err
}

func (r *Resolver) Districts(ctx context.Context, country string, state, text *string) ([]*graph.District, error) {
	part, err := r.partOfName(ctx, country, values.Or(state), values.Or(text))
	if err != nil {
		return nil, err
	}
	found, err := r.index.Districts(ctx, country, values.Or(state), part)
	return values.Map(found, func(d *catalogue.District) *graph.District {
		return &graph.District{ID: d.ID, ExternalID: d.ExternalID, Name: d.Name, City: values.OrNil(d.City)}
	}), err
}

// partOfName checks the arguments of schools and districts, and returns the text to look for, which is "" for a blank one.
func (r *Resolver) partOfName(ctx context.Context, country, state, text string) (string, error) {
	if _, err := authz.Caller(ctx); err != nil {
		return "", err
	}
	known, ok := catalogue.CountryOf(country)
	switch {
	case r.index == nil:
		return "", fault.Errorf(fault.Unavailable, "this server has no schools and districts")
	case !ok:
		return "", fault.About("country", fault.InvalidRequest("%q is not an ISO 3166-1 alpha-3 code of a country", country))
	case state != "" && !known.HasState(state):
		return "", fault.About("state", fault.InvalidRequest("%q is not a state of %s", state, known.Name))
	case text == "" || inputs.IsBlank(r.analyzer, text):
		return "", nil
	}
	return text, inputs.CheckText(text, catalogue.MaxNameLength)
}
