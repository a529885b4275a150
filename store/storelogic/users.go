package storelogic

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// CheckUser returns the fault of a user that EnsureUser cannot look for.
func CheckUser(user *account.User) error {
	if len(user.Names()) == 0 {
		return fault.Errorf(fault.Invalid, "the user %q has no name to be found by", user.ID)
	}
	return nil
}

// InProfile reports whether a stored user has all that EnsureUser would bring to it.
func InProfile(stored, user *account.User) bool {
	return stored.Email == user.Email && stored.EmailVerified == user.EmailVerified &&
		stored.GivenName == user.GivenName && stored.FamilyName == user.FamilyName
}

// EnsureUser is that of store.Registry, within the edit, which must have no actor.
func (e *Edit) EnsureUser(ctx context.Context, user *account.User, profile bool) (found *account.User, err error) {
	err = e.doing(func() error {
		key, err := e.engine.Holder(ctx, user.Names()[0])
		switch {
		case err != nil:
			return err
		case key == account.EntityKey{}:
			found, err = e.addUser(ctx, user)
			return err
		}
		if found, err = e.user(ctx, key); err != nil || !profile || InProfile(found, user) {
			return err
		}
		found.Email, found.EmailVerified = user.Email, user.EmailVerified
		found.GivenName, found.FamilyName = user.GivenName, user.FamilyName
		return e.put(ctx, found)
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// user reads the user behind a name.
func (e *Edit) user(ctx context.Context, key account.EntityKey) (*account.User, error) {
	row, err := e.engine.Row(ctx, key)
	if err != nil {
		return nil, err
	}
	if row == nil {
		return nil, absent(key)
	}
	record, err := row.Entity()
	if err != nil {
		return nil, err
	}
	return UserOf(record)
}

// UserOf is the user that a record is.
func UserOf(record account.Entity) (*account.User, error) {
	user, ok := record.(*account.User)
	if !ok {
		return nil, fault.Errorf(fault.Conflict, "the name is of %s %q", record.Key().Kind, record.Key().ID)
	}
	return user, nil
}

func (e *Edit) addUser(ctx context.Context, user *account.User) (*account.User, error) {
	owner := account.EntityKey{Kind: account.KindAccount, ID: user.AccountID}
	if row, err := e.engine.Row(ctx, owner); err != nil {
		return nil, err
	} else if row == nil {
		return nil, absent(owner)
	}
	if row, err := e.engine.Row(ctx, user.Key()); err != nil {
		return nil, err
	} else if row != nil {
		return nil, fault.Errorf(fault.Conflict, "there is a user %q already", user.ID)
	}
	added := *user
	return &added, e.put(ctx, &added)
}

// PutBuiltInTiers puts in the tiers that a store begins with, unless any record was ever put in: another
// process may have come first. The edit must have no actor.
func (e *Edit) PutBuiltInTiers(ctx context.Context) error {
	if e.Version > 0 {
		return nil
	}
	for _, tier := range account.BuiltInTiers() {
		if err := e.Put(ctx, tier); err != nil {
			return err
		}
	}
	return nil
}
