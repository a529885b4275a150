package accounts

import (
	"context"
	"fmt"
	"slices"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

func accountTexts(a *account.Account) []string { return []string{a.Name} }

func (r *Resolver) Accounts(ctx context.Context, text *string, first int, after *string) (*graph.AccountConnection, error) {
	view, err := r.accountView(ctx)
	if err != nil {
		return nil, err
	}
	nodes, info, err := registry.Page(ctx, r.Registry, registry.Query{Kind: account.KindAccount, Text: text}, first, after, accountTexts, view)
	return &graph.AccountConnection{Nodes: nodes, PageInfo: info}, err
}

func (r *Resolver) Account(ctx context.Context, id string) (*graph.Account, error) {
	view, err := r.accountView(ctx)
	if err != nil {
		return nil, err
	}
	return registry.View(ctx, r.Registry, account.KindAccount.Key(id), view)
}

func (r *Resolver) CreateAccount(ctx context.Context, input graph.CreateAccountInput) (*graph.Account, error) {
	created := &account.Account{
		ID: input.ID, Name: input.Name, Operator: input.Operator, Products: input.Products,
		Type: input.Type, Status: input.Status, AccessExpiresOn: input.AccessExpiresOn,
		Subjects: input.Subjects, AllowedOrigins: input.AllowedOrigins,
		IgnoresServiceUserID: input.IgnoresServiceUserID, Environment: input.Environment, PasswordSignIn: input.PasswordSignIn,
		IdentityProviders: providers(input.IdentityProviders, nil),
		RequestsPerMinute: int64(values.Or(input.RequestsPerMinute)), RequestsPerMonth: int64(values.Or(input.RequestsPerMonth)),
		BillingAddress: values.Or(input.BillingAddress), BillingEmail: values.Or(input.BillingEmail),
	}
	var f inputs.Faults
	setID(&f, "tier", &created.Tier, graphql.OmittableOf(input.Tier))
	setID(&f, "contentPackage", &created.ContentPackage, graphql.OmittableOf(input.ContentPackage))
	setID(&f, "pricePlan", &created.PricePlan, graphql.OmittableOf(input.PricePlan))
	if len(created.Subjects) > 0 {
		directory, err := r.directory(ctx)
		if err != nil {
			return nil, err
		}
		checkSubjects(&f, directory, created.Subjects, nil)
	}
	logo := readLogo(&f, created.ID, graphql.OmittableOf(input.Logo))
	if err := f.Err(); err != nil {
		return nil, err
	}
	view, err := r.accountView(ctx)
	if err != nil {
		return nil, err
	}
	var linked []account.Entity
	if logo != nil {
		created.Logo, linked = logo.Info(), []account.Entity{logo}
	}
	if err := r.Registry.Create(ctx, created, linked...); err != nil {
		return nil, err
	}
	return view(created), nil
}

func (r *Resolver) UpdateAccount(ctx context.Context, id string, version *int, input graph.UpdateAccountInput) (*graph.Account, error) {
	view, err := r.accountView(ctx)
	if err != nil {
		return nil, err
	}
	var directory *catalogue.Directory
	if subjects, _ := input.Subjects.ValueOK(); len(subjects) > 0 {
		if directory, err = r.directory(ctx); err != nil {
			return nil, err
		}
	}
	takenOver, _ := input.EmbedsTakenOver.ValueOK()
	users, err := r.usersEver(ctx, id, takenOver)
	if err != nil {
		return nil, err
	}
	updated, err := registry.UpdateLinked(ctx, r.Registry, account.KindAccount.Key(id), version, func(ctx context.Context, tx store.RegistryTx, a *account.Account) (func() error, error) {
		subjects, tookOver := a.Subjects, a.EmbedsTakenOver
		f := changeAccount(a, input)
		logo := readLogo(&f, a.ID, input.Logo)
		if directory != nil {
			checkSubjects(&f, directory, a.Subjects, subjects)
		}
		for i, user := range a.EmbedsTakenOver {
			if catalogue.ID(user).Valid() && !users[user] && !slices.Contains(tookOver, user) {
				f.Add(fmt.Sprintf("embedsTakenOver[%d]", i), "the account has and had no user %q", user)
			}
		}
		if err := f.Err(); err != nil {
			return nil, err
		}
		return setLogo(ctx, tx, a, logo, input.Logo.IsSet())
	})
	if err != nil {
		return nil, err
	}
	// An account that was suspended before is included, so that a repeated call completes one that failed here.
	if updated.Status == account.Suspended {
		if err := r.endAccount(ctx, id); err != nil {
			return nil, err
		}
	}
	return view(updated), nil
}

// usersEver returns those of the users that an account has, or had until they were deleted.
func (r *Resolver) usersEver(ctx context.Context, id string, users []string) (map[string]bool, error) {
	if len(users) == 0 {
		return nil, nil
	}
	records, err := r.Registry.Store()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, user := range users[:min(len(users), account.MaxListLength)] {
		record, err := records.Entity(ctx, account.KindUser.Key(user))
		if err != nil {
			return nil, err
		}
		if record != nil {
			known[user] = record.Owner() == id
			continue
		}
		entries, err := records.Audit(ctx, store.AuditQuery{Key: account.KindUser.Key(user)}, 0, 1)
		if err != nil {
			return nil, err
		}
		known[user] = len(entries) > 0 && entries[0].Owner == id
	}
	return known, nil
}

func changeAccount(a *account.Account, input graph.UpdateAccountInput) (f inputs.Faults) {
	inputs.Require(&f, "name", &a.Name, input.Name)
	setID(&f, "tier", &a.Tier, input.Tier)
	inputs.SetList(&a.Products, input.Products)
	inputs.Require(&f, "type", &a.Type, input.Type)
	inputs.Require(&f, "status", &a.Status, input.Status)
	if day, isSet := input.AccessExpiresOn.ValueOK(); isSet {
		a.AccessExpiresOn = day
	}
	inputs.SetList(&a.Subjects, input.Subjects)
	setID(&f, "contentPackage", &a.ContentPackage, input.ContentPackage)
	inputs.SetList(&a.AllowedOrigins, input.AllowedOrigins)
	inputs.Require(&f, "ignoresServiceUserId", &a.IgnoresServiceUserID, input.IgnoresServiceUserID)
	inputs.Require(&f, "environment", &a.Environment, input.Environment)
	inputs.Require(&f, "passwordSignIn", &a.PasswordSignIn, input.PasswordSignIn)
	if list, isSet := input.IdentityProviders.ValueOK(); isSet {
		a.IdentityProviders = providers(list, a.IdentityProviders)
	}
	inputs.SetList(&a.EmbedsTakenOver, input.EmbedsTakenOver)
	setCount(&a.RequestsPerMinute, input.RequestsPerMinute)
	setCount(&a.RequestsPerMonth, input.RequestsPerMonth)
	setID(&f, "pricePlan", &a.PricePlan, input.PricePlan)
	inputs.Set(&a.BillingAddress, input.BillingAddress)
	inputs.Set(&a.BillingEmail, input.BillingEmail)
	return f
}

// setID sets the ID of another record; null sets none. "" is a fault, because it usually is an unset variable of a script,
// and an account without a content package sees everything.
func setID(f *inputs.Faults, field string, into *string, given graphql.Omittable[*string]) {
	if value, isSet := given.ValueOK(); isSet && value != nil && *value == "" {
		f.Add(field, `"" is not an id; use null for none`)
		return
	}
	inputs.Set(into, given)
}

func setCount(into *int64, given graphql.Omittable[*int]) {
	if value, isSet := given.ValueOK(); isSet {
		*into = int64(values.Or(value))
	}
}

func (r *Resolver) DeleteAccount(ctx context.Context, id string, version *int) (string, error) {
	if err := r.checkCharged(ctx, id); err != nil {
		return id, err
	}
	if err := r.Registry.Remove(ctx, account.KindAccount.Key(id), version); err != nil || r.Searches == nil {
		return id, err
	}
	return id, r.Searches.ForgetAccount(ctx, id)
}

// providers reads identity providers. A provider without a secret keeps that of the one with its alias and issuer: a
// secret must not go to another issuer.
func providers(list []*graph.IdentityProviderInput, before []account.IdentityProvider) []account.IdentityProvider {
	var read []account.IdentityProvider
	for _, input := range list {
		provider := account.IdentityProvider{
			Alias: input.Alias, Name: input.Name, Issuer: input.Issuer, ClientID: input.ClientID,
			Scopes: input.Scopes, Domains: input.Domains,
		}
		for _, other := range before {
			if other.Alias == provider.Alias && other.Issuer == provider.Issuer {
				provider.ClientSecret = other.ClientSecret
			}
		}
		inputs.Set(&provider.ClientSecret, input.ClientSecret)
		read = append(read, provider)
	}
	return read
}

// TestIdentityProvider returns the problem with a provider, or nil.
func (r *Resolver) TestIdentityProvider(ctx context.Context, of, alias string) (*string, error) {
	if r.CheckProvider == nil {
		return nil, fault.Errorf(fault.Unavailable, "identity providers cannot be tested here")
	}
	found, err := registry.Record[*account.Account](ctx, r.Registry, account.KindAccount.Key(of))
	if err == nil && found == nil {
		err = registry.NotFound(account.KindAccount.Key(of))
	}
	if err != nil {
		return nil, err
	}
	for i := range found.IdentityProviders {
		if provider := &found.IdentityProviders[i]; provider.Alias == alias {
			return values.OrNil(r.CheckProvider(ctx, of, provider)), nil
		}
	}
	return nil, fault.Errorf(fault.NotFound, "the account %q has no identity provider %q", fault.Shorten(of), fault.Shorten(alias))
}

// RequestsInMonth returns 0 for an account without a limit.
func (r *Resolver) RequestsInMonth(ctx context.Context, of string, month usage.Month) (int, error) {
	records, err := r.Registry.Store()
	if err != nil {
		return 0, err
	}
	counts, err := records.Usage(ctx, month.String())
	return int(counts[of]), err
}

// accountView returns a function that shows accounts without deleted subjects. Commands that open no catalogue show all
// subjects.
func (r *Resolver) accountView(ctx context.Context) (func(*account.Account) *graph.Account, error) {
	if r.Catalogue == nil {
		return shownAccount, nil
	}
	directory, err := r.directory(ctx)
	return func(a *account.Account) *graph.Account {
		shown := shownAccount(a)
		shown.Subjects = slices.DeleteFunc(slices.Clone(shown.Subjects), func(id catalogue.ID) bool { return directory.Subject(id) == nil })
		return shown
	}, err
}

// shownAccount leaves out the secrets of identity providers.
func shownAccount(a *account.Account) *graph.Account {
	return &graph.Account{
		ID: a.ID, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt, Version: int(a.Version),
		Name: a.Name, Operator: a.Operator, Tier: values.OrNil(a.Tier), Products: values.List(a.Products),
		Type: a.Type, Status: a.Status, AccessExpiresOn: a.AccessExpiresOn, Subjects: values.List(a.Subjects),
		ContentPackage: values.OrNil(a.ContentPackage), AllowedOrigins: values.List(a.AllowedOrigins),
		IgnoresServiceUserID: a.IgnoresServiceUserID, Environment: a.Environment, PasswordSignIn: a.PasswordSignIn,
		IdentityProviders: values.Map(a.IdentityProviders, func(p account.IdentityProvider) *graph.IdentityProvider {
			return &graph.IdentityProvider{
				Alias: p.Alias, Name: p.Name, Issuer: p.Issuer, ClientID: p.ClientID,
				HasClientSecret: p.ClientSecret != "", Scopes: p.Scopes, Domains: values.List(p.Domains),
			}
		}),
		Logo:              shownLogo(a.Logo),
		EmbedsTakenOver:   values.List(a.EmbedsTakenOver),
		RequestsPerMinute: values.OrNil(int(a.RequestsPerMinute)), RequestsPerMonth: values.OrNil(int(a.RequestsPerMonth)),
		PricePlan: values.OrNil(a.PricePlan), BillingAddress: a.BillingAddress, BillingEmail: a.BillingEmail,
	}
}
