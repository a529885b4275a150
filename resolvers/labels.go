package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (q query) EducationLevels(ctx context.Context) ([]*catalogue.EducationLevel, error) {
	if _, err := caller(ctx); err != nil {
		return nil, err
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	return directory.EducationLevels, nil
}

func (q query) Tags(ctx context.Context) ([]*model.Tag, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	return each(directory.Tags, model.NewTag), nil
}

func (q query) Tag(ctx context.Context, id string) (*model.Tag, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	return model.NewTag(directory.Tag(catalogue.ID(id))), nil
}

func (q query) ContentWarnings(ctx context.Context) ([]*model.ContentWarning, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	return each(directory.ContentWarnings, model.NewContentWarning), nil
}

func (q query) ContentWarning(ctx context.Context, id string) (*model.ContentWarning, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	return model.NewContentWarning(directory.ContentWarning(catalogue.ID(id))), nil
}

func each[S, V any](stored []*S, show func(*S) *V) []*V {
	list := make([]*V, len(stored))
	for i, one := range stored {
		list[i] = show(one)
	}
	return list
}
