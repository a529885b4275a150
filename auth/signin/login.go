package signin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/password"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// loginLifetime is how long the login page is valid.
const loginLifetime = 30 * time.Minute

// serveLogin serves LoginPath, which receives the login form. It redirects to a provider if the user clicked its button,
// and otherwise checks the password.
func (h *Handler) serveLogin(w http.ResponseWriter, r *http.Request) error {
	values, err := h.readForm(w, r)
	if err != nil {
		return err
	}
	q, err := openValue[request](h.seal, forLogin, h.cookies.get(r, browserCookie), values.Get("request"), h.Clock())
	if err != nil {
		return h.expiredProblem(q, err)
	}
	p, err := h.findRelyingParty(r.Context(), q.ClientID, q.RedirectURI)
	if err != nil {
		return err
	}
	if refused := h.checkAccess(p); refused != nil {
		h.sendError(w, r, &q, refused)
		return nil
	}
	if alias := values.Get("provider"); alias != "" {
		return h.withProvider(w, r, p, &q, alias)
	}
	q.LoginHint = strings.TrimSpace(values.Get("username"))
	return h.withPassword(w, r, p, &q, values.Get("password"))
}

// readForm reads a form of one of our pages. It rejects forms sent from other sites.
func (h *Handler) readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if err := h.origin.Check(r); err != nil {
		return nil, &problem{status: http.StatusForbidden, code: "access_denied", message: "this form was sent from another site", cause: err}
	}
	return readParameters(w, r)
}

// expiredProblem returns the problem for encrypted state that is no longer valid in this browser. If the state was
// issued by this service, the problem links to the start of the request, which is checked again there.
func (h *Handler) expiredProblem(q request, err error) error {
	f := badRequest("this page has expired, belongs to another browser, or cookies are disabled")
	f.cause = err
	if q.ClientID != "" {
		f.again = q.address(h.base)
	}
	return f
}

func (h *Handler) withProvider(w http.ResponseWriter, r *http.Request, p relyingParty, q *request, alias string) error {
	provider := p.account.Provider(alias)
	if provider == nil {
		return h.writeLogin(w, r, http.StatusBadRequest, p, q, loginFault{Message: "This sign-in method is no longer available."})
	}
	return h.redirectToProvider(w, r, p, q, provider)
}

// withPassword signs in the user named by LoginHint. If that is an address of a provider's domain, it redirects to the
// provider unless the password is right. The response and its timing are the same whether the user is unknown, has no
// password, is disabled, or has another password.
func (h *Handler) withPassword(w http.ResponseWriter, r *http.Request, p relyingParty, q *request, given string) error {
	home := providerOfDomain(p.account, q.LoginHint)
	switch {
	case home != nil && (given == "" || !p.account.TakesPasswords()):
		return h.redirectToProvider(w, r, p, q, home)
	case q.LoginHint == "":
		return h.writeLogin(w, r, http.StatusBadRequest, p, q, loginFault{Message: "Enter your username.", Field: "username"})
	case !p.account.TakesPasswords():
		return h.writeLogin(w, r, http.StatusBadRequest, p, q, loginFault{Message: "No identity provider is known for this address.", Field: "username"})
	case given == "":
		return h.writeLogin(w, r, http.StatusBadRequest, p, q, loginFault{Message: "Enter your password.", Field: "password"})
	}
	if !h.withinLimit(w, r, p.account.ID, q.LoginHint) {
		h.Refused(r, "too_many_attempts", q.ClientID)
		return nil
	}
	user, err := h.checkPassword(r.Context(), p.account, q.LoginHint, given)
	if err != nil {
		return err
	}
	if user == nil {
		h.Refused(r, "wrong_password", q.ClientID)
		if home != nil {
			return h.redirectToProvider(w, r, p, q, home)
		}
		return h.writeLogin(w, r, http.StatusForbidden, p, q, loginFault{Message: "The username or the password is wrong.", Field: "password"})
	}
	return h.afterPassword(w, r, p, q, user)
}

// checkPassword returns the user with the given name and password, or nil if there is none who may sign in.
func (h *Handler) checkPassword(ctx context.Context, owner *account.Account, username, given string) (*account.User, error) {
	user, err := account.As[*account.User](h.Store.Named(ctx, account.LocalUserName(owner.ID, username)))
	if err != nil {
		return nil, err
	}
	stored := ""
	if user != nil {
		stored = user.PasswordHash
	}
	matches, err := password.Verify(ctx, stored, given)
	if err != nil || !matches || user.Disabled || user.AccountID != owner.ID {
		return nil, err
	}
	return user, nil
}

// withinLimit applies the rate limit. Its rejection becomes a page if the request prefers HTML.
func (h *Handler) withinLimit(w http.ResponseWriter, r *http.Request, accountID, username string) bool {
	if !httperror.PrefersHTML(r) {
		return h.Limit(w, r, accountID, username)
	}
	if h.Limit(&headersOnly{ResponseWriter: w}, r, accountID, username) {
		return true
	}
	h.writeProblem(w, r, errTooMany)
	return false
}

// providerOfDomain returns the provider of an e-mail address's domain, or nil.
func providerOfDomain(a *account.Account, address string) *account.IdentityProvider {
	at := strings.LastIndexByte(address, '@')
	if at < 1 || utf8.RuneCountInString(address) > maxHint {
		return nil
	}
	domain := strings.ToLower(address[at+1:])
	for i := range a.IdentityProviders {
		if slices.Contains(a.IdentityProviders[i].Domains, domain) {
			return &a.IdentityProviders[i]
		}
	}
	return nil
}
