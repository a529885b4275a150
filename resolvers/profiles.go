package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/graph"
)

func (query) CurrentUser(_ context.Context) (*graph.Profile, error) {
	return nil, notYet
}

func (query) Profile(_ context.Context, _ string) (*graph.Profile, error) {
	return nil, notYet
}

func (query) IsUserActive(_ context.Context, _ string) (bool, error) {
	return false, notYet
}

func (mutation) UpdateProfile(_ context.Context, _ string, _ graph.UpdateProfileInput) (*graph.Profile, error) {
	return nil, notYet
}
