package signin

import (
	"errors"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/internal/requestbody"
)

// request is an authorization request (RFC 6749 section 4.1.1, OpenID Connect Core, section 3.1.2.1) with a known
// client and a registered redirect URI. The browser carries it encrypted.
type request struct {
	ClientID string `json:"c"`
	// RedirectURI is exactly as sent and registered.
	RedirectURI string `json:"r"`
	State       string `json:"s,omitempty"`
	HasState    bool   `json:"hs,omitempty"`
	Nonce       string `json:"n,omitempty"`
	Scope       string `json:"p,omitempty"`
	Challenge   string `json:"h,omitempty"`
	// MaxAge is the maximum time in seconds since the user authenticated; nil means no limit.
	MaxAge *int64 `json:"a,omitempty"`
	// Login requires a new sign-in. None forbids any interaction.
	Login bool `json:"l,omitempty"`
	None  bool `json:"-"`
	// LoginHint is the user's presumed name. ProviderHint is the alias of a provider.
	LoginHint    string `json:"g,omitempty"`
	ProviderHint string `json:"i,omitempty"`
	// User is the ID of the required user, from an id_token_hint; "" if any user may sign in.
	User string `json:"u,omitempty"`
}

// relyingParty is the client that sent a request, with its account.
type relyingParty struct {
	client  *account.Client
	account *account.Account
	// requirePKCE and requireSecret apply if the policy or the client's own settings require them.
	requirePKCE, requireSecret bool
}

const (
	maxForm = 64 << 10
	// Maximum lengths of state and nonce in bytes, chosen so that a request fits into a cookie.
	maxState = 1500
	maxNonce = 300
	// The maximum length of login_hint in characters, which is that of an e-mail address.
	maxHint = 254
	// maxAge is the largest useful max_age in seconds: a year. Larger values are ignored.
	maxAge = 366 * 24 * 60 * 60
)

// readParameters returns the parameters of a request: from the query, or from the form of a POST. Each may occur once
// (RFC 6749 section 3.1), and an empty one counts as absent.
func readParameters(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	text := r.URL.RawQuery
	if r.Method == http.MethodPost {
		if mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); mediaType != "application/x-www-form-urlencoded" {
			return nil, &problem{status: http.StatusUnsupportedMediaType, code: "invalid_request", message: "a form must be sent as application/x-www-form-urlencoded"}
		}
		body, err := requestbody.Read(r, maxForm)
		if unread, ok := errors.AsType[*requestbody.Error](err); ok {
			unread.SetHeader(w.Header())
			return nil, &problem{status: unread.Status, code: "invalid_request", message: unread.Message}
		} else if err != nil {
			return nil, err
		}
		text = string(body)
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil, badRequest("the parameters are not well-formed")
	}
	for name, given := range values {
		switch {
		case len(given) > 1:
			return nil, badRequest("parameter " + account.Quoted(name) + " is given more than once")
		case !utf8.ValidString(name) || !utf8.ValidString(given[0]):
			return nil, badRequest("parameter " + account.Quoted(name) + " is not UTF-8")
		case given[0] == "" && name != "state":
			delete(values, name)
		}
	}
	return values, nil
}

var challenge = regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) // S256 of RFC 7636 section 4.2

// readRequest parses the parameters of a request of a known relying party. Its errors are sent to the client.
func readRequest(values url.Values, from relyingParty) (*request, *oauthError) {
	req := &request{ClientID: from.client.ID, RedirectURI: values.Get("redirect_uri")}
	req.State, req.HasState = values.Get("state"), values.Has("state")
	if len(req.State) > maxState {
		req.State, req.HasState = "", false
		return req, newOAuthError("invalid_request", "state is longer than 1500 bytes")
	}
	for _, unsupported := range []string{"request", "request_uri", "registration"} {
		if values.Has(unsupported) { // OpenID Connect Core, section 3.1.2.6
			return req, newOAuthError(unsupported+"_not_supported", unsupported+" is not supported")
		}
	}
	switch kind := values.Get("response_type"); kind {
	case "code":
	case "":
		return req, newOAuthError("invalid_request", "response_type is required")
	default:
		return req, newOAuthError("unsupported_response_type", "response_type must be code")
	}
	if mode := values.Get("response_mode"); mode != "" && mode != "query" {
		return req, newOAuthError("invalid_request", "response_mode must be query")
	}
	if req.Nonce = values.Get("nonce"); len(req.Nonce) > maxNonce {
		return req, newOAuthError("invalid_request", "nonce is longer than 300 bytes")
	}
	req.Scope = scopeOf(values.Get("scope"))
	for _, read := range []func(url.Values, relyingParty) *oauthError{req.readChallenge, req.readPrompt, req.readMaxAge} {
		if refused := read(values, from); refused != nil {
			return req, refused
		}
	}
	req.readHints(values)
	return req, nil
}

