package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/usage"
)

// knowsChannel reports of which channels the caller may be told: a client can tell of a play of any video, and
// must not learn by it which hidden channel the video is of. Operators know all of them.
func (r *resolver) knowsChannel(ctx context.Context) (func(id string) bool, error) {
	caller := account.CallerOf(ctx)
	if caller.Permissions.Has(account.Operate) {
		return func(string) bool { return true }, nil
	}
	directory, err := r.directory(ctx)
	if err != nil {
		return nil, err
	}
	return func(id string) bool {
		channel := directory.Channel(catalogue.ID(id))
		return channel != nil && caller.Access.OpensChannel(channel)
	}, nil
}

// hideChannels leaves out of a query the channels that the caller does not know: it keeps no play by them, and has no
// row for them.
func (r *resolver) hideChannels(ctx context.Context, asked *usage.Query) error {
	if !slices.Contains(asked.By, usage.ByChannel) && asked.Only[usage.ByChannel] == nil {
		return nil
	}
	knows, err := r.knowsChannel(ctx)
	if err != nil {
		return err
	}
	asked.Hide = func(id string) bool { return id != "" && !knows(id) }
	asked.Only[usage.ByChannel] = slices.DeleteFunc(asked.Only[usage.ByChannel], asked.Hide)
	return nil
}
