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

// sealer encrypts what browsers carry (AES-256-GCM), so that they can neither read nor change it.
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

// purpose keeps what was sealed for one use from passing for another.
type purpose string

const (
	forLogin      purpose = "login"
	forFederation purpose = "federation"
	forLogout     purpose = "logout"
)

// sealed is what stands in a seal: a value with its end, and the browser that it was made for.
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

// textBase64 has one spelling for each value.
var textBase64 = base64.RawURLEncoding.Strict()

// sealValue seals a value for a browser until an instant.
func sealValue[T any](s *sealer, use purpose, browser string, value T, expires time.Time) (string, error) {
	plain, err := json.Marshal(sealed[T]{Value: value, Expires: expires, Browser: sumText(browser)})
	if err != nil {
		return "", fmt.Errorf("signin: sealing: %w", err)
	}
	nonce := make([]byte, s.aead.NonceSize())
	rand.Read(nonce) // never fails (crypto/rand)
	return textBase64.EncodeToString(s.aead.Seal(nonce, nonce, plain, []byte(use))), nil
}

// openValue returns what was sealed. Where the seal is ours and has expired, or belongs to another
// browser, the value comes with the error.
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
