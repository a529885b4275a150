package accounts

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// Viewer returns who is calling and what they may do.
func (r *Resolver) Viewer(ctx context.Context) (*graph.Viewer, error) {
	caller, err := authz.Caller(ctx)
	if err != nil {
		return nil, err
	}
	viewer := &graph.Viewer{
		Client: caller.ClientID, StaffRole: values.OrNil(caller.StaffRole), Permissions: values.List(caller.Permissions.List()),
	}
	if caller.Account != nil {
		viewer.Account, viewer.AccountName = &caller.Account.ID, &caller.Account.Name
	}
	if caller.User == "" {
		return viewer, nil
	}
	id := catalogue.ID(caller.User)
	viewer.User = &id
	user, err := registry.Record[*account.User](ctx, r.Registry, account.KindUser.Key(caller.User))
	if err != nil || user == nil {
		return viewer, err
	}
	viewer.UserName = values.OrNil(user.DisplayName())
	viewer.SecondFactor, err = r.secondFactorOf(ctx, caller.User)
	return viewer, err
}

// Staff returns the users who have a role.
func (r *Resolver) Staff(ctx context.Context) ([]*graph.StaffMember, error) {
	records, err := r.Registry.Store()
	if err != nil {
		return nil, err
	}
	staff := []*graph.StaffMember{}
	for member, err := range store.Records[*account.StaffMember](ctx, records, account.KindStaffMember, "", "") {
		if err != nil {
			return nil, err
		}
		shown, err := r.shownMember(ctx, member)
		if err != nil {
			return nil, err
		}
		staff = append(staff, shown)
	}
	return staff, nil
}

// checkColleague returns an error if a user is the caller's. As owners cannot lock themselves out, one of them remains.
func checkColleague(ctx context.Context, user, change string) error {
	caller, err := authz.Caller(ctx)
	if err == nil && caller.User == user {
		err = fault.InvalidRequest("you cannot %s your own user; ask a colleague", change)
	}
	return err
}

// SetStaffRole sets, replaces or removes the role of a user of the operator's account.
func (r *Resolver) SetStaffRole(ctx context.Context, id catalogue.ID, role *account.StaffRole, version *int) (*graph.StaffMember, error) {
	if err := checkColleague(ctx, string(id), "change the role of"); err != nil {
		return nil, err
	}
	var member *account.StaffMember
	err := r.Registry.Edit(ctx, func(ctx context.Context, tx store.RegistryTx) error {
		member = nil
		user, err := tx.Entity(ctx, account.KindUser.Key(string(id)))
		switch {
		case err != nil:
			return err
		case user == nil:
			return registry.NotFound(account.KindUser.Key(string(id)))
		}
		key := account.KindStaffMember.Key(string(id))
		found, err := tx.Entity(ctx, key)
		if err != nil {
			return err
		}
		stored := &account.StaffMember{ID: string(id), AccountID: user.Owner()}
		if found, ok := found.(*account.StaffMember); ok {
			stored = found
		}
		err = registry.CheckVersion(stored, version)
		switch {
		case err != nil, role == nil && found == nil:
			return err
		case role == nil:
			return tx.Delete(ctx, key)
		}
		member = stored
		member.Role = *role
		return tx.Put(ctx, member)
	})
	if err != nil || member == nil {
		return nil, err
	}
	return r.shownMember(ctx, member)
}

func (r *Resolver) shownMember(ctx context.Context, member *account.StaffMember) (*graph.StaffMember, error) {
	user, err := registry.Record[*account.User](ctx, r.Registry, account.KindUser.Key(member.ID))
	switch {
	case err != nil:
		return nil, err
	case user == nil: // deleted since the role was read
		user = &account.User{}
	}
	factor, err := r.secondFactorOf(ctx, member.ID)
	if err != nil {
		return nil, err
	}
	return &graph.StaffMember{
		SecondFactor: factor,
		ID:           catalogue.ID(member.ID), CreatedAt: member.CreatedAt, UpdatedAt: member.UpdatedAt, Version: int(member.Version),
		Account: member.AccountID, Role: member.Role,
		Username: values.OrNil(user.Username), Email: values.OrNil(user.Email),
		GivenName: values.OrNil(user.GivenName), FamilyName: values.OrNil(user.FamilyName),
	}, nil
}
