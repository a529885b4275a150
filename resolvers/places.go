package resolvers

import (
	"context"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

// Places finds schools and districts of a country by a part of their names: of one state, or of all states and of no
// state where state is "". An empty text finds the first by name.
type Places interface {
	Schools(ctx context.Context, country, state, text string) ([]*catalogue.School, error)
	Districts(ctx context.Context, country, state, text string) ([]*catalogue.District, error)
}

func (query) Countries(ctx context.Context) ([]*graph.Country, error) {
	if _, err := caller(ctx); err != nil {
		return nil, err
	}
	countries := make([]*graph.Country, 0, len(catalogue.Countries()))
	for _, country := range catalogue.Countries() {
		countries = append(countries, shownCountry(country))
	}
	return countries, nil
}

func (query) Country(ctx context.Context, id string) (*graph.Country, error) {
	if _, err := caller(ctx); err != nil {
		return nil, err
	}
	country, ok := catalogue.CountryOf(id)
	if !ok {
		return nil, nil
	}
	return shownCountry(country), nil
}

func shownCountry(country catalogue.Country) *graph.Country {
	view := &graph.Country{
		ID: catalogue.ID(country.Code), Name: country.Name, States: make([]*graph.CountryState, 0, len(country.States)),
		Links: model.CountryLinks(country),
	}
	for _, state := range country.States {
		view.States = append(view.States, &graph.CountryState{ID: catalogue.ID(state.Code), Name: state.Name})
	}
	return view
}

func (q query) Schools(ctx context.Context, country string, state, text *string) ([]*graph.School, error) {
	if err := q.findsPlaces(ctx, country, or(state), or(text)); err != nil {
		return nil, err
	}
	found, err := q.places.Schools(ctx, country, or(state), q.partOfName(text))
	schools := make([]*graph.School, 0, len(found))
	for _, s := range found {
		schools = append(schools, &graph.School{ID: s.ID, ExternalID: s.ExternalID, Name: s.Name, City: unlessZero(s.City)})
	}
	return schools, err
}

func (q query) Districts(ctx context.Context, country string, state, text *string) ([]*graph.District, error) {
	if err := q.findsPlaces(ctx, country, or(state), or(text)); err != nil {
		return nil, err
	}
	found, err := q.places.Districts(ctx, country, or(state), q.partOfName(text))
	districts := make([]*graph.District, 0, len(found))
	for _, d := range found {
		districts = append(districts, &graph.District{ID: d.ID, ExternalID: d.ExternalID, Name: d.Name, City: unlessZero(d.City)})
	}
	return districts, err
}

// partOfName is the part of a name that a text asks for, "" where it asks for nothing.
func (q query) partOfName(text *string) string {
	if text == nil || q.asksNothing(*text) {
		return ""
	}
	return *text
}

// findsPlaces returns what is wrong with a question for places.
func (q query) findsPlaces(ctx context.Context, country, state, text string) error {
	if _, err := caller(ctx); err != nil {
		return err
	}
	known, ok := catalogue.CountryOf(country)
	switch {
	case q.places == nil:
		return fault.Errorf(fault.Unavailable, "there are no schools and districts here")
	case !ok:
		return fault.InvalidRequest("%q is not an ISO 3166-1 alpha-3 code of a country", country)
	case state != "" && !known.HasState(state):
		return fault.InvalidRequest("%q is not a state of %s", state, known.Name)
	case utf8.RuneCountInString(text) > catalogue.MaxNameLength:
		return fault.InvalidRequest("query has %d characters, at most %d are allowed", utf8.RuneCountInString(text), catalogue.MaxNameLength)
	}
	return nil
}
