package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

func (query) LearningMaterial(_ context.Context, _ string) (*graph.LearningMaterial, error) {
	return nil, notYet
}

func (query) Highlights(_ context.Context, _ string, _ float64, _ int, _ []string, _ []string, _ []catalogue.Subtype, _ *float64, _ bool) ([]*graph.Highlight, error) {
	return nil, notYet
}

func (query) Highlight(_ context.Context, _ string) (*graph.Highlight, error) {
	return nil, notYet
}

func (query) Captions(_ context.Context, _ string, _ *string, _ *bool) (*graph.Captions, error) {
	return nil, notYet
}
