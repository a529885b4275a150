package usagelogic

import "crypto/sha256"

// RenameKey is what the alias of a person of an account is kept by while the person is renamed. It does not tell
// who that is.
func RenameKey(account, person string) []byte {
	sum := sha256.Sum256([]byte(account + "\x00" + person))
	return sum[:]
}
