package accounts

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) CurrentUser(ctx context.Context) (*graph.Profile, error) {
	caller, err := authz.Caller(ctx)
	switch {
	case err != nil:
		return nil, err
	case caller.User == "":
		return nil, fault.Errorf(fault.Forbidden, "the token has no user")
	}
	return r.profileOf(ctx, caller.User)
}

func (r *Resolver) Profile(ctx context.Context, id string) (*graph.Profile, error) {
	if err := requireForOthers(ctx, id, account.ViewUsers); err != nil {
		return nil, err
	}
	return r.profileOf(ctx, id)
}

// requireForOthers returns an error with the code Forbidden if a user is not the token's and the caller lacks a permission.
func requireForOthers(ctx context.Context, id string, permission account.Permission) error {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return err
	}
	if own := caller.User != "" && id == caller.User; !own && !caller.Permissions.Has(permission) {
		return fault.Errorf(fault.Forbidden, "the permission %s is required for other users than the token's", permission)
	}
	return nil
}

// profileOf returns nil unless the user belongs to the caller's account. Staff see the users of all accounts.
func (r *Resolver) profileOf(ctx context.Context, id string) (*graph.Profile, error) {
	user, err := registry.Record[*account.User](ctx, r.Registry, account.KindUser.Key(id))
	if err != nil || user == nil {
		return nil, err
	}
	caller := account.CallerOf(ctx)
	if !caller.Permissions.Has(account.ViewPersons) && (caller.Account == nil || caller.Account.ID != user.AccountID) {
		return nil, nil
	}
	return r.shownProfile(ctx, user)
}

func (r *Resolver) shownProfile(ctx context.Context, user *account.User) (*graph.Profile, error) {
	owner, err := registry.Record[*account.Account](ctx, r.Registry, account.KindAccount.Key(user.AccountID))
	if err != nil || owner == nil {
		return nil, err
	}
	features, err := r.featuresOf(ctx, owner)
	if err != nil {
		return nil, err
	}
	directory, err := r.directory(ctx)
	if err != nil {
		return nil, err
	}
	profile := &graph.Profile{
		ID: catalogue.ID(user.ID), FirstName: user.GivenName, LastName: user.FamilyName, Email: user.Email,
		Features: features, UserRoles: []byte(`{}`),
		JobTitle: values.OrNil(user.JobTitle), DesiredContent: values.OrNil(user.DesiredContent),
		Audiences: values.List(user.Audiences), DiscoveryMethods: values.List(user.DiscoveryMethods),
		AccessExpiresOn: owner.AccessExpiresOn, HasAcceptedTermsAndConditions: user.TermsAccepted,
		Account: &graph.ProfileAccount{
			ID: owner.ID, Name: owner.Name, Products: values.List(owner.Products), Type: owner.Type, CreatedAt: owner.CreatedAt,
		},
		Subjects: []*model.Subject{}, Ages: values.List(user.Ages), Links: model.UserLinks(user.ID),
	}
	for _, id := range user.Subjects {
		if subject := directory.Subject(id); subject != nil {
			profile.Subjects = append(profile.Subjects, model.NewSubject(subject))
		}
	}
	return profile, nil
}

// featuresOf returns the features of an account's tier as a JSON object.
func (r *Resolver) featuresOf(ctx context.Context, owner *account.Account) ([]byte, error) {
	tier, err := registry.Record[*account.Tier](ctx, r.Registry, account.KindTier.Key(owner.Tier))
	if err != nil || tier == nil || len(tier.Features) == 0 {
		return []byte(`{}`), err
	}
	return json.Marshal(tier.Features)
}

// IsUserActive answers anonymous callers about any user, because pages ask before they have a token. Callers with a token
// learn only about users of their own account.
func (r *Resolver) IsUserActive(ctx context.Context, id string) (bool, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return false, err
	}
	user, err := registry.Record[*account.User](ctx, r.Registry, account.KindUser.Key(id))
	if err != nil || user == nil || user.Disabled {
		return false, err
	}
	if !caller.Anonymous() && (caller.Account == nil || caller.Account.ID != user.AccountID) {
		return false, nil
	}
	owner, err := registry.Record[*account.Account](ctx, r.Registry, account.KindAccount.Key(user.AccountID))
	if err != nil || owner == nil {
		return false, err
	}
	return owner.Status == account.Active && !owner.Expired(r.today()), nil
}

func (r *Resolver) UpdateProfile(ctx context.Context, id string, input graph.UpdateProfileInput) (*graph.Profile, error) {
	if err := requireForOthers(ctx, id, account.ManagePersons); err != nil {
		return nil, err
	}
	directory, err := r.directory(ctx)
	if err != nil {
		return nil, err
	}
	user, err := registry.Update(ctx, r.Registry, account.KindUser.Key(id), nil, func(user *account.User) error {
		return changeProfile(user, input, directory)
	})
	if err != nil {
		return nil, err
	}
	return r.shownProfile(ctx, user)
}

func changeProfile(user *account.User, input graph.UpdateProfileInput, directory *catalogue.Directory) error {
	var f inputs.Faults
	requireName(&f, "firstName", &user.GivenName, input.FirstName)
	requireName(&f, "lastName", &user.FamilyName, input.LastName)
	inputs.Set(&user.JobTitle, input.JobTitle)
	inputs.Set(&user.DesiredContent, input.DesiredContent)
	inputs.SetList(&user.Audiences, input.Audiences)
	inputs.SetList(&user.DiscoveryMethods, input.DiscoveryMethods)
	inputs.Set(&user.TermsAccepted, input.HasAcceptedTermsAndConditions)
	if subjects, isSet := input.Subjects.ValueOK(); isSet {
		user.Subjects = values.Map(subjects, func(id string) catalogue.ID {
			if directory.Subject(catalogue.ID(id)) == nil {
				f.Add("subjects", "there is no subject %q", cmp.Or(id, `""`))
			}
			return catalogue.ID(id)
		})
	}
	inputs.SetList(&user.Ages, input.Ages)
	return f.Err()
}

// requireName sets a name, which cannot be blank.
func requireName(f *inputs.Faults, field string, into *string, given graphql.Omittable[*string]) {
	if value, isSet := given.ValueOK(); isSet && value != nil && strings.TrimSpace(*value) == "" {
		f.Add(field, "is blank")
		return
	}
	inputs.Require(f, field, into, given)
}
