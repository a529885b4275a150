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
	style []byte

	pages = template.Must(template.New("").Parse(pageText))
)

// protect sets the headers of every answer: nothing of it is kept, framed, guessed at, told to the next
// site, or read by a script of another origin, whatever that may read of the API.
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

// policy is the Content-Security-Policy of a page whose forms may lead to these places.
func contentPolicy(formAction string) string {
	return "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'; form-action " + formAction
}

// formsTo lists where a form may lead: browsers hold the redirects after it to the policy as well, and a
// sign-in ends at the client, or at a provider that may send the browser further.
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

// frame is what every page shows around its content.
type frame struct {
	Style string
	Page  any
}

// faultPage is a fault. Back is a registered redirect address, which may be of an application's own scheme.
type faultPage struct {
	Title, Message, Again string
	Back                  template.URL
}

// loginFault says what was wrong with a form: a sentence, and the name of the field that it is about.
type loginFault struct{ Message, Field string }

type loginPage struct {
	Action, Request string
	Account, Client string
	Username        string
	Providers       []account.IdentityProvider
	Fault           loginFault

	// AsksUsername and AsksPassword say which fields there are; with NeedsPassword none goes without a
	// password.
	AsksUsername, AsksPassword, NeedsPassword bool
	UsernameLabel, SubmitLabel                string
	FocusUsername, FocusPassword              bool
	InvalidUsername, InvalidPassword          bool
}

type confirmPage struct{ Action, Confirm string }

// writeLogin shows the login page of a request.
func (h *Handler) writeLogin(w http.ResponseWriter, r *http.Request, status int, p relyingParty, q *request, wrong loginFault) error {
	sealedRequest, err := sealValue(h.seal, forLogin, h.cookies.browser(w, r), *q, h.Clock().Add(loginLifetime))
	if err != nil {
		return err
	}
	page := loginPage{
		Action: h.base + LoginPath, Request: sealedRequest, Account: p.account.Name, Client: nameOf(p.client),
		Username: q.LoginHint, AsksPassword: takesPasswords(p.account), Providers: p.account.IdentityProviders, Fault: wrong,
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

// arrange decides what the page asks for and where the cursor stands. addresses says that those of some
// domains lead to their provider.
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

// writeConfirm asks whether to sign out.
func (h *Handler) writeConfirm(w http.ResponseWriter, r *http.Request, f *logoutRequest) error {
	confirm, err := sealValue(h.seal, forLogout, h.cookies.browser(w, r), *f, h.Clock().Add(confirmLifetime))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(f.RedirectURI)))
	h.writePage(w, r, http.StatusOK, "confirm", confirmPage{Action: h.base + LogoutPath, Confirm: confirm})
	return nil
}

// writePage writes a page, whole or not at all.
func (h *Handler) writePage(w http.ResponseWriter, r *http.Request, status int, name string, page any) {
	var b bytes.Buffer
	if err := pages.ExecuteTemplate(&b, name, frame{Style: h.base + StylePath, Page: page}); err != nil {
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

// serveStyle answers StylePath.
func serveStyle(w http.ResponseWriter, _ *http.Request) error {
	header := w.Header()
	header.Set("Content-Type", "text/css; charset=utf-8")
	header.Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(style)
	return nil
}
