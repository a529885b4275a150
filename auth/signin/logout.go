package signin

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// confirmLifetime is how long the confirmation page is valid.
const confirmLifetime = 30 * time.Minute

// logoutRequest is a logout request (OpenID Connect RP-Initiated Logout 1.0, section 2) with a registered redirect
// URI. The confirmation page carries it encrypted.
type logoutRequest struct {
	RedirectURI string `json:"r,omitempty"`
	State       string `json:"s,omitempty"`
	// Sessions maps account IDs to the IDs of the sessions to end.
	Sessions map[string]string `json:"i,omitempty"`

	client *account.Client
	// hinted reports whether the request has a valid ID token, of the given user and session.
	hinted        bool
	user, session string
}

// serveLogout serves LogoutPath. A request with an ID token of the browser's own session ends it immediately; any
// other request needs confirmation, so that no other site can sign users out.
func (h *Handler) serveLogout(w http.ResponseWriter, r *http.Request) error {
	values, err := readParameters(w, r)
	if err != nil {
		return err
	}
	if r.Method == http.MethodPost && values.Has("confirm") {
		return h.serveConfirmation(w, r, values)
	}
	if cookiesWithheld(r) {
		redirect(w, r, h.base+LogoutPath+"?"+values.Encode())
		return nil
	}
	f, err := h.readLogoutRequest(r, values)
	if err != nil {
		return err
	}
	if f.Sessions, err = h.sessionsOf(r, f.client); err != nil {
		return err
	}
	if f.hinted && len(f.Sessions) == 0 && f.session != "" {
		f.Sessions = map[string]string{f.client.AccountID: f.session} // the session's cookie is gone, but its tokens may be valid
		return h.logOut(w, r, f)
	}
	if len(f.Sessions) == 0 {
		return h.logOut(w, r, f)
	}
	if own, err := h.isOwnSession(r, f); err != nil {
		return err
	} else if own {
		return h.logOut(w, r, f)
	}
	return h.writeConfirm(w, r, f)
}

// readLogoutRequest parses a logout request and checks that the redirect URI is registered.
func (h *Handler) readLogoutRequest(r *http.Request, values url.Values) (*logoutRequest, error) {
	f := &logoutRequest{RedirectURI: values.Get("post_logout_redirect_uri"), State: values.Get("state")}
	clientID := values.Get("client_id")
	if hint := values.Get("id_token_hint"); hint != "" {
		hinted, user, session, err := h.ReadIDTokenHint(hint)
		switch {
		case err != nil: // it proves nothing: the user is asked
		case clientID != "" && clientID != hinted:
			return nil, badRequest("id_token_hint was issued to another client than client_id")
		default:
			f.hinted, f.user, f.session, clientID = true, user, session, hinted
		}
	}
	if clientID != "" {
		if f.client, _ = h.Roster().Client(clientID); f.client == nil {
			if err := h.Refresh(r.Context()); err != nil {
				return nil, err
			}
			f.client, _ = h.Roster().Client(clientID)
		}
		if f.client == nil {
			return nil, badRequest("the client is unknown")
		}
	}
	switch {
	case len(f.State) > maxState:
		return nil, badRequest("state is longer than 1500 bytes")
	case f.RedirectURI == "":
	case f.client == nil:
		return nil, badRequest("post_logout_redirect_uri needs an id_token_hint or a client_id")
	case !slices.Contains(f.client.PostLogoutRedirectURIs, f.RedirectURI):
		return nil, badRequest("post_logout_redirect_uri is not registered for this client")
	}
	return f, nil
}

// sessionsOf returns the browser's sessions by account: with the client's account, or with all accounts if client is
// nil. Cookies with unknown account IDs cause no reads of the store.
func (h *Handler) sessionsOf(r *http.Request, client *account.Client) (map[string]string, error) {
	found, accounts := map[string]string{}, h.Roster().Accounts
	for accountID := range h.cookies.sessions(r) {
		if accounts[accountID] == nil || client != nil && client.AccountID != accountID {
			continue
		}
		session, err := h.storedSession(r, accountID)
		if err != nil {
			return nil, err
		}
		if session != nil {
			found[accountID] = session.ID
		}
	}
	return found, nil
}

// isOwnSession reports whether the request's ID token belongs to the browser's session.
func (h *Handler) isOwnSession(r *http.Request, f *logoutRequest) (bool, error) {
	if !f.hinted {
		return false, nil
	}
	session, err := h.storedSession(r, f.client.AccountID)
	if err != nil || session == nil {
		return false, err
	}
	return session.User == f.user && (f.session == "" || f.session == session.ID), nil
}

// serveConfirmation handles the form of the confirmation page.
func (h *Handler) serveConfirmation(w http.ResponseWriter, r *http.Request, values url.Values) error {
	if err := h.origin.Check(r); err != nil {
		return &problem{status: http.StatusForbidden, code: "access_denied", message: "this form was sent from another site", cause: err}
	}
	f, err := openValue[logoutRequest](h.seal, forLogout, h.cookies.get(r, browserCookie), values.Get("confirm"), h.Clock())
	if err != nil {
		return h.expiredProblem(request{}, err)
	}
	return h.logOut(w, r, &f)
}

// logOut ends the sessions and redirects the browser to the client, if requested.
func (h *Handler) logOut(w http.ResponseWriter, r *http.Request, f *logoutRequest) error {
	for _, accountID := range slices.Sorted(maps.Keys(f.Sessions)) {
		if err := h.endSession(r.Context(), f.Sessions[accountID]); err != nil {
			return err
		}
		h.cookies.drop(w, sessionCookie+accountID)
		h.Logger.InfoContext(r.Context(), "signed out", "account", accountID)
	}
	if f.RedirectURI == "" {
		h.writePage(w, r, http.StatusOK, "goodbye", nil)
		return nil
	}
	address := f.RedirectURI
	if f.State != "" {
		address = appendQuery(address, "state", f.State)
	}
	redirect(w, r, address)
	return nil
}
