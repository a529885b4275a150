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

// pendingLifetime is the maximum time a user may spend at an identity provider.
const pendingLifetime = 15 * time.Minute

// pendingSignIn is a sign-in in progress at an identity provider, as stored in a cookie.
type pendingSignIn struct {
	Request  request            `json:"q"`
	Account  string             `json:"a"`
	Provider string             `json:"i"`
	Pending  federation.Pending `json:"p"`
}

// callbackPath returns the path of the redirect URI for an account's provider.
func callbackPath(accountID, alias string) string { return CallbackPath + accountID + "/" + alias }

// redirectToProvider redirects the browser to an identity provider.
func (h *Handler) redirectToProvider(w http.ResponseWriter, r *http.Request, p relyingParty, q *request, provider *account.IdentityProvider) error {
	wish := federation.Options{LoginHint: q.LoginHint, MaxAge: q.MaxAge}
	if q.Login {
		wish.Prompt = "login"
	}
	address, pending, err := h.Federation.Begin(r.Context(), provider, h.AuthURL+callbackPath(p.account.ID, provider.Alias), wish)
	if err != nil {
		return h.providerProblem(q, err)
	}
	under := pendingSignIn{Request: *q, Account: p.account.ID, Provider: provider.Alias, Pending: pending}
	cookie, err := sealValue(h.seal, forFederation, h.cookies.browser(w, r), under, h.Clock().Add(pendingLifetime))
	if err != nil {
		return err
	}
	if len(cookie) > maxCookie {
		h.sendError(w, r, q, newOAuthError("invalid_request", "state, nonce and redirect_uri together are too long"))
		return nil
	}
	h.cookies.setFederation(w, r, pending.State, cookie)
	redirect(w, r, address)
	return nil
}

// serveCallback serves paths below CallbackPath, to which identity providers redirect browsers.
func (h *Handler) serveCallback(w http.ResponseWriter, r *http.Request) error {
	values, err := readParameters(w, r)
	if err != nil {
		return err
	}
	name, browser := federationName(values.Get("state")), h.cookies.get(r, browserCookie)
	under, err := openValue[pendingSignIn](h.seal, forFederation, browser, h.cookies.get(r, name), h.Clock())
	if errors.Is(err, errSealForeign) && (browser != "" || h.cookies.get(r, sessionCookie+under.Account) != "") {
		// Another tab has signed in or replaced browserCookie meanwhile. Start over, which uses the session if there is one.
		h.cookies.drop(w, name)
		redirect(w, r, under.Request.address(h.base))
		return nil
	}
	if err != nil {
		return h.expiredProblem(under.Request, err)
	}
	if !equalText(values.Get("state"), under.Pending.State) || !strings.HasSuffix(r.URL.Path, callbackPath(under.Account, under.Provider)) {
		return h.expiredProblem(under.Request, errSealForeign) // of another sign-in: the one under way goes on
	}
	h.cookies.drop(w, name)
	q := &under.Request
	p, err := h.findRelyingParty(r.Context(), q.ClientID, q.RedirectURI)
	if err != nil {
		return err
	}
	provider := p.account.Provider(under.Provider)
	if provider == nil || p.account.ID != under.Account {
		return h.expiredProblem(*q, errSealForeign)
	}
	if refused := h.checkAccess(p); refused != nil {
		h.sendError(w, r, q, refused)
		return nil
	}
	identity, err := h.Federation.Finish(r.Context(), provider, h.AuthURL+callbackPath(under.Account, under.Provider), under.Pending, values)
	if denied := new(federation.Denied); errors.As(err, &denied) && !denied.Temporary() {
		h.Logger.InfoContext(r.Context(), "an identity provider did not sign a user in", "issuer", provider.Issuer, "error", account.Quoted(denied.Code))
		h.sendError(w, r, q, newOAuthError("access_denied", "the identity provider did not sign the user in"))
		return nil
	}
	if err != nil {
		return h.providerProblem(q, err)
	}
	user, err := h.ensureUser(r.Context(), p.account, identity)
	if err != nil {
		return err
	}
	return h.startSession(w, r, p, q, user, provider.Alias, identity.AuthTime)
}

// ensureUser returns the account's user with a provider's identity. Only issuer and subject identify the user,
// because an e-mail address proves nothing across providers.
func (h *Handler) ensureUser(ctx context.Context, owner *account.Account, identity *federation.Identity) (*account.User, error) {
	return h.Store.EnsureUser(ctx, &account.User{
		ID: account.NewUserID(), AccountID: owner.ID, Issuer: identity.Issuer, Subject: identity.Subject,
		Email: identity.Email, EmailVerified: identity.EmailVerified,
		GivenName: identity.GivenName, FamilyName: identity.FamilyName,
	}, identity.Complete)
}

// providerProblem returns the problem for a failed sign-in at an identity provider, with links to try again and to go
// back.
func (h *Handler) providerProblem(q *request, err error) error {
	f := &problem{
		status: http.StatusBadGateway, code: "server_error", cause: err,
		message: "the identity provider's response cannot be used",
		again:   q.address(h.base), back: h.responseAddress(q, "error", "server_error"),
	}
	denied := new(federation.Denied)
	switch {
	case fault.CodeOf(err) == fault.Unavailable || errors.As(err, &denied):
		f.status, f.code = http.StatusServiceUnavailable, "temporarily_unavailable"
		f.message = "the identity provider is unreachable or temporarily unavailable"
		f.back = h.responseAddress(q, "error", "temporarily_unavailable")
	case !errors.Is(err, federation.ErrUntrusted):
		return err
	}
	return f
}
