package event

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
)

// PseudonymMark begins every pseudonym.
const PseudonymMark = "~"

// Pseudonym is what a user of an account, as its clients call them, is known by where events are kept
// pseudonymised: PseudonymMark and the HMAC-SHA256 of account and user in base64url, 44 characters. The same
// user has the same pseudonym for good; nobody without the key can tell who it is, nor that two accounts know
// the same user. Without a key it is the user, and of nobody ("") it is "".
func Pseudonym(key []byte, account, user string) string {
	if len(key) == 0 || user == "" {
		return user
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(strconv.Itoa(len(account)) + ":" + account + user))
	return PseudonymMark + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
