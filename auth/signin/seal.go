package signin

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// sealer encrypts the state that browsers carry (AES-256-GCM), so that browsers can neither read nor modify it.
type sealer struct{ aead cipher.AEAD }

const minSealingKey = 32

func newSealer(key []byte) (*sealer, error) {
	if len(key) < minSealingKey {
		return nil, fmt.Errorf("signin: the sealing key has %d bytes, not %d", len(key), minSealingKey)
	}
	derived, err := hkdf.Key(sha256.New, key, nil, "filmstrip sign-in", 32)
	if err != nil {
		return nil, fmt.Errorf("signin: deriving the sealing key: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("signin: %w", err)
	}
	return &sealer{aead: aead}, nil
}

// purpose prevents state sealed for one use from being accepted for another.
type purpose string

const (
	forLogin      purpose = "login"
	forFederation purpose = "federation"
	forLogout     purpose = "logout"
	forInvitation purpose = "invitation"
	forCode       purpose = "code"
	forEnrollment purpose = "enrollment"
	forEnrolled   purpose = "enrolled"
)

// sealed is the encrypted content: a value with its expiry and a hash of the browser it was issued to.
type sealed[T any] struct {
	Value   T         `json:"v"`
	Expires time.Time `json:"e"`
	Browser string    `json:"b"`
}

var (
	errSealBroken  = errors.New("it was not made here, or was changed")
	errSealExpired = errors.New("it has expired")
	errSealForeign = errors.New("it was made for another browser")
)

// textBase64 is a unique encoding.
var textBase64 = base64.RawURLEncoding.Strict()

// sealValue encrypts a value for a browser. It expires at the given time.
func sealValue[T any](s *sealer, use purpose, browser string, value T, expires time.Time) (string, error) {
	plain, err := json.Marshal(sealed[T]{Value: value, Expires: expires, Browser: sumText(browser)})
	if err != nil {
		return "", fmt.Errorf("signin: sealing: %w", err)
	}
	nonce := make([]byte, s.aead.NonceSize())
	rand.Read(nonce) // never fails (crypto/rand)
	return textBase64.EncodeToString(s.aead.Seal(nonce, nonce, plain, []byte(use))), nil
}

// openValue decrypts a value. If it has expired or belongs to another browser, the value is returned with the error.
func openValue[T any](s *sealer, use purpose, browser, text string, now time.Time) (T, error) {
	var opened sealed[T]
	bytes, err := textBase64.DecodeString(text)
	if err != nil || len(bytes) < s.aead.NonceSize() {
		return opened.Value, errSealBroken
	}
	nonce, ciphertext := bytes[:s.aead.NonceSize()], bytes[s.aead.NonceSize():]
	plain, err := s.aead.Open(nil, nonce, ciphertext, []byte(use))
	if err != nil || json.Unmarshal(plain, &opened) != nil {
		return sealed[T]{}.Value, errSealBroken
	}
	switch {
	case !now.Before(opened.Expires):
		return opened.Value, errSealExpired
	case browser == "" || !equalText(opened.Browser, sumText(browser)):
		return opened.Value, errSealForeign
	}
	return opened.Value, nil
}