// readChallenge accepts a code challenge with method S256 (RFC 7636) only, because plain does not protect against an
// attacker who can read the request (RFC 9700 section 2.1.1).
func (q *request) readChallenge(values url.Values, from relyingParty) *oauthError {
	q.Challenge = values.Get("code_challenge")
	method := values.Get("code_challenge_method")
	switch {
	case q.Challenge == "" && method != "":
		return newOAuthError("invalid_request", "code_challenge_method needs a code_challenge")
	case q.Challenge == "" && from.requirePKCE:
		return newOAuthError("invalid_request", "this client must send a code_challenge (PKCE, RFC 7636)")
	case q.Challenge == "":
	case method != "S256":
		return newOAuthError("invalid_request", "code_challenge_method must be S256")
	case !challenge.MatchString(q.Challenge):
		return newOAuthError("invalid_request", "code_challenge is not a base64url-encoded SHA-256 hash")
	}
	return nil
}

// readPrompt parses prompt. Users are never asked for consent, because the operator consents by creating the client.
func (q *request) readPrompt(values url.Values, _ relyingParty) *oauthError {
	prompts := strings.Fields(values.Get("prompt"))
	for _, prompt := range prompts {
		switch prompt {
		case "none":
			q.None = true
		case "login", "select_account":
			q.Login = true
		case "consent":
		default:
			return newOAuthError("invalid_request", "prompt must be none, login, select_account or consent")
		}
	}
	if q.None && len(prompts) > 1 {
		return newOAuthError("invalid_request", "prompt=none cannot be combined with other values")
	}
	return nil
}

func (q *request) readMaxAge(values url.Values, _ relyingParty) *oauthError {
	text := values.Get("max_age")
	if text == "" {
		return nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil || seconds < 0 {
		return newOAuthError("invalid_request", "max_age must be a number of seconds")
	}
	if seconds <= maxAge {
		q.MaxAge = &seconds
	}
	return nil
}

// readHints parses the hints and ignores invalid ones.
func (q *request) readHints(values url.Values) {
	if hint := values.Get("login_hint"); utf8.RuneCountInString(hint) <= maxHint {
		q.LoginHint = hint
	}
	q.ProviderHint = values.Get("idp_hint")
	if q.ProviderHint == "" {
		q.ProviderHint = values.Get("kc_idp_hint")
	}
	if len(q.ProviderHint) > account.MaxIDLength {
		q.ProviderHint = ""
	}
}

// scopes are the supported scope values.
var scopes = []string{"openid", "profile", "email"}

// scopeOf returns the supported part of a scope; other values are ignored (OpenID Connect Core, section 3.1.2.1). The
// default grants a user's claims without an ID token.
func scopeOf(text string) string {
	if text == "" {
		return "profile email"
	}
	asked := strings.Fields(text)
	var granted []string
	for _, scope := range scopes {
		if slices.Contains(asked, scope) {
			granted = append(granted, scope)
		}
	}
	return strings.Join(granted, " ")
}

// address returns the URL at which the request can be repeated.
func (q *request) address(base string) string {
	values := url.Values{"response_type": {"code"}, "client_id": {q.ClientID}, "redirect_uri": {q.RedirectURI}}
	for name, value := range map[string]string{
		"nonce": q.Nonce, "scope": q.Scope, "code_challenge": q.Challenge, "login_hint": q.LoginHint, "idp_hint": q.ProviderHint,
	} {
		if value != "" {
			values.Set(name, value)
		}
	}
	if q.HasState {
		values.Set("state", q.State)
	}
	if q.Challenge != "" {
		values.Set("code_challenge_method", "S256")
	}
	if q.Login {
		values.Set("prompt", "login")
	}
	if q.MaxAge != nil {
		values.Set("max_age", strconv.FormatInt(*q.MaxAge, 10))
	}
	return base + AuthorizePath + "?" + values.Encode()
}
