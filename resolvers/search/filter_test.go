package search

import (
	"context"
	"errors"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/store"
)

// packageRegistry contains content packages by ID, or fails.
type packageRegistry struct {
	store.Registry
	stored map[string]*account.ContentPackage
	fault  error
}

func (p packageRegistry) Entity(_ context.Context, key account.EntityKey) (account.Entity, error) {
	if found := p.stored[key.ID]; found != nil && key.Kind == account.KindContentPackage {
		return found, p.fault
	}
	return nil, p.fault
}

// TestAccessOfContentPackages proves that only the operator searches with a content package, and that a package that
// does not exist, or that this release cannot read, shows nothing.
func TestAccessOfContentPackages(t *testing.T) {
	planned := errors.New("planned")
	own := catalogue.Access{PrivateChannels: true}
	operator := &account.Caller{ClientID: "operator", Permissions: account.OperatorPermissions(), Access: own}
	customer := &account.Caller{ClientID: "customer", Permissions: account.CustomerPermissions(), Access: own}
	stored := packageRegistry{stored: map[string]*account.ContentPackage{
		"open":  {ID: "open"},
		"short": {ID: "short", Rules: []catalogue.AccessRule{{Type: catalogue.ExcludedVideoTypes, Values: []string{"NEWS"}}}},
		"newer": {ID: "newer", Rules: []catalogue.AccessRule{{Type: "IncludedMoods", Values: []string{"calm"}}}},
	}}
	for name, test := range map[string]struct {
		caller   *account.Caller
		registry store.Registry
		id       string // "-" for none
		anything bool
		rules    bool
		private  bool
		code     fault.Code
	}{
		"a customer names none":      {customer, stored, "-", true, false, true, ""},
		"the operator names none":    {operator, nil, "-", true, false, true, ""},
		"a customer names one":       {customer, stored, "open", false, false, false, fault.Forbidden},
		"a customer names nothing":   {customer, stored, "gone", false, false, false, fault.Forbidden},
		"one without rules":          {operator, stored, "open", true, false, false, ""},
		"one with rules":             {operator, stored, "short", true, true, false, ""},
		"one of a later release":     {operator, stored, "newer", false, false, false, ""},
		"one that is not there":      {operator, stored, "gone", false, false, false, ""},
		"one with an empty name":     {operator, stored, "", false, false, false, ""},
		"there is no registry":       {operator, nil, "open", false, false, false, fault.Unavailable},
		"the registry does not work": {operator, packageRegistry{fault: planned}, "open", false, false, false, fault.Internal},
	} {
		r := New(Config{Registry: registry.New(test.registry)})
		asked := &graph.VideoFilter{ContentPackage: &test.id}
		if test.id == "-" {
			asked = &graph.VideoFilter{}
		}
		access, anything, err := r.accessOf(account.WithCaller(t.Context(), test.caller), test.caller, asked)
		if anything != test.anything || fault.CodeOf(err) != test.code || (access.Rules != nil) != test.rules || access.PrivateChannels != test.private {
			t.Errorf("%s: %+v %v %v", name, access, anything, err)
		}
	}
}
