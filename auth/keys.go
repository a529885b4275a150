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

// keyKind is what keys of one purpose are.
type keyKind struct {
	purpose   string
	algorithm jose.SignatureAlgorithm
	// typ is that of the tokens which the keys sign.
	typ jose.ContentType
	// generate makes a new secret, read reads one.
	generate func() ([]byte, error)
	read     func(secret []byte) (crypto.Signer, error)
}

var (
	// accessKeys sign access tokens, which this service alone reads: the signature that is checked
	// fastest. The secret is an Ed25519 seed.
	accessKeys = keyKind{"signing", jose.EdDSA, tokenType, newSeed, readSeed}
	// identityKeys sign ID tokens, which every client must be able to read: RS256, the one algorithm that
	// all know (OpenID Connect Core section 15.1). The secret is an RSA key of 2048 bits in PKCS #8.
	identityKeys = keyKind{"identity", jose.RS256, "JWT", newRSA, readRSA}
)

func newSeed() ([]byte, error) {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails (crypto/rand)
	return seed, nil
}

func readSeed(secret []byte) (crypto.Signer, error) {
	if len(secret) != ed25519.SeedSize {
		return nil, errors.New("it has not the length of a seed")
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
		return nil, errors.New("it is no key in PKCS #8") // the cause might quote of the secret
	}
	key, ok := private.(*rsa.PrivateKey)
	if !ok {
		return nil, errors.New("it is no RSA key")
	}
	return key, nil
}

// newKey makes a key, whose ID is the thumbprint of its public half (RFC 7638).
func (k keyKind) newKey(now time.Time) (account.Key, error) {
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

// keyring is the keys of one roster.
type keyring struct {
	access, identity *keyset
	// embeds sign addresses of embeds, the one that signs now first.
	embeds []account.Key
	// published is the key set (RFC 7517), encoded.
	published []byte
}

// keyset is the keys of one kind: one signs, all verify.
type keyset struct {
	// keys are the newest first.
	keys   []signingKey
	public map[string]crypto.PublicKey
}

type signingKey struct {
	id     string
	signer jose.Signer
	// from is when the key begins to sign: once everybody who keeps the published set knows it.
	from time.Time
}

// signer returns what signs at an instant: the newest key whose time has come, and else the oldest, which
// is the first ever or the one that all others were withdrawn for.
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
	embeds, err := keys.Keys(ctx, embedPurpose)
	if err != nil {
		return nil, fmt.Errorf("auth: reading %s keys: %w", embedPurpose, err)
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
