package signin

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"net/url"

	"github.com/filmstrip/filmstrip/account"
)

var (
	//go:embed pages/pages.html
	pageText string
	//go:embed pages/style.css
	ownStyle []byte

	pages = template.Must(template.New("").Parse(pageText))
)

// setSecurityHeaders sets the headers of every response: it must not be stored, framed or sniffed, must not leak to
// the next site, and must not be readable by scripts of other origins, even if those scripts may read the API.
func setSecurityHeaders(header http.Header) {
	for _, name := range []string{"Origin", "Credentials"} {
		header.Del("Access-Control-Allow-" + name)
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", contentPolicy("'none'"))
	header.Set("Referrer-Policy", "same-origin") // with no-referrer, browsers would hide the Origin of our own forms
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
}

// contentPolicy returns the Content-Security-Policy of a page whose forms may lead to the given targets.
func contentPolicy(formAction string) string {
	return "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action " + formAction
}

// formTargets returns the targets of a form for the Content-Security-Policy. Browsers apply it also to the redirects
// that follow, and a sign-in ends at the client, or at a provider that may redirect further.
func formTargets(addresses ...string) string {
	places := "'self' https:"
	for _, address := range addresses {
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Scheme == "https" || u.Scheme == "":
		case u.Scheme == "http":
			places += " http://" + u.Host
		default: // an application's own scheme
			places += " " + u.Scheme + ":"
		}
	}
	return places
}

// frame is the data of every page.
type frame struct {
	Style string
	Logo  template.HTML
	Page  any
}

// faultPage is an error page. Back is a registered redirect URI, which may have the private scheme of an application.
type faultPage struct {
	Title, Message, Again string
	Back                  template.URL
}

// loginFault is an error in the login form: a sentence and the name of the field.
type loginFault struct{ Message, Field string }

type loginPage struct {
	Action, Request string
	Account, Client string
	Logo            string // the path of the account's logo, or ""
	Username        string
	Providers       []account.IdentityProvider
	Fault           loginFault

	// AsksUsername and AsksPassword determine the fields. NeedsPassword makes the password required.
	AsksUsername, AsksPassword, NeedsPassword bool
	UsernameLabel, SubmitLabel                string
	FocusUsername, FocusPassword              bool
	InvalidUsername, InvalidPassword          bool
}

// confirmPage asks for confirmation of a logout. Account is the name of the account that the browser is signed in to, or
// "" if the request does not say which.
type confirmPage struct{ Action, Confirm, Account, Logo string }

// writeLogin writes the login page.
func (h *Handler) writeLogin(w http.ResponseWriter, r *http.Request, status int, p relyingParty, q *request, wrong loginFault) error {
	sealedRequest, err := sealValue(h.seal, forLogin, h.cookies.browser(w, r), *q, h.Clock().Add(loginLifetime))
	if err != nil {
		return err
	}
	page := loginPage{
		Action: h.base + LoginPath, Request: sealedRequest, Account: p.account.Name, Logo: h.logoPath(p.account), Client: nameOf(p.client),
		Username: q.LoginHint, AsksPassword: p.account.TakesPasswords(), Providers: p.account.IdentityProviders, Fault: wrong,
	}
	places, addresses := []string{q.RedirectURI}, false
	for _, provider := range p.account.IdentityProviders {
		addresses = addresses || len(provider.Domains) > 0
		places = append(places, provider.Issuer)
	}
	page.setFields(addresses)
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(places...)))
	h.writePage(w, r, status, "login", page)
	return nil
}

// setFields determines the fields of the page and the focus. addresses reports whether e-mail addresses of some
// domains lead to a provider.
func (p *loginPage) setFields(addresses bool) {
	p.AsksUsername, p.NeedsPassword = p.AsksPassword || addresses, p.AsksPassword && !addresses
	p.UsernameLabel, p.SubmitLabel = "Username", "Sign in"
	switch {
	case p.AsksPassword && addresses:
		p.UsernameLabel = "Username or e-mail address"
	case addresses:
		p.UsernameLabel, p.SubmitLabel = "E-mail address", "Continue"
	}
	p.InvalidUsername, p.InvalidPassword = p.Fault.Field == "username", p.Fault.Field == "password"
	p.FocusPassword = p.AsksPassword && (p.InvalidPassword || p.Username != "" && !p.InvalidUsername)
	p.FocusUsername = p.AsksUsername && !p.FocusPassword
}

func nameOf(client *account.Client) string {
	if client.Name != "" {
		return client.Name
	}
	return client.ID
}

// writeConfirm writes the page that asks for confirmation of a logout.
func (h *Handler) writeConfirm(w http.ResponseWriter, r *http.Request, f *logoutRequest) error {
	confirm, err := sealValue(h.seal, forLogout, h.cookies.browser(w, r), *f, h.Clock().Add(confirmLifetime))
	if err != nil {
		return err
	}
	page := confirmPage{Action: h.base + LogoutPath, Confirm: confirm}
	if f.client != nil {
		if _, owner := h.Roster().Client(f.client.ID); owner != nil {
			page.Account, page.Logo = owner.Name, h.logoPath(owner)
		}
	}
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(f.RedirectURI)))
	h.writePage(w, r, http.StatusOK, "confirm", page)
	return nil
}

// writePage writes a page completely or not at all.
func (h *Handler) writePage(w http.ResponseWriter, r *http.Request, status int, name string, page any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, frame{Style: h.base + StylePath, Logo: h.Logo, Page: page}); err != nil {
		h.Logger.ErrorContext(r.Context(), "a page cannot be written", "page", name, "error", err)
		status = http.StatusInternalServerError
		b.Reset()
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that is gone needs no answer
}

// serveStyle serves StylePath.
func (h *Handler) serveStyle(w http.ResponseWriter, _ *http.Request) error {
	header := w.Header()
	header.Set("Content-Type", "text/css; charset=utf-8")
	header.Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(h.style)
	return nil
}
