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
	if caller.Rights.Has(account.Operate) {
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

// hideChannels leaves out of a query the channels that the caller does not know: it keeps no play by them. It
// returns what empties their ids in the rows of the answer.
func (r *resolver) hideChannels(ctx context.Context, asked *usage.Query) (func([]usage.Row), error) {
	at := slices.Index(asked.By, usage.ByChannel)
	if at < 0 && asked.Only[usage.ByChannel] == nil {
		return func([]usage.Row) {}, nil
	}
	knows, err := r.knowsChannel(ctx)
	if err != nil {
		return nil, err
	}
	asked.Only[usage.ByChannel] = slices.DeleteFunc(asked.Only[usage.ByChannel], func(id string) bool { return id != "" && !knows(id) })
	return func(rows []usage.Row) {
		for i := range rows {
			if at >= 0 && !knows(rows[i].Keys[at]) {
				rows[i].Keys[at] = ""
			}
		}
	}, nil
}
