package embed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// ErrExpired is in the chain of the error for an address that was signed and whose time is over.
var ErrExpired = errors.New("the address has expired")

// Signer makes and checks addresses. Its methods may be called concurrently.
type Signer struct {
	keys func() []account.Key
}

// NewSigner makes a Signer. keys returns at least one key: the first signs, all are good for checking.
func NewSigner(keys func() []account.Key) *Signer { return &Signer{keys: keys} }

// Sign returns the path and query of a grant's address, below the base address.
func (s *Signer) Sign(g Grant) string {
	query := g.query()
	return Path + string(g.Video) + "?" + query + "&" + signatureParameter + "=" +
		base64.RawURLEncoding.EncodeToString(sum(s.keys()[0], g.Video, query))
}

// Verify reads the grant of an address that was signed. The error is a *catalogue.Error of code Forbidden; that of
// one whose time is over has ErrExpired in its chain, and comes with the grant.
func (s *Signer) Verify(video catalogue.ID, values url.Values, now time.Time) (Grant, error) {
	g, readable := read(video, values)
	given, err := base64.RawURLEncoding.Strict().DecodeString(values.Get(signatureParameter))
	if !readable || err != nil {
		return Grant{}, errNotSigned()
	}
	signed, query := false, g.query()
	for _, key := range s.keys() {
		signed = hmac.Equal(sum(key, video, query), given) || signed
	}
	if !signed {
		return Grant{}, errNotSigned()
	}
	if !now.Before(g.Expires) {
		return g, &catalogue.Error{
			Code: catalogue.Forbidden, Label: "Address expired", Cause: ErrExpired,
			Message: "this address has expired: the page that shows it needs a new one",
		}
	}
	return g, nil
}

func errNotSigned() error {
	return &catalogue.Error{
		Code: catalogue.Forbidden, Label: "Invalid address",
		Message: "this address was not signed by this service",
	}
}

// label keeps these signatures apart from any other use of a key.
const label = "filmstrip embed 1\n"

// sum is the signature. An ID has a fixed length and no question mark, so no two grants share a text.
func sum(key account.Key, video catalogue.ID, query string) []byte {
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write([]byte(label + string(video) + "?" + query))
	return mac.Sum(nil)
}
