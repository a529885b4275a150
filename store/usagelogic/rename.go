package usagelogic

import "crypto/sha256"

// RenameKey returns the key under which a store keeps the alias of a person while it renames the person. The key is a
// SHA-256 hash, so that it does not contain the person's name.
func RenameKey(account, person string) []byte {
	sum := sha256.Sum256([]byte(account + "\x00" + person))
	return sum[:]
}
