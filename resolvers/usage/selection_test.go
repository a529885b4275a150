package usage_test

import (
	"context"
	"testing"

	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// recordingUsage is a store of usage that records the last query.
type recordingUsage struct {
	store.Usage
	asked usage.Query
}

func (o *recordingUsage) Table(ctx context.Context, query usage.Query) (usage.Table, error) {
	o.asked = query
	return o.Usage.Table(ctx, query)
}

// TestUsageSelection proves that users and videos are counted if and only if an operation selects them, under any alias
// and in any fragment.
func TestUsageSelection(t *testing.T) {
	var counted *recordingUsage
	b := newFixture(t, func(c *resolvers.Config) {
		counted = &recordingUsage{Usage: c.Usage}
		c.Usage = counted
	})
	b.storeOctober(t)
	for _, test := range []struct {
		selection, fragments, want string
		noUsers, noVideos          bool
	}{
		{`total { plays } rows { plays }`, ``, `{"total":{"plays":5},"rows":[{"plays":5}]}`, true, true},
		{`count`, ``, `{"count":1}`, true, true},
		{`total { users } rows { plays }`, ``, `{"total":{"users":3},"rows":[{"plays":5}]}`, false, true},
		{`rows { videos }`, ``, `{"rows":[{"videos":2}]}`, true, false},
		{`total { users: plays } rows { people: users }`, ``, `{"total":{"users":5},"rows":[{"people":3}]}`, false, true},
		{`... on UsageReport { rows { ... on UsageRow { users } } } rows { ... { videos } }`, ``, `{"rows":[{"users":3,"videos":2}]}`, false, false},
		{`...report`, ` fragment report on UsageReport { total { videos } }`, `{"total":{"videos":2}}`, true, false},
		{`total { plays users @include(if: true) videos @skip(if: true) }`, ``, `{"total":{"plays":5,"users":3}}`, false, true},
	} {
		b.want(t, schoolLMS, `{ usage(`+october+`) { `+test.selection+` } }`+test.fragments, test.want)
		if counted.asked.NoUsers != test.noUsers || counted.asked.NoVideos != test.noVideos {
			t.Errorf("%s: asked without users: %t, without videos: %t", test.selection, counted.asked.NoUsers, counted.asked.NoVideos)
		}
	}
}
