package registry

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
)

// StaffNames returns the names of those of the users who have a role, by user ID: the full name, or else the user name or
// e-mail address. It reads each user once. Without a registry, nobody has a name.
func (r *Registry) StaffNames(ctx context.Context, users []string) (map[string]string, error) {
	names := map[string]string{}
	if r.store == nil {
		return names, nil
	}
	for _, id := range users {
		if _, known := names[id]; known || id == "" {
			continue
		}
		names[id] = ""
		member, err := r.store.Entity(ctx, StaffKey(id))
		if err != nil {
			return nil, err
		}
		if member == nil {
			continue
		}
		user, err := Record[*account.User](ctx, r, UserKey(id))
		if err != nil {
			return nil, err
		}
		if user != nil {
			names[id] = user.DisplayName()
		}
	}
	return names, nil
}
