package signin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// cookies sets and reads the cookies of this package. All are HttpOnly and SameSite=Lax with path "/". Except on
// loopback they are Secure and have the prefix __Host-, so that no other host can set them (RFC 6265bis section
// 4.1.3.2).
type cookies struct{ secure bool }

// The cookie names without prefix.
const (
	// browserCookie identifies the browser during a sign-in or logout.
	browserCookie = "filmstrip-signin"
	// federationCookie holds the encrypted state of a sign-in at an identity provider.
	federationCookie = "filmstrip-federation"
	// sessionCookie is followed by the account's ID, so that sessions with several accounts can coexist.
	sessionCookie = "filmstrip-session-"
)

// maxCookie is the maximum length of a value; with name and attributes it fits into the 4096 bytes that browsers
// store.
const maxCookie = 3900

func (c cookies) name(name string) string {
	if c.secure {
		return "__Host-" + name
	}
	return name
}

// set sets a cookie. If lasts is 0, it lasts until the browser is closed.
func (c cookies) set(w http.ResponseWriter, name, value string, lasts time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: c.name(name), Value: value, Path: "/", MaxAge: int(lasts.Seconds()),
		Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

func (c cookies) drop(w http.ResponseWriter, name string) {
	http.SetCookie(w, &http.Cookie{
		Name: c.name(name), Path: "/", MaxAge: -1, Secure: c.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// get returns a cookie's value, or "" if there is none or more than one.
func (c cookies) get(r *http.Request, name string) string {
	found := r.CookiesNamed(c.name(name))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// sessions returns the values of the session cookies by account ID.
func (c cookies) sessions(r *http.Request) map[string]string {
	found := map[string]string{}
	for _, cookie := range r.Cookies() {
		if owner, ok := strings.CutPrefix(cookie.Name, c.name(sessionCookie)); ok {
			found[owner] = cookie.Value
		}
	}
	return found
}

// browser returns the value that identifies the browser. It sets a cookie if there is none.
func (c cookies) browser(w http.ResponseWriter, r *http.Request) string {
	if secret := c.get(r, browserCookie); len(secret) == len(account.NewSecret()) {
		return secret
	}
	made := account.NewSecret()
	c.set(w, browserCookie, made, 0)
	return made
}

// sumText returns the SHA-256 hash of a text, as text.
func sumText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func equalText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
