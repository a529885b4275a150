package auth

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/filmstrip/filmstrip/account"
)

// AccessKeys is the purpose of the keys that sign access tokens.
const AccessKeys = "signing"

// keyKind describes the keys of one purpose.
type keyKind struct {
	purpose   string
	algorithm jose.SignatureAlgorithm
	// typ is the typ header of the tokens.
	typ jose.ContentType
	// generate returns a new secret, and read parses one. They are nil for keys that sign no tokens.
	generate func() ([]byte, error)
	read     func(secret []byte) (crypto.Signer, error)
}

var (
	// accessKeys sign access tokens, which only this service verifies. EdDSA is the fastest to verify. The secret is
	// an Ed25519 seed.
	accessKeys = keyKind{AccessKeys, jose.EdDSA, tokenType, newSeed, readSeed}
	// identityKeys sign ID tokens, which every client must be able to verify. RS256 is the algorithm that all support
	// (OpenID Connect Core section 15.1). The secret is a 2048-bit RSA key in PKCS #8.
	identityKeys = keyKind{"identity", jose.RS256, "JWT", newRSA, readRSA}
	// embedKeys sign embed URLs, which only this service verifies.
	embedKeys = keyKind{purpose: "embed"}

	keyKinds = []keyKind{accessKeys, identityKeys, embedKeys}
)

func newSeed() ([]byte, error) {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails (crypto/rand)
	return seed, nil
}

func readSeed(secret []byte) (crypto.Signer, error) {
	if len(secret) != ed25519.SeedSize {
		return nil, errors.New("it does not have the length of a seed")
	}
	return ed25519.NewKeyFromSeed(secret), nil
}

func newRSA() ([]byte, error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(private)
}

func readRSA(secret []byte) (crypto.Signer, error) {
	private, err := x509.ParsePKCS8PrivateKey(secret)
	if err != nil {
		return nil, errors.New("it is not a PKCS #8 key") // the cause might quote of the secret
	}
	key, ok := private.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("it is not an RSA key")
	}
	return key, nil
}

// newKey generates a key. The ID of one that signs tokens is the thumbprint of the public key (RFC 7638).
func (k keyKind) newKey(now time.Time) (account.Key, error) {
	if k.generate == nil {
		return account.NewKey(now), nil
	}
	secret, err := k.generate()
	if err != nil {
		return account.Key{}, fmt.Errorf("auth: making a %s key: %w", k.purpose, err)
	}
	private, err := k.read(secret)
	if err != nil {
		return account.Key{}, fmt.Errorf("auth: making a %s key: %w", k.purpose, err)
	}
	thumbprint, err := (&jose.JSONWebKey{Key: private.Public()}).Thumbprint(crypto.SHA256)
	if err != nil {
		return account.Key{}, fmt.Errorf("auth: naming a %s key: %w", k.purpose, err)
	}
	return account.Key{ID: base64.RawURLEncoding.EncodeToString(thumbprint), Secret: secret, CreatedAt: now}, nil
}

// keyring holds the keys of one roster.
type keyring struct {
	access, identity *keyset
	// embeds are the keys that sign embed URLs, newest first.
	embeds []account.Key
	// published is the encoded key set (RFC 7517).
	published []byte
}

// keyset holds the keys of one kind: one signs, all verify.
type keyset struct {
	// keys are sorted, newest first.
	keys   []signingKey
	public map[string]crypto.PublicKey
}

type signingKey struct {
	id     string
	signer jose.Signer
	// from is when the key starts signing: when every cached copy of the key set contains it.
	from time.Time
}

// signer returns the signer at the given time: the newest key that may sign, or else the oldest, which is either the
// first key ever or the one that replaced withdrawn keys.
func (s *keyset) signer(now time.Time) jose.Signer {
	for _, key := range s.keys {
		if !now.Before(key.from) {
			return key.signer
		}
	}
	return s.keys[len(s.keys)-1].signer
}

func readKeyring(ctx context.Context, keys Keys, publishAhead time.Duration) (*keyring, error) {
	var published jose.JSONWebKeySet
	access, err := readKeyset(ctx, keys, accessKeys, publishAhead, &published)
	if err != nil {
		return nil, err
	}
	identity, err := readKeyset(ctx, keys, identityKeys, publishAhead, &published)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(published)
	if err != nil {
		return nil, fmt.Errorf("auth: encoding the key set: %w", err)
	}
	embeds, err := keys.Keys(ctx, embedKeys.purpose)
	if err != nil {
		return nil, fmt.Errorf("auth: reading %s keys: %w", embedKeys.purpose, err)
	}
	return &keyring{access: access, identity: identity, embeds: embeds, published: encoded}, nil
}

func readKeyset(ctx context.Context, store Keys, kind keyKind, publishAhead time.Duration, published *jose.JSONWebKeySet) (*keyset, error) {
	keys, err := store.Keys(ctx, kind.purpose)
	switch {
	case err != nil:
		return nil, fmt.Errorf("auth: reading %s keys: %w", kind.purpose, err)
	case len(keys) == 0:
		return nil, fmt.Errorf("auth: there is no %s key", kind.purpose)
	}
	set := &keyset{public: make(map[string]crypto.PublicKey, len(keys))}
	for _, key := range keys {
		private, err := kind.read(key.Secret)
		if err != nil || key.ID == "" {
			return nil, fmt.Errorf("auth: %s key %q is damaged: %w", kind.purpose, key.ID, err)
		}
		signer, err := jose.NewSigner(
			jose.SigningKey{Algorithm: kind.algorithm, Key: jose.JSONWebKey{Key: private, KeyID: key.ID}},
			(&jose.SignerOptions{}).WithType(kind.typ),
		)
		if err != nil {
			return nil, fmt.Errorf("auth: preparing %s key %q: %w", kind.purpose, key.ID, err)
		}
		set.keys = append(set.keys, signingKey{id: key.ID, signer: signer, from: key.CreatedAt.Add(publishAhead)})
		set.public[key.ID] = private.Public()
		published.Keys = append(published.Keys, jose.JSONWebKey{
			Key: private.Public(), KeyID: key.ID, Algorithm: string(kind.algorithm), Use: "sig",
		})
	}
	return set, nil
}
