// Package password keeps passwords as hashes that are slow to guess: argon2id (RFC 9106) in the PHC
// string format, with the least memory and passes that OWASP's Password Storage Cheat Sheet names
// (19 MiB, 2 passes, 1 lane).
//
// Hashing takes memory on purpose, so only so many hashes are made at once in a process and only so
// many callers may wait for one: a flood of sign-ins is refused before it takes the machine's memory.
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

// The lengths of a password that Hash takes: characters at least, bytes of UTF-8 at most.
const (
	MinLength = 8
	MaxBytes  = 1000
)

// Hash returns a new hash of a password, with a salt of its own. The error is of code Invalid where the
// password is shorter or longer than the bounds or no text, of code Unavailable where too many wait for a
// hash already, and the context's where it ends first.
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

// Verify reports whether a hash is one of this password. The empty hash, of a user who has none or whom
// there is not, matches no password and takes as long as any other, so that time tells nobody who is
// known here. A hash that cannot be read is an error; the others are those of Hash.
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

// sumOf makes one hash, once it is this caller's turn. A password counts by its characters, not by how a
// keyboard composed them (RFC 8265, section 4.2).
func sumOf(ctx context.Context, password string, p parameters, salt []byte, length int) ([]byte, error) {
	leave, err := begin(ctx, p.memory)
	if err != nil {
		return nil, err
	}
	defer leave()
	return argon2.IDKey(norm.NFC.Bytes([]byte(password)), salt, p.passes, p.memory, p.lanes, uint32(length)), nil
}
