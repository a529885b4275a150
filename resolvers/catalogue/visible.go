package catalogue

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// VisibleSubjects returns the subjects with at least one video that an access shows.
func (r *Resolver) VisibleSubjects(ctx context.Context, access catalogue.Access) (map[catalogue.ID]bool, error) {
	counted, err := r.countVisible(ctx, access)
	if err != nil {
		return nil, err
	}
	return keysOf(counted.Subjects), nil
}

// ShowsChannel returns a function that reports whether an access shows a channel: the access must open the channel and,
// if it has rules, show at least one of its videos, because rules about videos do not mention their channels.
func (r *Resolver) ShowsChannel(ctx context.Context, access catalogue.Access) (func(*catalogue.Channel) bool, error) {
	if access.Rules == nil {
		return access.OpensChannel, nil
	}
	counted, err := r.countVisible(ctx, access)
	if err != nil {
		return nil, err
	}
	filled := keysOf(counted.Channels)
	return func(channel *catalogue.Channel) bool {
		return filled[channel.ID] && access.OpensChannel(channel)
	}, nil
}

// countVisible counts the videos that an access shows. The cache in front of the index answers all callers with the
// same access.
func (r *Resolver) countVisible(ctx context.Context, access catalogue.Access) (*search.Facets, error) {
	found, err := r.index.Search(ctx, search.Query{
		Access: access, Today: r.Today(), Facets: &search.FacetRequest{Channels: access.Rules != nil},
	})
	if err != nil {
		return nil, err
	}
	return found.Facets, nil
}

func keysOf(buckets []search.Bucket) map[catalogue.ID]bool {
	keys := make(map[catalogue.ID]bool, len(buckets))
	for _, bucket := range buckets {
		keys[catalogue.ID(bucket.Key)] = true
	}
	return keys
}
