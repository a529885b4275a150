// Package secondfactor enrolls and checks the second factor of users who sign in with a password: one-time passwords (RFC
// 6238 with SHA-1, six digits and steps of 30 seconds, which every app supports) and recovery codes.
package secondfactor

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// ErrWrong means that a code is wrong, belongs to another time, or was used.
var ErrWrong = errors.New("the code is wrong, has expired or was used before")

// Store is the part of the store that second factors use. The methods have the contracts of store.Registry and
// store.SignIns.
type Store interface {
	Entity(ctx context.Context, key account.EntityKey) (account.Entity, error)
	Edit(ctx context.Context, actor account.Actor, fn func(ctx context.Context, tx store.RegistryTx) error) error
	UseStep(ctx context.Context, of string, step int64, until time.Time) (bool, error)
	DropSessions(ctx context.Context, id, user string) error
	DropGrants(ctx context.Context, filter account.GrantFilter) error
}

// Of returns the second factor of a user, or nil if there is none.
func Of(ctx context.Context, stored Store, user string) (*account.SecondFactor, error) {
	return account.As[*account.SecondFactor](stored.Entity(ctx, account.KindSecondFactor.Key(user)))
}

// Enroll gives a user, as stored, the second factor with a secret of NewSecret, and returns its recovery codes, which are
// not stored. It ends the sessions and refresh tokens of the user. The error is ErrWrong if the code is not that of the secret, and has the code Invalid if the secret is
// malformed, and Conflict if the user has changed or has a second factor.
func Enroll(ctx context.Context, stored Store, actor account.Actor, user *account.User, secret, code string, now time.Time) ([]string, error) {
	factor := &account.SecondFactor{ID: user.ID, AccountID: user.AccountID, Secret: secret}
	if faults := factor.Validate(); len(faults) > 0 {
		return nil, &fault.Error{Code: fault.Invalid, Message: faults[0].Error(), Reasons: faults[:1].Reasons()}
	}
	if err := usePassword(ctx, stored, factor, normalized(code), now); err != nil {
		return nil, err
	}
	// A session of the password alone would count again if the factor were removed. An error after the factor is stored would
	// withhold the recovery codes.
	if err := stored.DropSessions(ctx, "", user.ID); err != nil {
		return nil, err
	}
	if err := stored.DropGrants(ctx, account.GrantFilter{User: user.ID}); err != nil {
		return nil, err
	}
	codes := newRecoveryCodes(factor)
	err := stored.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
		current, err := tx.Entity(ctx, user.Key())
		if err != nil {
			return err
		}
		if current == nil || current.Head().Version != user.Version {
			return fault.Errorf(fault.Conflict, "the user has changed")
		}
		found, err := tx.Entity(ctx, factor.Key())
		if err != nil {
			return err
		}
		if found != nil {
			return fault.Errorf(fault.Conflict, "the user has a second factor already; remove it first")
		}
		return tx.Put(ctx, factor)
	})
	if err != nil {
		return nil, err
	}
	return codes, nil
}

// Use uses up a one-time password or a recovery code of a second factor. The error is ErrWrong if the code is neither.
func Use(ctx context.Context, stored Store, actor account.Actor, factor *account.SecondFactor, code string, now time.Time) error {
	if code = normalized(code); sixDigits.MatchString(code) {
		return usePassword(ctx, stored, factor, code, now)
	}
	hash := hashOf(factor.ID, code)
	if !holds(factor, hash) {
		return ErrWrong
	}
	return edit(ctx, stored, actor, factor, func(current *account.SecondFactor) error {
		if !holds(current, hash) { // used at the same time
			return ErrWrong
		}
		current.RecoveryHashes = slices.DeleteFunc(current.RecoveryHashes, func(one string) bool { return one == hash })
		return nil
	})
}

// RenewRecoveryCodes replaces the recovery codes of a second factor, and returns the new ones.
func RenewRecoveryCodes(ctx context.Context, stored Store, actor account.Actor, factor *account.SecondFactor) (codes []string, err error) {
	err = edit(ctx, stored, actor, factor, func(current *account.SecondFactor) error {
		codes = newRecoveryCodes(current)
		return nil
	})
	return codes, err
}

