package resolvers

import (
	"context"
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

func (q query) Accounts(ctx context.Context, first int, after *string) (*graph.AccountConnection, error) {
	view, err := q.accountView(ctx)
	if err != nil {
		return nil, err
	}
	nodes, info, err := shownPage(ctx, q.resolver, account.KindAccount, nil, first, after, view)
	return &graph.AccountConnection{Nodes: nodes, PageInfo: info}, err
}

func (q query) Account(ctx context.Context, id string) (*graph.Account, error) {
	view, err := q.accountView(ctx)
	if err != nil {
		return nil, err
	}
	return shownRecord(ctx, q.resolver, accountKey(id), view)
}

func accountKey(id string) account.EntityKey {
	return account.EntityKey{Kind: account.KindAccount, ID: id}
}

func (m mutation) CreateAccount(ctx context.Context, input graph.CreateAccountInput) (*graph.Account, error) {
	created := &account.Account{
		ID: input.ID, Name: input.Name, Operator: input.Operator, Products: input.Products,
		Type: input.Type, Status: input.Status, AccessExpiresOn: input.AccessExpiresOn,
		Subjects: input.Subjects, AllowedOrigins: input.AllowedOrigins,
		IgnoresServiceUserID: input.IgnoresServiceUserID, Environment: input.Environment, PasswordSignIn: input.PasswordSignIn,
		IdentityProviders: providers(input.IdentityProviders, nil),
		RequestsPerMinute: int64(or(input.RequestsPerMinute)), RequestsPerMonth: int64(or(input.RequestsPerMonth)),
	}
	var c changes
	mayName(&c, "tier", &created.Tier, graphql.OmittableOf(input.Tier))
	mayName(&c, "contentPackage", &created.ContentPackage, graphql.OmittableOf(input.ContentPackage))
	if len(created.Subjects) > 0 {
		directory, err := m.directoryToCheck(ctx)
		if err != nil {
			return nil, err
		}
		checkSubjects(&c, directory, created.Subjects, nil)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	view, err := m.accountView(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.create(ctx, created); err != nil {
		return nil, err
	}
	return view(created), nil
}

func (m mutation) UpdateAccount(ctx context.Context, id string, version *int, input graph.UpdateAccountInput) (*graph.Account, error) {
	view, err := m.accountView(ctx)
	if err != nil {
		return nil, err
	}
	var directory *catalogue.Directory
	if subjects, _ := input.Subjects.ValueOK(); len(subjects) > 0 {
		if directory, err = m.directoryToCheck(ctx); err != nil {
			return nil, err
		}
	}
	takenOver, _ := input.EmbedsTakenOver.ValueOK()
	users, err := m.usersEver(ctx, id, takenOver)
	if err != nil {
		return nil, err
	}
	updated, err := update(ctx, m.resolver, accountKey(id), version, func(a *account.Account) error {
		subjects, tookOver := a.Subjects, a.EmbedsTakenOver
		if err := changeAccount(a, input); err != nil {
			return err
		}
		var c changes
		if directory != nil {
			checkSubjects(&c, directory, a.Subjects, subjects)
		}
		for i, user := range a.EmbedsTakenOver {
			if catalogue.ID(user).Valid() && !users[user] && !slices.Contains(tookOver, user) {
				c.add(fmt.Sprintf("embedsTakenOver[%d]", i), "the account has and had no user %q", user)
			}
		}
		return c.err()
	})
	if err != nil {
		return nil, err
	}
	// Also where it was suspended before: so a failure below can be made good by doing it again.
	if updated.Status == account.Suspended {
		if err := m.endAccount(ctx, id); err != nil {
			return nil, err
		}
	}
	return view(updated), nil
}

// usersEver says which of these users an account has, or had until they were deleted.
func (r *resolver) usersEver(ctx context.Context, id string, users []string) (map[string]bool, error) {
	if len(users) == 0 {
		return nil, nil
	}
	registry, err := r.administered()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, user := range users[:min(len(users), account.MaxListLength)] {
		record, err := registry.Entity(ctx, userKey(user))
		if err != nil {
			return nil, err
		}
		if record != nil {
			known[user] = record.Owner() == id
			continue
		}
		entries, err := registry.Audit(ctx, store.AuditQuery{Key: userKey(user)}, 0, 1)
		if err != nil {
			return nil, err
		}
		known[user] = len(entries) > 0 && entries[0].Owner == id
	}
	return known, nil
}

func changeAccount(a *account.Account, input graph.UpdateAccountInput) error {
	var c changes
	must(&c, "name", &a.Name, input.Name)
	mayName(&c, "tier", &a.Tier, input.Tier)
	mayList(&a.Products, input.Products)
	must(&c, "type", &a.Type, input.Type)
	must(&c, "status", &a.Status, input.Status)
	if day, isSet := input.AccessExpiresOn.ValueOK(); isSet {
		a.AccessExpiresOn = day
	}
	mayList(&a.Subjects, input.Subjects)
	mayName(&c, "contentPackage", &a.ContentPackage, input.ContentPackage)
	mayList(&a.AllowedOrigins, input.AllowedOrigins)
	must(&c, "ignoresServiceUserId", &a.IgnoresServiceUserID, input.IgnoresServiceUserID)
	must(&c, "environment", &a.Environment, input.Environment)
	must(&c, "passwordSignIn", &a.PasswordSignIn, input.PasswordSignIn)
	if list, isSet := input.IdentityProviders.ValueOK(); isSet {
		a.IdentityProviders = providers(list, a.IdentityProviders)
	}
	mayList(&a.EmbedsTakenOver, input.EmbedsTakenOver)
	mayCount(&a.RequestsPerMinute, input.RequestsPerMinute)
	mayCount(&a.RequestsPerMonth, input.RequestsPerMonth)
	return c.err()
}

// mayName sets the ID of another record, which null makes none. "" is a fault rather than none: it comes of
// a script's variable that is not set, and without a content package an account sees everything.
func mayName(c *changes, field string, into *string, given graphql.Omittable[*string]) {
	if value, isSet := given.ValueOK(); isSet && value != nil && *value == "" {
		c.add(field, `"" is no id; null says that there is none`)
		return
	}
	may(into, given)
}

func mayCount(into *int64, given graphql.Omittable[*int]) {
	if value, isSet := given.ValueOK(); isSet {
		*into = int64(or(value))
	}
}

func (m mutation) DeleteAccount(ctx context.Context, id string, version *int) (string, error) {
	if err := m.remove(ctx, accountKey(id), version); err != nil {
		return id, err
	}
	return id, m.forgetQueries(ctx, id)
}

// providers reads identity providers. One that brings no secret keeps that of the old one with its alias,
// unless it is another provider by now: a secret goes to nobody whom it was not meant for.
func providers(inputs []*graph.IdentityProviderInput, old []account.IdentityProvider) []account.IdentityProvider {
	var list []account.IdentityProvider
	for _, input := range inputs {
		provider := account.IdentityProvider{
			Alias: input.Alias, Name: input.Name, Issuer: input.Issuer, ClientID: input.ClientID,
			Scopes: input.Scopes, Domains: input.Domains,
		}
		for _, before := range old {
			if before.Alias == provider.Alias && before.Issuer == provider.Issuer {
				provider.ClientSecret = before.ClientSecret
			}
		}
		may(&provider.ClientSecret, input.ClientSecret)
		list = append(list, provider)
	}
	return list
}

// accountView shows accounts without the subjects that have gone, which lie apart from them. Commands that open
// nothing but the accounts show all.
func (r *resolver) accountView(ctx context.Context) (func(*account.Account) *graph.Account, error) {
	if r.catalogue == nil {
		return shownAccount, nil
	}
	directory, err := r.directory(ctx)
	return func(a *account.Account) *graph.Account {
		shown := shownAccount(a)
		shown.Subjects = slices.DeleteFunc(slices.Clone(shown.Subjects), func(id catalogue.ID) bool { return directory.Subject(id) == nil })
		return shown
	}, err
}

// shownAccount leaves out the secrets at identity providers.
func shownAccount(a *account.Account) *graph.Account {
	shown := &graph.Account{
		ID: a.ID, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, Version: int(a.Version),
		Name: a.Name, Operator: a.Operator, Tier: unlessZero(a.Tier), Products: list(a.Products),
		Type: a.Type, Status: a.Status, AccessExpiresOn: a.AccessExpiresOn, Subjects: list(a.Subjects),
		ContentPackage: unlessZero(a.ContentPackage), AllowedOrigins: list(a.AllowedOrigins),
		IgnoresServiceUserID: a.IgnoresServiceUserID, Environment: a.Environment, PasswordSignIn: a.PasswordSignIn,
		IdentityProviders: []*graph.IdentityProvider{},
		EmbedsTakenOver:   list(a.EmbedsTakenOver),
		RequestsPerMinute: unlessZero(int(a.RequestsPerMinute)), RequestsPerMonth: unlessZero(int(a.RequestsPerMonth)),
	}
	for _, p := range a.IdentityProviders {
		shown.IdentityProviders = append(shown.IdentityProviders, &graph.IdentityProvider{
			Alias: p.Alias, Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID,
			HasClientSecret: p.ClientSecret != "", Scopes: p.Scopes, Domains: list(p.Domains),
		})
	}
	return shown
}
