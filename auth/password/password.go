// Package password hashes passwords with argon2id (RFC 9106) in the PHC string format, using the minimum memory and
// passes of OWASP's Password Storage Cheat Sheet (19 MiB, 2 passes, 1 lane).
//
// Hashing deliberately uses much memory. The package therefore limits how many hashes a process computes at once and how
// many callers may wait, so that a flood of sign-ins is rejected before it exhausts memory.
package password

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"

	"github.com/filmstrip/filmstrip/fault"
)

// The minimum length of a password in characters, and the maximum in bytes of UTF-8.
const (
	MinLength = 8
	MaxBytes  = 1000
)

// Hash returns a new salted hash of a password. The error has code Invalid if the password is too short, too long or
// not UTF-8, and code Unavailable if too many callers are waiting; it is the context's error if the context ends
// first.
func Hash(ctx context.Context, password string) (string, error) {
	switch {
	case !utf8.ValidString(password):
		return "", fault.InvalidRequest("the password is not valid UTF-8")
	case utf8.RuneCountInString(password) < MinLength:
		return "", fault.InvalidRequest("the password has fewer than %d characters", MinLength)
	case len(password) > MaxBytes:
		return "", fault.InvalidRequest("the password is longer than %d bytes", MaxBytes)
	}
	made := hash{parameters: current, salt: make([]byte, saltBytes)}
	rand.Read(made.salt) // never fails (crypto/rand)
	var err error
	if made.sum, err = sumOf(ctx, password, made.parameters, made.salt, sumBytes); err != nil {
		return "", err
	}
	return made.String(), nil
}

// Verify reports whether the password matches the hash. The empty hash, for users without a password and unknown
// users, never matches and takes as long as any other, so that timing does not reveal which users exist. Verify
// returns an error if the hash cannot be parsed, and otherwise the errors of Hash.
func Verify(ctx context.Context, encoded, password string) (bool, error) {
	stored := decoy
	if encoded != "" {
		var err error
		if stored, err = parse(encoded); err != nil {
			return false, err
		}
	}
	possible := len(password) <= MaxBytes && utf8.ValidString(password)
	if !possible {
		password = "" // costs what any password costs
	}
	sum, err := sumOf(ctx, password, stored.parameters, stored.salt, len(stored.sum))
	if err != nil {
		return false, err
	}
	equal := subtle.ConstantTimeCompare(sum, stored.sum) == 1
	return equal && possible && encoded != "", nil
}

// sumOf computes one hash when a slot is free. The password is normalized, so that it does not matter how the
// keyboard composed its characters (RFC 8265, section 4.2).
func sumOf(ctx context.Context, password string, p parameters, salt []byte, length int) ([]byte, error) {
	finish, err := begin(ctx, p.memory)
	if err != nil {
		return nil, err
	}
	defer finish()
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, p.passes, p.memory, p.lanes, uint32(length)), nil
}
