package embed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// ErrExpired is in the chain of the error for an embed URL that has expired.
var ErrExpired = errors.New("the address has expired")

// Signer signs and verifies embed URLs. It is safe for concurrent use.
type Signer struct {
	keys func() []account.Key
}

// NewSigner returns a Signer. keys returns at least one key: the first signs, all verify.
func NewSigner(keys func() []account.Key) *Signer { return &Signer{keys: keys} }

// Sign returns the path and query of a grant's embed URL.
func (s *Signer) Sign(g Grant) string {
	query := g.query()
	return Path + string(g.Video) + "?" + query + "&" + signatureParameter + "=" +
		base64.RawURLEncoding.EncodeToString(sum(s.keys()[0], g.Video, query))
}

// Verify returns the grant of an embed URL. The error is a *fault.Error with code Forbidden. If the URL has expired,
// ErrExpired is in its chain and the grant is returned as well.
func (s *Signer) Verify(video catalogue.ID, values url.Values, now time.Time) (Grant, error) {
	g, readable := parseGrant(video, values)
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
		return g, &fault.Error{
			Code: fault.Forbidden, Label: "Address expired", Cause: ErrExpired,
			Message: "this address has expired: the page that shows it needs a new one",
		}
	}
	return g, nil
}

// SignViewing returns the value of ViewingParameter for a page opened under the grant's URL.
func (s *Signer) SignViewing(g Grant, viewing account.Viewing) string {
	text := viewing.ID + "." + strconv.FormatInt(viewing.Opened.UnixMilli(), 10)
	return text + "." + base64.RawURLEncoding.EncodeToString(viewingSum(s.keys()[0], g, text))
}

// VerifyViewing returns the viewing that SignViewing signed for the same grant. The error is a *fault.Error with code
// Forbidden.
func (s *Signer) VerifyViewing(g Grant, signed string) (account.Viewing, error) {
	at := strings.LastIndexByte(signed, '.')
	given, err := base64.RawURLEncoding.Strict().DecodeString(signed[at+1:])
	id, opened, _ := strings.Cut(signed[:max(at, 0)], ".")
	milliseconds, unreadable := strconv.ParseInt(opened, 10, 64)
	if at < 0 || err != nil || unreadable != nil {
		return account.Viewing{}, errNotSigned()
	}
	known := false
	for _, key := range s.keys() {
		known = hmac.Equal(viewingSum(key, g, signed[:at]), given) || known
	}
	if !known {
		return account.Viewing{}, errNotSigned()
	}
	return account.Viewing{ID: id, Opened: time.UnixMilli(milliseconds)}, nil
}

// viewingLabel separates signatures of viewings from other uses of a key.
const viewingLabel = "filmstrip viewing 1\n"

func viewingSum(key account.Key, g Grant, text string) []byte {
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write([]byte(viewingLabel + text + "\n" + string(g.Video) + "?" + g.query()))
	return mac.Sum(nil)
}

func errNotSigned() error {
	return &fault.Error{
		Code: fault.Forbidden, Label: "Invalid address",
		Message: "this address was not signed by this service",
	}
}

// label separates signatures of embed URLs from other uses of a key.
const label = "filmstrip embed 1\n"

// sum returns the signature. IDs have a fixed length and no question mark, so no two grants share a signed text.
func sum(key account.Key, video catalogue.ID, query string) []byte {
	mac := hmac.New(sha256.New, key.Secret)
	mac.Write([]byte(label + string(video) + "?" + query))
	return mac.Sum(nil)
}
