package signin

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"slices"
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
	// federationCookie is followed by a hash of the state of a sign-in at an identity provider, so that tabs can sign in at
	// the same time. It holds the sign-in, encrypted.
	federationCookie = "filmstrip-federation-"
	// sessionCookie is followed by the account's ID, so that sessions with several accounts can coexist.
	sessionCookie = "filmstrip-session-"
)

// maxCookie is the maximum length of a value; with name and attributes it fits into the 4096 bytes that browsers
// store.
const maxCookie = 3900

// maxPending is the maximum length of all values of federationCookie together. With the other cookies, they fit into the
// 8 KiB that proxies accept in a header.
const maxPending = 6400

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

// federationName returns the name of the cookie of the sign-in at an identity provider with a state.
func federationName(state string) string { return federationCookie + sumText(state)[:16] }

// setFederation sets the cookie of a sign-in at an identity provider. It drops the oldest others if they are too long
// together.
func (c cookies) setFederation(w http.ResponseWriter, r *http.Request, state, value string) {
	room := maxPending - len(value)
	for _, other := range slices.Backward(r.Cookies()) { // browsers send the oldest first (RFC 6265 section 5.4)
		if sum, ok := strings.CutPrefix(other.Name, c.name(federationCookie)); ok {
			if room -= len(other.Value); room < 0 {
				c.drop(w, federationCookie+sum)
			}
		}
	}
	c.set(w, federationName(state), value, pendingLifetime)
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
