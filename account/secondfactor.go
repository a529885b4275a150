package account

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// MaxRecoveryCodes is the maximum number of unused recovery codes of a user.
const MaxRecoveryCodes = 10

// SecondFactor lets a user who signs in with a password prove by one-time passwords (RFC 6238) that they have a device.
// Users without one sign in with the password alone.
type SecondFactor struct {
	// ID is that of the user.
	ID string `json:"id"`
	Meta
	AccountID string `json:"account"`
	// Secret is 160 random bits in base32 (RFC 4648) without padding. It is stored in clear text because the passwords are
	// computed from it; it is never shown after the enrollment.
	Secret string `json:"secret"`
	// RecoveryHashes are SHA-256 hashes, in hexadecimal characters, of the unused recovery codes. The codes are random and
	// long, so nobody can guess them from a hash, and a slow hash would protect them no better.
	RecoveryHashes []string `json:"recoveryHashes,omitempty"`
}

// Key returns the key of the second factor, which has the ID of the user.
func (s *SecondFactor) Key() EntityKey { return EntityKey{KindSecondFactor, s.ID} }

// Owner returns the ID of the user's account.
func (s *SecondFactor) Owner() string { return s.AccountID }

// Links returns the user.
func (s *SecondFactor) Links() []EntityKey { return []EntityKey{{KindUser, s.ID}} }

var (
	secondFactorSecret = regexp.MustCompile(`^[A-Z2-7]{32}$`)
	sumInHex           = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Validate checks all fields except that the user exists. Its errors do not quote secrets.
func (s *SecondFactor) Validate() fault.FieldErrors {
	var f faults
	if !catalogue.ID(s.ID).Valid() {
		f.Add("id", "%q is not the id of a user", fault.Shorten(s.ID))
	}
	if s.AccountID == "" {
		f.Add("account", "is required")
	}
	if !secondFactorSecret.MatchString(s.Secret) {
		f.Add("secret", "must be 32 characters of base32, without padding")
	}
	f.Length("recoveryHashes", len(s.RecoveryHashes), MaxRecoveryCodes)
	for i, hash := range s.RecoveryHashes {
		if !sumInHex.MatchString(hash) {
			f.Add(fmt.Sprintf("recoveryHashes[%d]", i), "must be 64 hexadecimal characters")
		}
	}
	return f.List()
}

// Redacted returns a copy without the secret and the hashes, of which it keeps the number.
func (s *SecondFactor) Redacted() Entity {
	shown := *s
	shown.Secret, shown.RecoveryHashes = redacted, slices.Clone(s.RecoveryHashes)
	for i := range shown.RecoveryHashes {
		shown.RecoveryHashes[i] = redacted
	}
	return &shown
}

// Dependents returns the keys under which a record may have dependent records, which describe it alone and are deleted
// with it. It returns nil for every kind but users.
func Dependents(key EntityKey) []EntityKey {
	if key.Kind != KindUser {
		return nil
	}
	return []EntityKey{{KindStaffMember, key.ID}, {KindSecondFactor, key.ID}}
}
