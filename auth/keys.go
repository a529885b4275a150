package auth

import (
	"context"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// signingPurpose is the purpose of the keys that sign access tokens.
const signingPurpose = "signing"

// NewSigningKey makes a key that signs access tokens. Its ID is the thumbprint of its public half
// (RFC 7638), its secret an Ed25519 seed. Added to the store it signs within a second, while tokens of
// the older keys stay valid.
func NewSigningKey(now time.Time) (account.Key, error) {
	seed := make([]byte, ed25519.SeedSize)
	rand.Read(seed) // never fails (crypto/rand)
	public := jose.JSONWebKey{Key: ed25519.NewKeyFromSeed(seed).Public()}
	thumbprint, err := public.Thumbprint(crypto.SHA256)
	if err != nil {
		return account.Key{}, fmt.Errorf("auth: naming a signing key: %w", err)
	}
	return account.Key{ID: base64.RawURLEncoding.EncodeToString(thumbprint), Secret: seed, CreatedAt: now}, nil
}

// ensureKey adds the first signing key. Of processes that start together one wins, and all read the
// winner's key afterwards.
func ensureKey(ctx context.Context, accounts Accounts, now time.Time) error {
	keys, err := accounts.Keys(ctx, signingPurpose)
	if err != nil {
		return fmt.Errorf("auth: reading signing keys: %w", err)
	}
	if len(keys) > 0 {
		return nil
	}
	key, err := NewSigningKey(now)
	if err != nil {
		return err
	}
	if err := accounts.AddKey(ctx, signingPurpose, key, true); err != nil {
		return fmt.Errorf("auth: adding the first signing key: %w", err)
	}
	return nil
}

// keyring is the signing keys of one roster: the newest signs, all verify.
type keyring struct {
	signer jose.Signer
	public map[string]ed25519.PublicKey
	// set is the published key set, encoded.
	set []byte
}

// newKeyring reads keys, the newest first.
func newKeyring(keys []account.Key) (*keyring, error) {
	if len(keys) == 0 {
		return nil, errors.New("auth: there is no signing key")
	}
	ring := &keyring{public: make(map[string]ed25519.PublicKey, len(keys))}
	var published jose.JSONWebKeySet
	for i, key := range keys {
		if len(key.Secret) != ed25519.SeedSize || key.ID == "" {
			return nil, fmt.Errorf("auth: signing key %q is damaged", key.ID)
		}
		private := ed25519.NewKeyFromSeed(key.Secret)
		if i == 0 {
			signer, err := newSigner(key.ID, private)
			if err != nil {
				return nil, err
			}
			ring.signer = signer
		}
		public := private.Public().(ed25519.PublicKey)
		ring.public[key.ID] = public
		published.Keys = append(published.Keys, jose.JSONWebKey{Key: public, KeyID: key.ID, Algorithm: string(jose.EdDSA), Use: "sig"})
	}
	set, err := json.Marshal(published)
	if err != nil {
		return nil, fmt.Errorf("auth: encoding the key set: %w", err)
	}
	ring.set = set
	return ring, nil
}

func newSigner(id string, private ed25519.PrivateKey) (jose.Signer, error) {
	signer, err := jose.NewSigner(
		jose.SigningKey{Algorithm: jose.EdDSA, Key: jose.JSONWebKey{Key: private, KeyID: id}},
		(&jose.SignerOptions{}).WithType(tokenType),
	)
	if err != nil {
		return nil, fmt.Errorf("auth: preparing signing key %q: %w", id, err)
	}
	return signer, nil
}

// keysMaxAge is how long the published key set may be kept. Whoever verifies our tokens elsewhere reads
// the set again when a token names a key that he does not know.
const keysMaxAge = 5 * time.Minute

func (s *Service) serveKeys(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		httperror.Write(w, r, http.StatusMethodNotAllowed, "", fmt.Sprintf("the key set is read with GET, not %s", quoted(r.Method)), nil)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/jwk-set+json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", fmt.Sprintf("public, max-age=%d", int(keysMaxAge.Seconds())))
	_, _ = w.Write(s.roll.now().keys.set) // a client that is gone needs no answer
}
