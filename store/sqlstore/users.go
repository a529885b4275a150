package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// EnsureUser implements store.Registry. If the user is already stored as requested, it needs only one read.
func (a *Accounts) EnsureUser(ctx context.Context, user *account.User, profile bool) (found *account.User, err error) {
	if len(user.Names()) == 0 {
		return nil, fault.Errorf(fault.Invalid, "the user %q has no name to be found by", user.ID)
	}
	known, err := a.Named(ctx, user.Names()[0])
	if err != nil {
		return nil, err
	}
	if known != nil {
		found, err := userOf(known)
		if err != nil || !profile || sameProfile(found, user) {
			return found, err
		}
	}
	err = a.edit(ctx, nil, func(ctx context.Context, e *edit) error {
		return e.doing(func() (err error) {
			found, err = e.ensureUser(ctx, user, profile)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (e *edit) ensureUser(ctx context.Context, user *account.User, profile bool) (*account.User, error) {
	key, err := e.holder(ctx, user.Names()[0])
	if err != nil {
		return nil, err
	}
	if key == (account.EntityKey{}) {
		return e.addUser(ctx, user)
	}
	row, err := e.mustRow(ctx, key)
	if err != nil {
		return nil, err
	}
	entity, err := row.decode()
	if err != nil {
		return nil, err
	}
	found, err := userOf(entity)
	if err != nil || !profile || sameProfile(found, user) {
		return found, err
	}
	found.Email, found.EmailVerified = user.Email, user.EmailVerified
	found.GivenName, found.FamilyName = user.GivenName, user.FamilyName
	return found, e.put(ctx, found)
}

func (e *edit) addUser(ctx context.Context, user *account.User) (*account.User, error) {
	if _, err := e.mustRow(ctx, account.KindAccount.Key(user.AccountID)); err != nil {
		return nil, err
	}
	if row, err := e.row(ctx, user.Key()); err != nil {
		return nil, err
	} else if row != nil {
		return nil, fault.Errorf(fault.Conflict, "there is a user %q already", user.ID)
	}
	added := *user
	return &added, e.put(ctx, &added)
}

// userOf returns the named entity as a user. It returns an error of code Conflict if the entity is not a user.
func userOf(named account.Entity) (*account.User, error) {
	user, ok := named.(*account.User)
	if !ok {
		return nil, fault.Errorf(fault.Conflict, "the name is of %s %q", named.Key().Kind, named.Key().ID)
	}
	return user, nil
}

// sameProfile reports whether the profile of a stored user equals that of user.
func sameProfile(stored, user *account.User) bool {
	return stored.Email == user.Email && stored.EmailVerified == user.EmailVerified &&
		stored.GivenName == user.GivenName && stored.FamilyName == user.FamilyName
}

// PutBuiltInTiers stores the built-in tiers in a database that has never contained an entity.
func (a *Accounts) PutBuiltInTiers(ctx context.Context) error {
	version, err := readOne(ctx, a.db, number, selectRegistryVersion)
	if err != nil || version > 0 {
		return err
	}
	return a.edit(ctx, nil, func(ctx context.Context, e *edit) error {
		if e.version > 0 { // another process was first
			return nil
		}
		for _, tier := range account.BuiltInTiers() {
			if err := e.Put(ctx, tier); err != nil {
				return err
			}
		}
		return nil
	})
}
