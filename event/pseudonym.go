package event

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
)

// PseudonymMark is the prefix of every pseudonym.
const PseudonymMark = "~"

// Pseudonym returns the pseudonym of a user of an account: PseudonymMark and the HMAC-SHA256 of account and user in
// base64url, 44 characters. The same user always gets the same pseudonym. Without the key, nobody can tell who the user
// is, or that two accounts share a user. Without a key it returns the user, and for "" it returns "".
func Pseudonym(key []byte, account, user string) string {
	if len(key) == 0 || user == "" {
		return user
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strconv.Itoa(len(account)) + ":" + account + user))
	return PseudonymMark + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
