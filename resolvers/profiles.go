package resolvers

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
)

func (q query) CurrentUser(ctx context.Context) (*graph.Profile, error) {
	caller, err := caller(ctx)
	switch {
	case err != nil:
		return nil, err
	case caller.User == "":
		return nil, fault.Errorf(fault.Forbidden, "the token has no user")
	}
	return q.profileOf(ctx, caller.User)
}

func (q query) Profile(ctx context.Context, id string) (*graph.Profile, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	own := caller.User != "" && id == caller.User
	if !own && !caller.Permissions.Has(account.ViewUsers) {
		return nil, fault.Errorf(fault.Forbidden, "the permission %s is required for other users than the token's", account.ViewUsers)
	}
	return q.profileOf(ctx, id)
}

// profileOf shows a user to a caller who may see users of their own account, nil where there is none of it.
// Operators see those of all.
func (r *resolver) profileOf(ctx context.Context, id string) (*graph.Profile, error) {
	user, err := recordOf[*account.User](ctx, r, userKey(id))
	if err != nil || user == nil {
		return nil, err
	}
	caller := account.CallerOf(ctx)
	if !caller.Permissions.Has(account.Operate) && (caller.Account == nil || caller.Account.ID != user.AccountID) {
		return nil, nil
	}
	return r.shownProfile(ctx, user)
}

func (r *resolver) shownProfile(ctx context.Context, user *account.User) (*graph.Profile, error) {
	owner, err := recordOf[*account.Account](ctx, r, accountKey(user.AccountID))
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
		JobTitle: unlessZero(user.JobTitle), DesiredContent: unlessZero(user.DesiredContent),
		Audiences: list(user.Audiences), DiscoveryMethods: list(user.DiscoveryMethods),
		AccessExpiresOn: owner.AccessExpiresOn, HasAcceptedTermsAndConditions: user.TermsAccepted,
		Account: &graph.ProfileAccount{
			ID: owner.ID, Name: owner.Name, Products: list(owner.Products), Type: owner.Type, CreatedAt: owner.CreatedAt,
		},
		Subjects: []*model.Subject{}, Ages: list(user.Ages), Links: model.UserLinks(user.ID),
	}
	for _, id := range user.Subjects {
		if subject := directory.Subject(id); subject != nil {
			profile.Subjects = append(profile.Subjects, model.NewSubject(subject))
		}
	}
	return profile, nil
}

// featuresOf is what an account's tier switches on, as a JSON object.
func (r *resolver) featuresOf(ctx context.Context, owner *account.Account) ([]byte, error) {
	tier, err := recordOf[*account.Tier](ctx, r, account.EntityKey{Kind: account.KindTier, ID: owner.Tier})
	if err != nil || tier == nil || len(tier.Features) == 0 {
		return []byte(`{}`), err
	}
	return json.Marshal(tier.Features)
}

// IsUserActive answers anonymous callers about any user, because pages ask before there is a token, and callers with a
// token only about users of their own account: others are as unknown to them as those that do not exist.
func (q query) IsUserActive(ctx context.Context, id string) (bool, error) {
	caller, err := caller(ctx)
	if err != nil {
		return false, err
	}
	user, err := recordOf[*account.User](ctx, q.resolver, userKey(id))
	if err != nil || user == nil || user.Disabled {
		return false, err
	}
	if !caller.Anonymous() && (caller.Account == nil || caller.Account.ID != user.AccountID) {
		return false, nil
	}
	owner, err := recordOf[*account.Account](ctx, q.resolver, accountKey(user.AccountID))
	if err != nil || owner == nil {
		return false, err
	}
	return owner.Status == account.Active && !owner.Expired(q.today()), nil
}

func (m mutation) UpdateProfile(ctx context.Context, id string, input graph.UpdateProfileInput) (*graph.Profile, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	if own := caller.User != "" && id == caller.User; !own && !caller.Permissions.Has(account.Operate) {
		return nil, fault.Errorf(fault.Forbidden, "the permission %s is required for other users than the token's", account.Operate)
	}
	directory, err := m.directory(ctx)
	if err != nil {
		return nil, err
	}
	user, err := update(ctx, m.resolver, userKey(id), nil, func(user *account.User) error {
		return changeProfile(user, input, directory)
	})
	if err != nil {
		return nil, err
	}
	return m.shownProfile(ctx, user)
}

func changeProfile(user *account.User, input graph.UpdateProfileInput, directory *catalogue.Directory) error {
	var c changes
	mustName(&c, "firstName", &user.GivenName, input.FirstName)
	mustName(&c, "lastName", &user.FamilyName, input.LastName)
	may(&user.JobTitle, input.JobTitle)
	may(&user.DesiredContent, input.DesiredContent)
	mayList(&user.Audiences, input.Audiences)
	mayList(&user.DiscoveryMethods, input.DiscoveryMethods)
	may(&user.TermsAccepted, input.HasAcceptedTermsAndConditions)
	if subjects, isSet := input.Subjects.ValueOK(); isSet {
		user.Subjects = subjectsAmong(&c, subjects, directory)
	}
	mayList(&user.Ages, input.Ages)
	return c.err()
}

// mustName sets a name, which cannot be blank.
func mustName(c *changes, field string, into *string, given graphql.Omittable[*string]) {
	if value, isSet := given.ValueOK(); isSet && value != nil && strings.TrimSpace(*value) == "" {
		c.add(field, "is blank")
		return
	}
	must(c, field, into, given)
}

// subjectsAmong reads ids of subjects, each of which has to be there.
func subjectsAmong(c *changes, ids []string, directory *catalogue.Directory) []catalogue.ID {
	subjects := make([]catalogue.ID, 0, len(ids))
	for _, id := range ids {
		if directory.Subject(catalogue.ID(id)) == nil {
			c.add("subjects", "there is no subject %q", cmp.Or(id, `""`))
		}
		subjects = append(subjects, catalogue.ID(id))
	}
	return subjects
}
