package signin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/federation"
	"github.com/filmstrip/filmstrip/fault"
)

// journeyLifetime is how long a user may stay at an identity provider.
const journeyLifetime = 15 * time.Minute

// journey is a sign-in that is under way at an identity provider, as a cookie carries it.
type journey struct {
	Request  request            `json:"q"`
	Account  string             `json:"a"`
	Provider string             `json:"i"`
	Pending  federation.Pending `json:"p"`
}

// callbackPath is where a provider of an account sends browsers back to.
func callbackPath(accountID, alias string) string { return CallbackPath + accountID + "/" + alias }

// federate sends the browser to an identity provider.
func (h *Handler) federate(w http.ResponseWriter, r *http.Request, p party, q *request, provider *account.IdentityProvider) error {
	wish := federation.Wish{LoginHint: q.LoginHint, MaxAge: q.MaxAge}
	if q.Login {
		wish.Prompt = "login"
	}
	address, pending, err := h.Federation.Begin(r.Context(), provider, h.AuthURL+callbackPath(p.account.ID, provider.Alias), wish)
	if err != nil {
		return h.strandedAt(q, err)
	}
	under := journey{Request: *q, Account: p.account.ID, Provider: provider.Alias, Pending: pending}
	cookie, err := sealValue(h.seal, forFederation, h.cookies.browser(w, r), under, h.Clock().Add(journeyLifetime))
	if err != nil {
		return err
	}
	if len(cookie) > maxCookie {
		h.refuse(w, r, q, refuse("invalid_request", "state, nonce and redirect_uri are too long together"))
		return nil
	}
	h.cookies.set(w, federationCookie, cookie, journeyLifetime)
	redirect(w, r, address)
	return nil
}

// serveCallback answers what lies below CallbackPath: the browser is back from an identity provider.
func (h *Handler) serveCallback(w http.ResponseWriter, r *http.Request) error {
	values, err := readParameters(w, r)
	if err != nil {
		return err
	}
	under, err := openValue[journey](h.seal, forFederation, h.cookies.get(r, browserCookie), h.cookies.get(r, federationCookie), h.Clock())
	if err != nil {
		return h.lost(under.Request, err)
	}
	if !equalText(values.Get("state"), under.Pending.State) || !strings.HasSuffix(r.URL.Path, callbackPath(under.Account, under.Provider)) {
		return h.lost(request{}, errSealForeign) // of another sign-in: the one under way goes on
	}
	h.cookies.drop(w, federationCookie)
	q := &under.Request
	p, err := h.party(r.Context(), q.ClientID, q.RedirectURI)
	if err != nil {
		return err
	}
	provider := p.account.Provider(under.Provider)
	if provider == nil || p.account.ID != under.Account {
		return h.lost(*q, errSealForeign)
	}
	if refused := h.admit(p); refused != nil {
		h.refuse(w, r, q, refused)
		return nil
	}
	identity, err := h.Federation.Finish(r.Context(), provider, h.AuthURL+callbackPath(under.Account, under.Provider), under.Pending, values)
	if denied := new(federation.Denied); errors.As(err, &denied) && !denied.Passing() {
		h.Logger.InfoContext(r.Context(), "an identity provider signed nobody in", "issuer", provider.Issuer, "error", shown(denied.Code))
		h.refuse(w, r, q, refuse("access_denied", "the identity provider did not sign the user in"))
		return nil
	}
	if err != nil {
		return h.strandedAt(q, err)
	}
	user, err := h.admitted(r.Context(), p.account, identity)
	if err != nil {
		return err
	}
	return h.enter(w, r, p, q, user, provider.Alias, identity.AuthTime)
}

// admitted is the account's user whom a provider's identity names. Only issuer and subject decide who
// that is: an e-mail address proves nothing between providers.
func (h *Handler) admitted(ctx context.Context, owner *account.Account, identity *federation.Identity) (*account.User, error) {
	return h.Store.EnsureUser(ctx, &account.User{
		ID: account.NewUserID(), AccountID: owner.ID, Issuer: identity.Issuer, Subject: identity.Subject,
		Email: identity.Email, EmailVerified: identity.EmailVerified,
		GivenName: identity.GivenName, FamilyName: identity.FamilyName,
	}, identity.Complete)
}

// strandedAt is the fault of a sign-in that an identity provider let down, with both ways out of it.
func (h *Handler) strandedAt(q *request, err error) error {
	f := &problem{
		status: http.StatusBadGateway, code: "server_error", cause: err,
		message: "the identity provider's answer cannot be used",
		again:   q.address(h.base), back: h.answerAddress(q, "error", "server_error"),
	}
	denied := new(federation.Denied)
	switch {
	case fault.CodeOf(err) == fault.Unavailable || errors.As(err, &denied):
		f.status, f.code = http.StatusServiceUnavailable, "temporarily_unavailable"
		f.message = "the identity provider cannot be reached, or does not work at this moment"
		f.back = h.answerAddress(q, "error", "temporarily_unavailable")
	case !errors.Is(err, federation.ErrUntrusted):
		return err
	}
	return f
}
