package accounts

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) ContentPackages(ctx context.Context, first int, after *string) (*graph.ContentPackageConnection, error) {
	nodes, info, err := registry.Page(ctx, r.Registry, registry.Query{Kind: account.KindContentPackage}, first, after, nil, shownPackage)
	return &graph.ContentPackageConnection{Nodes: nodes, PageInfo: info}, err
}

func (r *Resolver) ContentPackage(ctx context.Context, id string) (*graph.ContentPackage, error) {
	return registry.View(ctx, r.Registry, account.KindContentPackage.Key(id), shownPackage)
}

func (r *Resolver) CreateContentPackage(ctx context.Context, input graph.CreateContentPackageInput) (*graph.ContentPackage, error) {
	created := &account.ContentPackage{ID: input.ID, Name: input.Name, Rules: rulesOf(input.Rules)}
	known, err := r.knownIn(ctx, created.Rules)
	if err != nil {
		return nil, err
	}
	if err := known.checkPackage(created, nil); err != nil {
		return nil, err
	}
	if err := r.Registry.Create(ctx, created); err != nil {
		return nil, err
	}
	return shownPackage(created), nil
}

// CheckedRules returns rules if a package could have them.
func (r *Resolver) CheckedRules(ctx context.Context, list []*graph.AccessRuleInput) ([]catalogue.AccessRule, error) {
	checked := &account.ContentPackage{ID: "preview", Name: "Preview", Rules: rulesOf(list)}
	known, err := r.knownIn(ctx, checked.Rules)
	if err != nil {
		return nil, err
	}
	if err := known.checkPackage(checked, nil); err != nil {
		return nil, err
	}
	return checked.Rules, inputs.Faults(checked.Validate()).Err()
}

func (r *Resolver) UpdateContentPackage(ctx context.Context, id string, version *int, input graph.UpdateContentPackageInput) (*graph.ContentPackage, error) {
	rules, _ := input.Rules.ValueOK()
	known, err := r.knownIn(ctx, rulesOf(rules))
	if err != nil {
		return nil, err
	}
	updated, err := registry.Update(ctx, r.Registry, account.KindContentPackage.Key(id), version, func(p *account.ContentPackage) error {
		before := p.Rules
		if err := changePackage(p, input); err != nil || !input.Rules.IsSet() {
			return err
		}
		return known.checkPackage(p, before)
	})
	if err != nil {
		return nil, err
	}
	return shownPackage(updated), nil
}

func changePackage(p *account.ContentPackage, input graph.UpdateContentPackageInput) error {
	var f inputs.Faults
	inputs.Require(&f, "name", &p.Name, input.Name)
	if rules, isSet := input.Rules.ValueOK(); isSet {
		if rules == nil { // an empty list shows everything, so it must be explicit
			f.Add("rules", "cannot be null")
		}
		p.Rules = rulesOf(rules)
	}
	return f.Err()
}

func (r *Resolver) DeleteContentPackage(ctx context.Context, id string, version *int) (string, error) {
	return id, r.Registry.Remove(ctx, account.KindContentPackage.Key(id), version)
}

// checkPackage returns an error if rules name what does not exist, which lists all other faults of the package too.
func (k known) checkPackage(p *account.ContentPackage, before []catalogue.AccessRule) error {
	faults := k.check(p.Rules, before)
	if faults == nil {
		return nil
	}
	unknown := faults
	for _, other := range p.Validate() {
		if !slices.ContainsFunc(unknown, func(f fault.FieldError) bool { return f.Field == other.Field }) {
			faults = append(faults, other)
		}
	}
	return faults.Err()
}

func rulesOf(list []*graph.AccessRuleInput) []catalogue.AccessRule {
	return values.Map(list, func(input *graph.AccessRuleInput) catalogue.AccessRule {
		return catalogue.AccessRule{Type: input.Type, Values: input.Values}
	})
}

func shownPackage(p *account.ContentPackage) *graph.ContentPackage {
	return &graph.ContentPackage{
		ID: p.ID, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Version: int(p.Version),
		Name: p.Name, Rules: values.Map(p.Rules, func(rule catalogue.AccessRule) *graph.AccessRule {
			return &graph.AccessRule{Type: rule.Type, Values: values.List(rule.Values)}
		}),
	}
}
