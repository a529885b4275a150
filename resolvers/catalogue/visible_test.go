package catalogue

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// recordingIndex is an index that returns facets and keeps the queries.
type recordingIndex struct {
	search.Reader
	facets search.Facets
	asked  []search.Query
}

func (c *recordingIndex) Search(_ context.Context, query search.Query) (*search.Result, error) {
	c.asked = append(c.asked, query)
	return &search.Result{Facets: &c.facets}, nil
}

// TestShowsChannel proves that access rules show a channel by its videos, and never show a channel that they exclude.
// Without rules, the resolver counts nothing.
func TestShowsChannel(t *testing.T) {
	var list []*catalogue.Channel
	for _, name := range []string{"Filled", "Empty", "Private", "Excluded"} {
		list = append(list, &catalogue.Channel{Meta: catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindChannel, "test", name)}, Name: name})
	}
	list[2].Private = true
	var buckets []search.Bucket
	for _, at := range []int{0, 2, 3} {
		buckets = append(buckets, search.Bucket{Key: string(list[at].ID), Hits: 1})
	}
	limited, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.ExcludedChannels, Values: []string{string(list[3].ID)}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		access catalogue.Access
		want   []bool
		asks   int
	}{
		{catalogue.Access{}, []bool{true, true, false, true}, 0},
		{catalogue.Access{PrivateChannels: true}, []bool{true, true, true, true}, 0},
		{limited, []bool{true, false, false, false}, 1},
		{catalogue.Access{PrivateChannels: true, Rules: limited.Rules}, []bool{true, false, true, false}, 1},
	} {
		index := &recordingIndex{facets: search.Facets{Channels: buckets}}
		shows, err := (&Resolver{index: index, now: time.Now}).ShowsChannel(t.Context(), test.access)
		if err != nil {
			t.Fatal(err)
		}
		for i, channel := range list {
			if shows(channel) != test.want[i] {
				t.Errorf("with %+v %s is shown: %v", test.access, channel.Name, !test.want[i])
			}
		}
		if len(index.asked) != test.asks || test.asks > 0 && index.asked[0].Access != test.access {
			t.Errorf("with %+v: %+v", test.access, index.asked)
		}
	}
}

// danglingStore is a store whose only video is retired into one that does not exist.
type danglingStore struct {
	store.Catalogue
	twin catalogue.ID
}

func (l danglingStore) States(_ context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	if ids[0] == l.twin {
		return nil, nil
	}
	return []catalogue.State{{Ref: catalogue.Ref{ID: ids[0], Version: 1}, Retired: true, RetiredInto: &l.twin}}, nil
}

// TestErrorsNameTheRequestedVideo proves that an error names the requested video, and not its replacement.
func TestErrorsNameTheRequestedVideo(t *testing.T) {
	twin, id := catalogue.ID(strings.Repeat("a", catalogue.IDLength)), strings.Repeat("b", catalogue.IDLength)
	q := &Resolver{store: danglingStore{twin: twin}, now: time.Now}
	_, err := q.VideoReference(account.WithCaller(t.Context(), &account.Caller{}), id, nil)
	if fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), id) || strings.Contains(err.Error(), string(twin)) {
		t.Error(err)
	}
}
