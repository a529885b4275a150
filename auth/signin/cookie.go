package signin

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strings"
	"time"
)

// cookies writes and reads the cookies of this package. All are HttpOnly, SameSite=Lax and for the whole
// host; outside this machine they are Secure and named __Host-, so that no other host can plant one
// (RFC 6265bis section 4.1.3.2).
type cookies struct{ secure bool }

// The names, before their prefix.
const (
	// browserCookie tells browsers apart while they sign in or out.
	browserCookie = "filmstrip-signin"
	// federationCookie holds the sealed sign-in that is under way at an identity provider.
	federationCookie = "filmstrip-federation"
	// sessionCookie goes on with the account's ID: signing in to one account leaves another alone.
	sessionCookie = "filmstrip-session-"
)

// maxCookie is the longest value of a cookie, so that it fits with its name and attributes into the
// 4096 bytes that browsers keep.
const maxCookie = 3900

func (c cookies) name(name string) string {
	if c.secure {
		return "__Host-" + name
	}
	return name
}

// set sends a cookie that lasts as long as the browser's session where lasts is 0.
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

// get returns a cookie's value; "": there is none, or two that contradict each other.
func (c cookies) get(r *http.Request, name string) string {
	found := r.CookiesNamed(c.name(name))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// sessions lists the session cookies of a request by the IDs of their accounts.
func (c cookies) sessions(r *http.Request) map[string]string {
	found := map[string]string{}
	for _, cookie := range r.Cookies() {
		if account, ok := strings.CutPrefix(cookie.Name, c.name(sessionCookie)); ok {
			found[account] = cookie.Value
		}
	}
	return found
}

// browser returns what tells this browser apart, having sent it a cookie where it had none.
func (c cookies) browser(w http.ResponseWriter, r *http.Request) string {
	if held := c.get(r, browserCookie); len(held) == len(newSecret()) {
		return held
	}
	made := newSecret()
	c.set(w, browserCookie, made, 0)
	return made
}

// newSecret returns 256 random bits as text.
func newSecret() string {
	bits := make([]byte, 32)
	rand.Read(bits) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(bits)
}

// sumText is the SHA-256 sum of a text, as text.
func sumText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func equalText(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
