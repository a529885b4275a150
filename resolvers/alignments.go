package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/graph"
)

func (query) NgssCodes(_ context.Context) ([]*graph.NgssCode, error) {
	return nil, notYet
}

func (query) NgssGrades(_ context.Context) ([]*graph.NgssGrade, error) {
	return nil, notYet
}

func (query) Providers(_ context.Context) ([]*graph.Provider, error) {
	return nil, notYet
}

func (query) Provider(_ context.Context, _ string) (*graph.Provider, error) {
	return nil, notYet
}

func (query) Themes(_ context.Context, _ *string, _ []string) ([]*graph.Theme, error) {
	return nil, notYet
}

func (query) Theme(_ context.Context, _ string, _ string) (*graph.Theme, error) {
	return nil, notYet
}
