package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) Users(ctx context.Context, owner, externalID, username, text *string, first int, after *string) (*graph.UserConnection, error) {
	if externalID == nil && username == nil {
		nodes, info, err := registry.Page(ctx, r.Registry, registry.Query{Kind: account.KindUser, Owner: owner, Text: text}, first, after, userTexts, shownUser)
		return &graph.UserConnection{Nodes: nodes, PageInfo: info}, err
	}
	if owner == nil || text != nil || externalID != nil && username != nil {
		return nil, fault.InvalidRequest("to find a user, name the account and either externalId or username")
	}
	name := account.LocalUserName(*owner, values.Or(username))
	if externalID != nil {
		name = account.ExternalUserName(*owner, *externalID)
	}
	return r.userNamed(ctx, name)
}

func userTexts(u *account.User) []string {
	return []string{u.GivenName, u.FamilyName, u.Username, u.Email, u.ExternalID}
}

// userNamed returns a page of the user with a name, or an empty page.
func (r *Resolver) userNamed(ctx context.Context, name string) (*graph.UserConnection, error) {
	records, err := r.Registry.Store()
	if err != nil {
		return nil, err
	}
	user, err := account.As[*account.User](records.Named(ctx, name))
	if err != nil {
		return nil, err
	}
	page := &graph.UserConnection{Nodes: []*graph.User{}, PageInfo: &model.PageInfo{}}
	if user != nil {
		page.Nodes = append(page.Nodes, shownUser(user))
	}
	return page, nil
}

func (r *Resolver) User(ctx context.Context, id string) (*graph.User, error) {
	return registry.View(ctx, r.Registry, account.KindUser.Key(id), shownUser)
}

func (r *Resolver) CreateUser(ctx context.Context, input graph.CreateUserInput) (*graph.User, error) {
	hash, err := r.hashOf(ctx, input.Password)
	if err != nil {
		return nil, err
	}
	created := &account.User{
		ID: account.NewUserID(), AccountID: input.Account,
		ExternalID: values.Or(input.ExternalID), Username: values.Or(input.Username), PasswordHash: hash,
		Issuer: values.Or(input.Issuer), Subject: values.Or(input.Subject), Email: values.Or(input.Email), EmailVerified: input.EmailVerified,
		GivenName: values.Or(input.GivenName), FamilyName: values.Or(input.FamilyName), Disabled: input.Disabled,
	}
	if err := r.Registry.Create(ctx, created); err != nil {
		return nil, err
	}
	return shownUser(created), nil
}

// hashOf returns the hash of a password, and "" for none.
func (r *Resolver) hashOf(ctx context.Context, password *string) (string, error) {
	if password == nil {
		return "", nil
	}
	if r.HashPassword == nil {
		return "", fault.Errorf(fault.Unavailable, "passwords cannot be set here")
	}
	hash, err := r.HashPassword(ctx, *password)
	if refused, ok := errors.AsType[*fault.Error](err); ok && refused.Code == fault.Invalid {
		return "", inputs.Invalid("password", "%s", refused.Message)
	}
	return hash, err
}

func (r *Resolver) UpdateUser(ctx context.Context, id string, version *int, input graph.UpdateUserInput) (*graph.User, error) {
	if values.Or(input.Disabled.Value()) {
		if err := checkColleague(ctx, id, "disable"); err != nil {
			return nil, err
		}
	}
	updated, err := registry.Update(ctx, r.Registry, account.KindUser.Key(id), version, func(user *account.User) error {
		return changeUser(user, input)
	})
	if err != nil {
		return nil, err
	}
	if updated.Disabled {
		if err := r.endUser(ctx, id); err != nil {
			return nil, err
		}
	}
	return shownUser(updated), nil
}

func changeUser(user *account.User, input graph.UpdateUserInput) error {
	var f inputs.Faults
	inputs.Set(&user.ExternalID, input.ExternalID)
	inputs.Set(&user.Username, input.Username)
	inputs.Set(&user.Issuer, input.Issuer)
	inputs.Set(&user.Subject, input.Subject)
	inputs.Set(&user.Email, input.Email)
	inputs.Require(&f, "emailVerified", &user.EmailVerified, input.EmailVerified)
	inputs.Set(&user.GivenName, input.GivenName)
	inputs.Set(&user.FamilyName, input.FamilyName)
	inputs.Require(&f, "disabled", &user.Disabled, input.Disabled)
	return f.Err()
}

func (r *Resolver) SetUserPassword(ctx context.Context, id string, password *string) (*graph.User, error) {
	if err := inputs.MustBeGiven(ctx, "password"); err != nil {
		return nil, err
	}
	hash, err := r.hashOf(ctx, password)
	if err != nil {
		return nil, err
	}
	updated, err := registry.Update(ctx, r.Registry, account.KindUser.Key(id), nil, func(user *account.User) error {
		user.PasswordHash = hash
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := r.endSignIns(ctx, id, 0); err != nil {
		return nil, err
	}
	return shownUser(updated), nil
}

// EndUserSessions ends the sessions of a user whom the caller may change.
func (r *Resolver) EndUserSessions(ctx context.Context, id catalogue.ID) (*graph.User, error) {
	user, err := registry.Update(ctx, r.Registry, account.KindUser.Key(string(id)), nil, func(*account.User) error { return nil })
	if err != nil {
		return nil, err
	}
	if err := r.endSignIns(ctx, user.ID, 0); err != nil {
		return nil, err
	}
	if err := r.Registry.NoteOn(context.WithoutCancel(ctx), user.Key(), sessionsNote{r.Now().UTC()}); err != nil {
		return nil, fmt.Errorf("the sessions have ended, but the audit log has no entry: %w", err)
	}
	return shownUser(user), nil
}

// sessionsNote is the body of an entry of the audit log.
type sessionsNote struct {
	At time.Time `json:"sessionsEndedAt"`
}

func (r *Resolver) DeleteUser(ctx context.Context, id string, version *int) (string, error) {
	if err := checkColleague(ctx, id, "delete"); err != nil {
		return "", err
	}
	removed := r.Registry.Remove(ctx, account.KindUser.Key(id), version)
	if removed != nil && fault.CodeOf(removed) != fault.NotFound {
		return "", removed
	}
	// A deleted user is included, so that a repeated call completes one that failed here.
	if err := r.endUser(ctx, id); err != nil {
		return "", err
	}
	if r.Collections != nil {
		if _, err := r.Collections.ForgetUser(ctx, id); err != nil {
			return "", err
		}
	}
	return id, removed
}

// shownUser leaves out the hash of the password.
func shownUser(u *account.User) *graph.User {
	return &graph.User{
		ID: catalogue.ID(u.ID), CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt, Version: int(u.Version),
		Account: u.AccountID, ExternalID: values.OrNil(u.ExternalID), Username: values.OrNil(u.Username),
		HasPassword: u.PasswordHash != "", Issuer: values.OrNil(u.Issuer), Subject: values.OrNil(u.Subject),
		Email: values.OrNil(u.Email), EmailVerified: u.EmailVerified,
		GivenName: values.OrNil(u.GivenName), FamilyName: values.OrNil(u.FamilyName), Disabled: u.Disabled,
	}
}
