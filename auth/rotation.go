package auth

import (
	"context"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// ensureKeys adds the first key of each kind. Of processes that start together one wins, and all read the
// winner's key afterwards.
func ensureKeys(ctx context.Context, store Keys, now time.Time) error {
	for _, kind := range keyKinds {
		keys, err := store.Keys(ctx, kind.purpose)
		if err != nil {
			return fmt.Errorf("auth: reading %s keys: %w", kind.purpose, err)
		}
		if len(keys) > 0 {
			continue
		}
		if err := addKey(ctx, store, kind, now, true); err != nil {
			return err
		}
	}
	return nil
}

func addKey(ctx context.Context, store Keys, kind keyKind, now time.Time, onlyFirst bool) error {
	key, err := kind.newKey(now)
	if err != nil {
		return err
	}
	if err := store.AddKey(ctx, kind.purpose, key, onlyFirst); err != nil {
		return fmt.Errorf("auth: adding a %s key: %w", kind.purpose, err)
	}
	return nil
}

// RotateKeys adds a key for access tokens, one for ID tokens and one for addresses of embeds. They are published
// within a second and sign once Config.PublishAhead has passed; the older ones verify until everything that they
// signed has expired, and are then forgotten. Nothing is refused on the way.
//
// With immediately, for keys that somebody else knows, the new keys sign within a second and all older
// ones are withdrawn: every access token, ID token and address that was given before is refused. Refresh tokens
// are not signed and stay good.
func RotateKeys(ctx context.Context, store Keys, now time.Time, immediately bool) error {
	for _, kind := range keyKinds {
		old, err := store.Keys(ctx, kind.purpose)
		if err != nil {
			return fmt.Errorf("auth: reading %s keys: %w", kind.purpose, err)
		}
		begin := now
		if len(old) > 0 && !begin.After(old[0].CreatedAt) { // clocks differ, and the newest must be the newest
			begin = old[0].CreatedAt.Add(time.Microsecond)
		}
		if err := addKey(ctx, store, kind, begin, false); err != nil {
			return err
		}
		if !immediately || len(old) == 0 {
			continue
		}
		if err := store.DropKeys(ctx, kind.purpose, idsOf(old)); err != nil {
			return fmt.Errorf("auth: withdrawing %s keys: %w", kind.purpose, err)
		}
	}
	return nil
}

func idsOf(keys []account.Key) []string {
	ids := make([]string, len(keys))
	for i, key := range keys {
		ids[i] = key.ID
	}
	return ids
}

// retireSlack is for how much longer a key that signs no more is kept than what it signed lives: a process
// may learn late of the next key, and clocks differ.
const retireSlack = time.Hour

// dropRetiredKeys forgets the keys that have signed nothing that still counts. An ID token counts as a
// hint at signing out, longer than it lives itself: as long as a refresh token.
func dropRetiredKeys(ctx context.Context, config Config, now time.Time) error {
	for purpose, lifetime := range map[string]time.Duration{
		accessKeys.purpose: config.AccessLifetime, identityKeys.purpose: config.RefreshLifetime, embedKeys.purpose: maxEmbedLife,
	} {
		keys, err := config.Accounts.Keys(ctx, purpose)
		if err != nil {
			return err
		}
		retired := retiredKeys(keys, now.Add(-config.PublishAhead-lifetime-retireSlack))
		if len(retired) == 0 {
			continue
		}
		if err := config.Accounts.DropKeys(ctx, purpose, idsOf(retired)); err != nil {
			return err
		}
		config.Logger.InfoContext(ctx, "keys that sign no more are forgotten", "purpose", purpose, "keys", idsOf(retired))
	}
	return nil
}

// retiredKeys are those that had a successor by an instant; keys are the newest first.
func retiredKeys(keys []account.Key, by time.Time) []account.Key {
	for i, key := range keys {
		if !key.CreatedAt.After(by) {
			return keys[i+1:]
		}
	}
	return nil
}
