package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/graph"
)

func (query) Countries(_ context.Context) ([]*graph.Country, error) {
	return nil, notYet
}

func (query) Country(_ context.Context, _ string) (*graph.Country, error) {
	return nil, notYet
}

func (query) Schools(_ context.Context, _ string, _ *string, _ string) ([]*graph.School, error) {
	return nil, notYet
}

func (query) Districts(_ context.Context, _ string, _ *string, _ string) ([]*graph.District, error) {
	return nil, notYet
}
