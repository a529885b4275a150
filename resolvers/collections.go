package resolvers

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
)

func (query) Collection(_ context.Context, _ string, _ *string) (*graph.Collection, error) {
	return nil, notYet
}

func (query) Collections(_ context.Context, _ *graph.CollectionFilter, _ []collection.Order, _ int, _ int) (*graph.CollectionPage, error) {
	return nil, notYet
}

func (query) UserCollections(_ context.Context, _ string, _ *graph.UserCollectionFilter, _ []collection.Order, _ int, _ int) (*graph.CollectionPage, error) {
	return nil, notYet
}

func (mutation) CreateCollection(_ context.Context, _ graph.CollectionInput) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) UpdateCollection(_ context.Context, _ string, _ *time.Time, _ graph.UpdateCollectionInput) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) AddToCollection(_ context.Context, _ string, _ string, _ *string) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) RemoveFromCollection(_ context.Context, _ string, _ string, _ *string) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) SaveCollection(_ context.Context, _ string, _ bool) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) SetCollectionPermission(_ context.Context, _ string, _ collection.Permission) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) AddCollectionComment(_ context.Context, _ string, _ graph.CollectionCommentInput) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) RemoveCollectionComment(_ context.Context, _ string, _ string) (*graph.Collection, error) {
	return nil, notYet
}

func (mutation) DeleteCollection(_ context.Context, _ string) (string, error) {
	return "", notYet
}

func (mutation) RecordCollectionInteraction(_ context.Context, _ string, _ event.Body, _ *string) (bool, error) {
	return false, notYet
}
