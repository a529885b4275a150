package resolvers

import (
	"context"
	"errors"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (q query) Users(ctx context.Context, owner, externalID, username *string, first int, after *string) (*graph.UserConnection, error) {
	if externalID == nil && username == nil {
		nodes, info, err := shownPage(ctx, q.resolver, account.KindUser, owner, first, after, shownUser)
		return &graph.UserConnection{Nodes: nodes, PageInfo: info}, err
	}
	if owner == nil || externalID != nil && username != nil {
		return nil, fault.InvalidRequest("a user is found by account and either externalId or username")
	}
	name := account.LocalUserName(*owner, or(username))
	if externalID != nil {
		name = account.ExternalUserName(*owner, *externalID)
	}
	return q.userNamed(ctx, name)
}

// userNamed is a page of the one user with a name, or of none.
func (q query) userNamed(ctx context.Context, name string) (*graph.UserConnection, error) {
	registry, err := q.administered()
	if err != nil {
		return nil, err
	}
	record, err := registry.Named(ctx, name)
	if err != nil {
		return nil, err
	}
	page := &graph.UserConnection{Nodes: []*graph.User{}, PageInfo: &model.PageInfo{}}
	if user, ok := record.(*account.User); ok {
		page.Nodes = append(page.Nodes, shownUser(user))
	}
	return page, nil
}

func (q query) User(ctx context.Context, id string) (*graph.User, error) {
	return shownRecord(ctx, q.resolver, userKey(id), shownUser)
}

func userKey(id string) account.EntityKey { return account.EntityKey{Kind: account.KindUser, ID: id} }

func (m mutation) CreateUser(ctx context.Context, input graph.CreateUserInput) (*graph.User, error) {
	hash, err := m.hashOf(ctx, input.Password)
	if err != nil {
		return nil, err
	}
	created := &account.User{
		ID: account.NewUserID(), AccountID: input.Account,
		ExternalID: or(input.ExternalID), Username: or(input.Username), PasswordHash: hash,
		Issuer: or(input.Issuer), Subject: or(input.Subject), Email: or(input.Email), EmailVerified: input.EmailVerified,
		GivenName: or(input.GivenName), FamilyName: or(input.FamilyName), Disabled: input.Disabled,
	}
	if err := m.create(ctx, created); err != nil {
		return nil, err
	}
	return shownUser(created), nil
}

// hashOf is what a password is kept as; "" for none.
func (r *resolver) hashOf(ctx context.Context, password *string) (string, error) {
	if password == nil {
		return "", nil
	}
	if r.hash == nil {
		return "", fault.Errorf(fault.Unavailable, "passwords cannot be set here")
	}
	hash, err := r.hash(ctx, *password)
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Code == fault.Invalid {
		return "", invalidField("password", "%s", refused.Message)
	}
	return hash, err
}

func (m mutation) UpdateUser(ctx context.Context, id string, version *int, input graph.UpdateUserInput) (*graph.User, error) {
	updated, err := update(ctx, m.resolver, userKey(id), version, func(user *account.User) error {
		return changeUser(user, input)
	})
	if err != nil {
		return nil, err
	}
	if updated.Disabled {
		if err := m.endUser(ctx, id); err != nil {
			return nil, err
		}
	}
	return shownUser(updated), nil
}

func changeUser(user *account.User, input graph.UpdateUserInput) error {
	var c changes
	may(&user.ExternalID, input.ExternalID)
	may(&user.Username, input.Username)
	may(&user.Issuer, input.Issuer)
	may(&user.Subject, input.Subject)
	may(&user.Email, input.Email)
	must(&c, "emailVerified", &user.EmailVerified, input.EmailVerified)
	may(&user.GivenName, input.GivenName)
	may(&user.FamilyName, input.FamilyName)
	must(&c, "disabled", &user.Disabled, input.Disabled)
	return c.err()
}

func (m mutation) SetUserPassword(ctx context.Context, id string, password *string) (*graph.User, error) {
	if err := mustBeGiven(ctx, "password"); err != nil {
		return nil, err
	}
	hash, err := m.hashOf(ctx, password)
	if err != nil {
		return nil, err
	}
	updated, err := update(ctx, m.resolver, userKey(id), nil, func(user *account.User) error {
		user.PasswordHash = hash
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := m.endSignIns(ctx, id, m.now()); err != nil {
		return nil, err
	}
	return shownUser(updated), nil
}

func (m mutation) DeleteUser(ctx context.Context, id string, version *int) (string, error) {
	removed := m.remove(ctx, userKey(id), version)
	if removed != nil && fault.CodeOf(removed) != fault.NotFound {
		return "", removed
	}
	// Also of one that is gone already: so a failure here can be made good by doing it again.
	if err := m.endUser(ctx, id); err != nil {
		return "", err
	}
	if m.shelves != nil {
		if _, err := m.shelves.ForgetUser(ctx, id); err != nil {
			return "", err
		}
	}
	return id, removed
}

// shownUser leaves out the password's hash.
func shownUser(u *account.User) *graph.User {
	return &graph.User{
		ID: catalogue.ID(u.ID), CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, Version: int(u.Version),
		Account: u.AccountID, ExternalID: unlessZero(u.ExternalID), Username: unlessZero(u.Username),
		HasPassword: u.PasswordHash != "", Issuer: unlessZero(u.Issuer), Subject: unlessZero(u.Subject),
		Email: unlessZero(u.Email), EmailVerified: u.EmailVerified,
		GivenName: unlessZero(u.GivenName), FamilyName: unlessZero(u.FamilyName), Disabled: u.Disabled,
	}
}
