package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// What may be known to exist beside videos follows from the videos that may be seen.

// visibleSubjects returns the subjects that have at least one video which may be seen with an access.
func (r *resolver) visibleSubjects(ctx context.Context, access catalogue.Access) (map[catalogue.ID]bool, error) {
	counted, err := r.countVisible(ctx, access)
	if err != nil {
		return nil, err
	}
	return keysOf(counted.Subjects), nil
}

// showsChannel says which channels may be known of with an access: those that it opens and, where it has
// rules, that hold at least one video which these let through, for rules on videos say nothing of their
// channels.
func (r *resolver) showsChannel(ctx context.Context, access catalogue.Access) (func(*catalogue.Channel) bool, error) {
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

// countVisible counts all that may be seen with an access. Everybody with the same access asks the same
// question, which the cache before the index answers.
func (r *resolver) countVisible(ctx context.Context, access catalogue.Access) (*search.Facets, error) {
	found, err := r.index.Search(ctx, search.Query{
		Access: access, Today: r.today(), Facets: &search.FacetRequest{Channels: access.Rules != nil},
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
