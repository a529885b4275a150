package registry

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
)

// StaffNames returns the names of those of the users who have a role, by user ID (UserNames).
func (r *Registry) StaffNames(ctx context.Context, users []string) (map[string]string, error) {
	names := map[string]string{}
	if r.store == nil {
		return names, nil
	}
	var staff []string
	for _, id := range distinct(users) {
		member, err := r.store.Entity(ctx, account.KindStaffMember.Key(id))
		if err != nil {
			return nil, err
		}
		if member != nil {
			staff = append(staff, id)
		}
	}
	return r.UserNames(ctx, staff, func(*account.User) bool { return true })
}

// UserNames returns the names of the users that exist and may be named, by user ID: the full name, or else the user name
// or e-mail address. It reads each user once. Without a registry, nobody has a name.
func (r *Registry) UserNames(ctx context.Context, users []string, may func(*account.User) bool) (map[string]string, error) {
	names := map[string]string{}
	if r.store == nil {
		return names, nil
	}
	for _, id := range distinct(users) {
		user, err := Record[*account.User](ctx, r, account.KindUser.Key(id))
		if err != nil {
			return nil, err
		}
		if user != nil && may(user) {
			names[id] = user.DisplayName()
		}
	}
	return names, nil
}

// distinct returns the IDs without repetitions and empty ones.
func distinct(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" })
}
