package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
)

func (q query) ContentPackages(ctx context.Context, first int, after *string) (*graph.ContentPackageConnection, error) {
	nodes, info, err := shownPage(ctx, q.resolver, account.KindContentPackage, nil, first, after, shownPackage)
	return &graph.ContentPackageConnection{Nodes: nodes, PageInfo: info}, err
}

func (q query) ContentPackage(ctx context.Context, id string) (*graph.ContentPackage, error) {
	return shownRecord(ctx, q.resolver, packageKey(id), shownPackage)
}

func packageKey(id string) account.EntityKey {
	return account.EntityKey{Kind: account.KindContentPackage, ID: id}
}

func (m mutation) CreateContentPackage(ctx context.Context, input graph.CreateContentPackageInput) (*graph.ContentPackage, error) {
	created := &account.ContentPackage{ID: input.ID, Name: input.Name, Rules: rulesOf(input.Rules)}
	known, err := m.knownOf(ctx, created.Rules)
	if err != nil {
		return nil, err
	}
	if err := known.checkPackage(created, nil); err != nil {
		return nil, err
	}
	if err := m.create(ctx, created); err != nil {
		return nil, err
	}
	return shownPackage(created), nil
}

func (m mutation) UpdateContentPackage(ctx context.Context, id string, version *int, input graph.UpdateContentPackageInput) (*graph.ContentPackage, error) {
	given, _ := input.Rules.ValueOK()
	known, err := m.knownOf(ctx, rulesOf(given))
	if err != nil {
		return nil, err
	}
	updated, err := update(ctx, m.resolver, packageKey(id), version, func(p *account.ContentPackage) error {
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
	var c changes
	must(&c, "name", &p.Name, input.Name)
	if rules, isSet := input.Rules.ValueOK(); isSet {
		if rules == nil { // who means to open everything says so by an empty list
			c.add("rules", "cannot be null")
		}
		p.Rules = rulesOf(rules)
	}
	return c.err()
}

func (m mutation) DeleteContentPackage(ctx context.Context, id string, version *int) (string, error) {
	return id, m.remove(ctx, packageKey(id), version)
}

// checkPackage refuses rules that name what does not exist, with all other faults of the package.
func (k knownThings) checkPackage(p *account.ContentPackage, before []catalogue.AccessRule) error {
	faults := k.check(p.Rules, before)
	if faults.faults == nil {
		return nil
	}
	unknown := len(faults.faults)
	for _, other := range p.Validate() {
		if !slices.ContainsFunc(faults.faults[:unknown], func(f fault.FieldError) bool { return f.Field == other.Field }) {
			faults.faults = append(faults.faults, other)
		}
	}
	return faults.err()
}

func rulesOf(inputs []*graph.AccessRuleInput) []catalogue.AccessRule {
	rules := make([]catalogue.AccessRule, len(inputs))
	for i, input := range inputs {
		rules[i] = catalogue.AccessRule{Type: input.Type, Values: input.Values}
	}
	return rules
}

func shownPackage(p *account.ContentPackage) *graph.ContentPackage {
	shown := &graph.ContentPackage{
		ID: p.ID, CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, Version: int(p.Version),
		Name: p.Name, Rules: make([]*graph.AccessRule, len(p.Rules)),
	}
	for i, rule := range p.Rules {
		shown.Rules[i] = &graph.AccessRule{Type: rule.Type, Values: list(rule.Values)}
	}
	return shown
}
