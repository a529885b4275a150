package accounts

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

func (r *Resolver) TokenPolicy(ctx context.Context) (*graph.TokenPolicy, error) {
	policy, err := registry.Record[*account.Policy](ctx, r.Registry, new(account.Policy).Key())
	if err != nil {
		return nil, err
	}
	return shownPolicy(policy), nil
}

func (r *Resolver) SetTokenPolicy(ctx context.Context, notBefore *time.Time, version *int) (*graph.TokenPolicy, error) {
	if err := inputs.MustBeGiven(ctx, "notBefore"); err != nil {
		return nil, err
	}
	if notBefore != nil && notBefore.After(r.Now()) {
		return nil, fault.InvalidRequest("notBefore %s is in the future: no token would be valid until then",
			notBefore.UTC().Format(catalogue.TimestampFormat))
	}
	return r.changePolicy(ctx, version, func(policy *account.Policy) {
		policy.NotBefore = values.Or(notBefore).UTC().Truncate(time.Microsecond)
	})
}

func (r *Resolver) SetClientPolicy(ctx context.Context, requirePKCE, requireSecret *bool, version *int) (*graph.TokenPolicy, error) {
	return r.changePolicy(ctx, version, func(policy *account.Policy) {
		if requirePKCE != nil {
			policy.RequirePKCE = *requirePKCE
		}
		if requireSecret != nil {
			policy.RequireSecret = *requireSecret
		}
	})
}

// SetStaffPolicy sets whether staff need a second factor.
func (r *Resolver) SetStaffPolicy(ctx context.Context, requireSecondFactor bool, version *int) (*graph.TokenPolicy, error) {
	return r.changePolicy(ctx, version, func(policy *account.Policy) { policy.RequireStaffFactor = requireSecondFactor })
}

func (r *Resolver) changePolicy(ctx context.Context, version *int, change func(*account.Policy)) (*graph.TokenPolicy, error) {
	create := func() *account.Policy { return &account.Policy{} }
	policy, err := registry.Put(ctx, r.Registry, version, create, func(_ context.Context, _ store.RegistryTx, policy *account.Policy) error {
		change(policy)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownPolicy(policy), nil
}

// shownPolicy shows nil, which is a policy that was never set, as an empty one.
func shownPolicy(p *account.Policy) *graph.TokenPolicy {
	if p == nil {
		return &graph.TokenPolicy{}
	}
	return &graph.TokenPolicy{
		NotBefore: values.OrNil(p.NotBefore), RequirePkce: p.RequirePKCE, RequireSecret: p.RequireSecret,
		RequireStaffSecondFactor: p.RequireStaffFactor,
		UpdatedAt:                values.OrNil(p.UpdatedAt), Version: int(p.Version),
	}
}