// Remove deletes a second factor. The error is ErrWrong if it was removed, or replaced, since it was read.
func Remove(ctx context.Context, stored Store, actor account.Actor, factor *account.SecondFactor) error {
	return stored.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
		if _, err := storedFactor(ctx, tx, factor); err != nil {
			return err
		}
		return tx.Delete(ctx, factor.Key())
	})
}

// edit changes a stored second factor. The error is ErrWrong if it was removed or replaced.
func edit(ctx context.Context, stored Store, actor account.Actor, factor *account.SecondFactor, change func(*account.SecondFactor) error) error {
	return stored.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
		found, err := storedFactor(ctx, tx, factor)
		if err != nil {
			return err
		}
		if err := change(found); err != nil {
			return err
		}
		return tx.Put(ctx, found)
	})
}

// storedFactor returns a second factor as stored. The error is ErrWrong if there is none, or one with another secret.
func storedFactor(ctx context.Context, tx store.RegistryTx, factor *account.SecondFactor) (*account.SecondFactor, error) {
	found, err := account.As[*account.SecondFactor](tx.Entity(ctx, factor.Key()))
	if err == nil && (found == nil || found.Secret != factor.Secret) {
		err = ErrWrong
	}
	return found, err
}

const (
	// period is the length of a step in seconds.
	period = 30
	// window is how many steps before and after the current one count, because clocks differ (RFC 6238 section 5.2).
	window = 1
	// slack is how much longer a used step is remembered than it counts, because the clocks of processes differ.
	slack = time.Minute
)

var sixDigits = regexp.MustCompile(`^[0-9]{6}$`)

// usePassword checks a one-time password, and marks its step as used.
func usePassword(ctx context.Context, stored Store, factor *account.SecondFactor, password string, now time.Time) error {
	current := now.Unix() / period
	for step := current - window; step <= current+window; step++ {
		matches, err := hotp.ValidateCustom(password, uint64(step), factor.Secret, hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1})
		if errors.Is(err, otp.ErrValidateInputInvalidLength) {
			return ErrWrong
		}
		if err != nil {
			return err
		}
		if !matches {
			continue
		}
		until := time.Unix((step+window+1)*period, 0).Add(slack)
		// Another secret has passwords of its own: a new phone works at once.
		if fresh, err := stored.UseStep(ctx, hashOf(factor.ID, factor.Secret), step, until); err != nil || fresh {
			return err
		}
	}
	return ErrWrong
}

// recoveryBytes is the length of a recovery code: 80 bits.
const recoveryBytes = 10

// newRecoveryCodes gives a second factor new recovery codes, and returns them as people read them.
func newRecoveryCodes(factor *account.SecondFactor) []string {
	codes := make([]string, account.MaxRecoveryCodes)
	factor.RecoveryHashes = make([]string, len(codes))
	for i := range codes {
		code := strings.ToLower(randomText(recoveryBytes))
		factor.RecoveryHashes[i] = hashOf(factor.ID, code)
		codes[i] = strings.ReplaceAll(Grouped(code), " ", "-")
	}
	return codes
}

// hashOf returns the stored hash of a normalized recovery code, or of a secret. The user is part of it, so that a guess is one
// of one user.
func hashOf(user, text string) string {
	sum := sha256.Sum256([]byte(account.NameOf(user, text)))
	return hex.EncodeToString(sum[:])
}

func holds(factor *account.SecondFactor, hash string) bool {
	found := 0
	for _, one := range factor.RecoveryHashes {
		found |= subtle.ConstantTimeCompare([]byte(one), []byte(hash))
	}
	return found == 1
}

// normalized returns a code without the spaces and hyphens between its groups, in lower case.
func normalized(code string) string {
	return strings.NewReplacer(" ", "", "-", "").Replace(strings.ToLower(strings.TrimSpace(code)))
}
