package resolvers

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

var policyKey = account.EntityKey{Kind: account.KindPolicy, ID: account.PolicyID}

func (q query) TokenPolicy(ctx context.Context) (*graph.TokenPolicy, error) {
	policy, err := recordOf[*account.Policy](ctx, q.resolver, policyKey)
	if err != nil {
		return nil, err
	}
	return shownPolicy(policy), nil
}

func (m mutation) SetTokenPolicy(ctx context.Context, notBefore *time.Time, version *int) (*graph.TokenPolicy, error) {
	if err := mustBeGiven(ctx, "notBefore"); err != nil {
		return nil, err
	}
	if notBefore != nil && notBefore.After(m.now()) {
		return nil, fault.InvalidRequest("notBefore %s lies in the future: no token would count until then",
			notBefore.UTC().Format(catalogue.TimestampFormat))
	}
	return m.editPolicy(ctx, version, func(policy *account.Policy) {
		policy.NotBefore = or(notBefore).UTC().Truncate(time.Microsecond)
	})
}

func (m mutation) SetClientPolicy(ctx context.Context, requirePKCE, requireSecret *bool, version *int) (*graph.TokenPolicy, error) {
	return m.editPolicy(ctx, version, func(policy *account.Policy) {
		if requirePKCE != nil {
			policy.RequirePKCE = *requirePKCE
		}
		if requireSecret != nil {
			policy.RequireSecret = *requireSecret
		}
	})
}

// editPolicy changes the stored policy, or a new one where none was ever set.
func (m mutation) editPolicy(ctx context.Context, version *int, change func(*account.Policy)) (*graph.TokenPolicy, error) {
	var policy *account.Policy
	err := m.edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		policy = &account.Policy{}
		stored, err := tx.Entity(ctx, policy.Key())
		if err != nil {
			return err
		}
		if known, ok := stored.(*account.Policy); ok {
			*policy = *known
		}
		if err := checkVersion(policy, version); err != nil {
			return err
		}
		change(policy)
		return tx.Put(ctx, policy)
	})
	if err != nil {
		return nil, err
	}
	return shownPolicy(policy), nil
}

// shownPolicy also shows nil, a policy that was never set.
func shownPolicy(p *account.Policy) *graph.TokenPolicy {
	if p == nil {
		return &graph.TokenPolicy{}
	}
	return &graph.TokenPolicy{
		NotBefore: unlessZero(p.NotBefore), RequirePkce: p.RequirePKCE, RequireSecret: p.RequireSecret,
		UpdatedAt: unlessZero(p.UpdatedAt), Version: int(p.Version),
	}
}
