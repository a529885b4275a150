package resolvers

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/store"
)

// packages are content packages by ID, or a fault.
type packages struct {
	store.Registry
	stored map[string]*account.ContentPackage
	fault  error
}

func (p packages) Entity(_ context.Context, key account.EntityKey) (account.Entity, error) {
	if found := p.stored[key.ID]; found != nil && key.Kind == account.KindContentPackage {
		return found, p.fault
	}
	return nil, p.fault
}

// TestSearchable: only the operator looks through a content package, and one that is not there, or that
// this release cannot read, shows nothing rather than everything.
func TestSearchable(t *testing.T) {
	planned := errors.New("planned")
	own := catalogue.Access{PrivateChannels: true}
	operator := &account.Caller{ClientID: "operator", Permissions: account.OperatorPermissions(), Access: own}
	customer := &account.Caller{ClientID: "customer", Permissions: account.CustomerPermissions(), Access: own}
	registry := packages{stored: map[string]*account.ContentPackage{
		"open":  {ID: "open"},
		"short": {ID: "short", Rules: []catalogue.AccessRule{{Type: catalogue.ExcludedVideoTypes, Values: []string{"NEWS"}}}},
		"newer": {ID: "newer", Rules: []catalogue.AccessRule{{Type: "IncludedMoods", Values: []string{"calm"}}}},
	}}
	for name, test := range map[string]struct {
		caller   *account.Caller
		registry store.Registry
		id       string // "-": none is named
		anything bool
		rules    bool
		private  bool
		code     fault.Code
	}{
		"a customer names none":      {customer, registry, "-", true, false, true, ""},
		"the operator names none":    {operator, nil, "-", true, false, true, ""},
		"a customer names one":       {customer, registry, "open", false, false, false, fault.Forbidden},
		"a customer names nothing":   {customer, registry, "gone", false, false, false, fault.Forbidden},
		"one without rules":          {operator, registry, "open", true, false, false, ""},
		"one with rules":             {operator, registry, "short", true, true, false, ""},
		"one of a later release":     {operator, registry, "newer", false, false, false, ""},
		"one that is not there":      {operator, registry, "gone", false, false, false, ""},
		"one with an empty name":     {operator, registry, "", false, false, false, ""},
		"there is no registry":       {operator, nil, "open", false, false, false, fault.Unavailable},
		"the registry does not work": {operator, packages{fault: planned}, "open", false, false, false, fault.Internal},
	} {
		r := &resolver{registry: test.registry}
		asked := &graph.VideoFilter{ContentPackage: &test.id}
		if test.id == "-" {
			asked = &graph.VideoFilter{}
		}
		access, anything, err := r.searchable(account.WithCaller(t.Context(), test.caller), test.caller, asked)
		if anything != test.anything || fault.CodeOf(err) != test.code || (access.Rules != nil) != test.rules || access.PrivateChannels != test.private {
			t.Errorf("%s: %+v %v %v", name, access, anything, err)
		}
	}
}

// counted answers each search with these facets, and counts the searches.
type counted struct {
	search.Index
	facets search.Facets
	asked  []search.Query
}

func (c *counted) Search(_ context.Context, query search.Query) (*search.Result, error) {
	c.asked = append(c.asked, query)
	return &search.Result{Facets: &c.facets}, nil
}

// TestShowsChannel: rules show a channel by its videos, and never one that they do not open; without
// rules nothing is counted.
func TestShowsChannel(t *testing.T) {
	list := channels("Filled", "Empty", "Private", "Excluded")
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
		index := &counted{facets: search.Facets{Channels: buckets}}
		shows, err := (&resolver{index: index, now: time.Now}).showsChannel(t.Context(), test.access)
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

// lone is a store whose only video is retired into one that is not there.
type lone struct {
	store.Catalogue
	twin catalogue.ID
}

func (l lone) States(_ context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	if ids[0] == l.twin {
		return nil, nil
	}
	return []catalogue.State{{Ref: catalogue.Ref{ID: ids[0], Version: 1}, Retired: true, RetiredInto: &l.twin}}, nil
}

// TestErrorsNameWhatWasAsked: and nothing else.
func TestErrorsNameWhatWasAsked(t *testing.T) {
	twin, id := catalogue.ID(strings.Repeat("a", catalogue.IDLength)), strings.Repeat("b", catalogue.IDLength)
	q := query{&resolver{catalogue: lone{twin: twin}, now: time.Now}}
	_, err := q.VideoReference(account.WithCaller(t.Context(), &account.Caller{}), id, nil)
	if fault.CodeOf(err) != fault.NotFound || !strings.Contains(err.Error(), id) || strings.Contains(err.Error(), string(twin)) {
		t.Error(err)
	}
}
