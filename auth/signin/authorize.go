package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// serveAuthorize serves AuthorizePath (RFC 6749 section 3.1). Errors in the client or redirect URI are shown in the
// browser; all others are sent to the client (section 4.1.2.1).
func (h *Handler) serveAuthorize(w http.ResponseWriter, r *http.Request) error {
	values, err := readParameters(w, r)
	if err != nil {
		return err
	}
	if cookiesWithheld(r) {
		redirect(w, r, h.base+AuthorizePath+"?"+values.Encode())
		return nil
	}
	p, err := h.findRelyingParty(r.Context(), values.Get("client_id"), values.Get("redirect_uri"))
	if err != nil {
		return err
	}
	q, refused := readRequest(values, p)
	if refused == nil {
		refused = h.checkAccess(p)
	}
	if refused != nil {
		h.sendError(w, r, q, refused)
		return nil
	}
	if hint := values.Get("id_token_hint"); hint != "" {
		if _, user, _, err := h.ReadIDTokenHint(hint); err == nil {
			q.User = user
		}
	}
	return h.authorize(w, r, p, q)
}

// authorize issues a code to the user of the browser's session, or asks the user to sign in.
func (h *Handler) authorize(w http.ResponseWriter, r *http.Request, p relyingParty, q *request) error {
	session, err := h.session(r, p.account)
	switch {
	case err != nil:
		return err
	case session != nil && h.satisfies(session, q):
		return h.issueCode(w, r, q, session)
	case q.None:
		h.sendError(w, r, q, newOAuthError("login_required", "the user is not signed in"))
		return nil
	}
	if provider := chosenProvider(p.account, q); provider != nil {
		return h.redirectToProvider(w, r, p, q, provider)
	}
	return h.writeLogin(w, r, http.StatusOK, p, q, loginFault{})
}

// cookiesWithheld reports whether the browser withheld its cookies because another site made it send a form
// (SameSite=Lax). It sends them after a redirect with GET.
func cookiesWithheld(r *http.Request) bool {
	return r.Method == http.MethodPost && r.Header.Get("Sec-Fetch-Site") == "cross-site"
}

// findRelyingParty returns the relying party of a request. It refreshes the roster before it reports an unknown one.
func (h *Handler) findRelyingParty(ctx context.Context, clientID, redirectURI string) (relyingParty, error) {
	found, problem := relyingPartyIn(h.Roster(), clientID, redirectURI)
	if problem == nil {
		return found, nil
	}
	if err := h.Refresh(ctx); err != nil {
		return relyingParty{}, err
	}
	if found, problem = relyingPartyIn(h.Roster(), clientID, redirectURI); problem != nil {
		return relyingParty{}, problem
	}
	return found, nil
}

func relyingPartyIn(roster *account.Roster, clientID, redirectURI string) (relyingParty, *problem) {
	client, owner := roster.Client(clientID)
	switch {
	case clientID == "":
		return relyingParty{}, badRequest("client_id is required")
	case client == nil:
		return relyingParty{}, badRequest("the client is unknown")
	case redirectURI == "":
		return relyingParty{}, badRequest("redirect_uri is required")
	case !slices.Contains(client.RedirectURIs, redirectURI):
		return relyingParty{}, badRequest("redirect_uri is not registered for this client")
	}
	return relyingParty{
		client: client, account: owner,
		requirePKCE: roster.RequiresPKCE(client), requireSecret: roster.RequiresSecret(client),
	}, nil
}

// checkAccess rejects accounts without access, and clients that could not redeem a code.
func (h *Handler) checkAccess(p relyingParty) *oauthError {
	if p.requireSecret && p.client.Public() {
		return newOAuthError("unauthorized_client", "the service requires every client to have a secret, and this client has none")
	}
	if !p.account.InForce(catalogue.DateOf(h.Clock())) {
		return newOAuthError("access_denied", "the account's access has ended")
	}
	return nil
}

// satisfies reports whether a session satisfies a request without interaction.
func (h *Handler) satisfies(session *account.Session, q *request) bool {
	recent := q.MaxAge == nil || h.Clock().Sub(session.AuthTime) <= time.Duration(*q.MaxAge)*time.Second
	return !q.Login && recent && (q.User == "" || q.User == session.User)
}

// issueCode redirects the browser with a code for the session's user. A session is always dropped before its codes,
// so if the session still exists after the code was stored, no code survives it. The same check is made for the
// policy's NotBefore.
func (h *Handler) issueCode(w http.ResponseWriter, r *http.Request, q *request, session *account.Session) error {
	code, family := account.NewSecret(), rand.Text()
	err := h.Store.PutCode(r.Context(), account.Code{
		Hash: sha256.Sum256([]byte(code)), ClientID: q.ClientID, RedirectURI: q.RedirectURI,
		User: session.User, Scope: q.Scope, Nonce: q.Nonce, Challenge: q.Challenge,
		Family: family, Session: session.ID, AuthTime: session.AuthTime, Expires: h.Clock().Add(account.CodeLifetime),
	})
	if err != nil {
		return err
	}
	still, err := h.Store.Session(r.Context(), session.Hash, h.Clock())
	if err = errors.Join(err, h.Refresh(r.Context())); err != nil {
		return err
	}
	if still == nil || h.sessionStart(session).Before(h.Roster().NotBefore) {
		if err := h.Store.DropGrants(r.Context(), account.GrantFilter{Family: family}); err != nil {
			return err
		}
		h.sendError(w, r, q, newOAuthError("login_required", "the session has just ended"))
		return nil
	}
	h.respond(w, r, q, "code", code)
	return nil
}

// chosenProvider returns the provider to use without asking: the one named in the request, the one of the e-mail
// domain, or the account's only sign-in method. It returns nil if the user must choose.
func chosenProvider(a *account.Account, q *request) *account.IdentityProvider {
	if named := a.Provider(q.ProviderHint); named != nil {
		return named
	}
	if home := providerOfDomain(a, q.LoginHint); home != nil {
		return home
	}
	if len(a.IdentityProviders) == 1 && !a.TakesPasswords() {
		return &a.IdentityProviders[0]
	}
	return nil
}
