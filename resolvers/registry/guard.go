package registry

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// guardedTx refuses changes of the operator's own records to callers who may not manage staff. Without it, a customer
// manager could create a client with an owner's rights, and support staff could set an owner's password.
type guardedTx struct {
	store.RegistryTx
	caller *account.Caller
}

// Put implements store.RegistryTx.
func (t guardedTx) Put(ctx context.Context, record account.Entity) error {
	operators, err := t.ofOperator(ctx, record)
	if err != nil {
		return err
	}
	if role := staffRoleOf(record); role != "" && !operators {
		return fault.InvalidRequest("the role %s is for the operator's staff, and the account %q is not the operator's", role, fault.Shorten(record.Owner()))
	}
	if err := t.check(ctx, record.Key(), operators); err != nil {
		return err
	}
	return t.RegistryTx.Put(ctx, record)
}

// Delete implements store.RegistryTx.
func (t guardedTx) Delete(ctx context.Context, key account.EntityKey) error {
	if err := t.check(ctx, key, false); err != nil {
		return err
	}
	return t.RegistryTx.Delete(ctx, key)
}

// checkCaller returns an error with the code Forbidden if a member or program of the operator's staff has lost permissions
// since the request began. The permissions of a caller come from a roster that may be a second old. Without this check, a
// caller could use that second to reverse their own demotion or suspension.
func (t guardedTx) checkCaller(ctx context.Context) error {
	if t.caller.StaffRole == "" {
		return nil
	}
	stored, err := t.storedPermissions(ctx)
	if err == nil && t.caller.Permissions&^stored != 0 {
		err = fault.Errorf(fault.Forbidden, "the permissions of the client %q or of its user have changed", fault.Shorten(t.caller.ClientID))
	}
	return err
}

// storedPermissions returns the permissions of the caller according to a roster of the stored records.
func (t guardedTx) storedPermissions(ctx context.Context) (account.Permissions, error) {
	var records []account.Entity
	read := func(key account.EntityKey) (account.Entity, error) {
		record, err := t.Entity(ctx, key)
		records = append(records, record)
		return record, err
	}
	client, err := account.As[*account.Client](read(account.KindClient.Key(t.caller.ClientID)))
	if err != nil || client == nil {
		return 0, err
	}
	of, err := account.As[*account.Account](read(account.KindAccount.Key(client.AccountID)))
	if err != nil || of == nil {
		return 0, err
	}
	if of.ContentPackage != "" {
		if _, err := read(account.KindContentPackage.Key(of.ContentPackage)); err != nil {
			return 0, err
		}
	}
	if t.caller.User != "" {
		user, err := account.As[*account.User](read(account.KindUser.Key(t.caller.User)))
		if err != nil || user == nil || user.Disabled { // a roster has no users
			return 0, err
		}
		if _, err := read(account.KindStaffMember.Key(t.caller.User)); err != nil {
			return 0, err
		}
	}
	roster := account.NewRoster(records)
	const anyDay = 0 // a request may end after the last day of its account
	stored := roster.Caller(client.ID, anyDay)
	if stored == nil {
		return 0, nil
	}
	roster.SignIn(stored, t.caller.User, t.caller.Session != "")
	return stored.Permissions, nil
}

// check returns an error with the code Forbidden if a record is or becomes one of the operator, and the caller may not
// change it.
func (t guardedTx) check(ctx context.Context, key account.EntityKey, becomes bool) error {
	if t.caller.Permissions.Has(account.ManageStaff) {
		return nil
	}
	if own, err := t.isOwn(ctx, key); own || err != nil {
		return err
	}
	before, err := t.Entity(ctx, key)
	if err == nil && before != nil && !becomes {
		becomes, err = t.ofOperator(ctx, before)
	}
	if err == nil && becomes {
		err = fault.Errorf(fault.Forbidden, "the %s is the operator's own: the permission %s is required", NameOf(key), account.ManageStaff)
	}
	return err
}

// isOwn reports whether a record is the caller's own user or second factor, and the caller is that user: signed in, with
// all permissions of their role. A program that acts for the user, or a client that may do less than the user, could
// otherwise take the user over with another password.
func (t guardedTx) isOwn(ctx context.Context, key account.EntityKey) (bool, error) {
	user := t.caller.User
	if user == "" || t.caller.Session == "" || key != account.KindUser.Key(user) && key != account.KindSecondFactor.Key(user) {
		return false, nil
	}
	member, err := t.Entity(ctx, account.KindStaffMember.Key(user))
	if err != nil || member == nil {
		return err == nil, err
	}
	ofRole := member.(*account.StaffMember).Role.Permissions()
	return t.caller.Permissions&ofRole == ofRole, nil
}

// ofOperator reports whether a record is an operator's account or belongs to one.
func (t guardedTx) ofOperator(ctx context.Context, record account.Entity) (bool, error) {
	if of, ok := record.(*account.Account); ok {
		return of.Operator, nil
	}
	if record.Owner() == "" {
		return false, nil
	}
	owner, err := t.Entity(ctx, account.KindAccount.Key(record.Owner()))
	if err != nil || owner == nil {
		return false, err
	}
	return owner.(*account.Account).Operator, nil
}

func staffRoleOf(record account.Entity) account.StaffRole {
	switch record := record.(type) {
	case *account.Client:
		return record.StaffRole
	case *account.StaffMember:
		return record.Role
	}
	return ""
}
