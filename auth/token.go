package auth

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

const (
	formType = "application/x-www-form-urlencoded"
	// maxFormBytes is the longest body of a token request.
	maxFormBytes = 64 << 10
	// maxUserIDChars is the longest Service-User-Id (spec.md, "Limits").
	maxUserIDChars = 64
)

// tokenAnswer is the token response object (spec.md). Times are seconds, as JSON numbers.
type tokenAnswer struct {
	AccessToken      string `json:"access_token"`
	ExpiresIn        int64  `json:"expires_in"`
	RefreshExpiresIn int64  `json:"refresh_expires_in"`
	RefreshToken     string `json:"refresh_token"`
	TokenType        string `json:"token_type"`
	// NotBeforePolicy is the instant before which tokens were revoked as a whole, in seconds of Unix
	// time. 0: never.
	NotBeforePolicy int64  `json:"not-before-policy"`
	Scope           string `json:"scope"`
}

// serveToken answers POST /v1/token (RFC 6749 section 3.2). Nothing it answers may be stored (section
// 5.1).
func (s *Service) serveToken(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Pragma", "no-cache")
	answer, err := s.token(w, r)
	if err != nil {
		s.refuseToken(w, r, err)
		return
	}
	encoded, err := json.Marshal(answer)
	if err != nil {
		s.refuseToken(w, r, err)
		return
	}
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(encoded) // a client that is gone needs no answer
}

func (s *Service) refuseToken(w http.ResponseWriter, r *http.Request, err error) {
	var refused *refusal
	if errors.As(err, &refused) {
		// The message stays out of the log: it may quote a secret that was sent in the wrong field.
		s.config.Logger.InfoContext(r.Context(), "token request refused", "code", refused.code)
		refused.write(w, r)
		return
	}
	if catalogue.CodeOf(err) != catalogue.Unavailable { // that the store is away is said once (follow), not for every request
		s.config.Logger.ErrorContext(r.Context(), "token request failed", "error", err)
	}
	httperror.WriteError(w, r, err)
}

func (s *Service) token(w http.ResponseWriter, r *http.Request) (tokenAnswer, error) {
	form, err := readForm(w, r)
	if err != nil {
		return tokenAnswer{}, err
	}
	policy, err := policyOf(form)
	if err != nil {
		return tokenAnswer{}, err
	}
	given, err := credentialsOf(r, form)
	if err != nil {
		return tokenAnswer{}, err
	}
	if err := checkRequired(policy, form, given); err != nil {
		return tokenAnswer{}, err
	}
	scope, err := parseScope(form["scope"])
	if err != nil {
		return tokenAnswer{}, err
	}
	if err := checkUserID(r.Header); err != nil {
		return tokenAnswer{}, err
	}
	client, err := s.authenticate(r.Context(), given)
	if err != nil {
		return tokenAnswer{}, err
	}
	return s.grant(r, policy, grantRequest{client: client, form: form, scope: scope, now: s.config.Clock()})
}

// grant carries out a policy and writes its answer.
func (s *Service) grant(r *http.Request, policy grantPolicy, request grantRequest) (tokenAnswer, error) {
	refreshToken := newRefreshToken()
	bearer, err := policy.exchange(r.Context(), s.config.Accounts, request, account.Grant{
		Hash: hashOf(refreshToken), ClientID: request.client.ID, Expires: request.now.Add(s.config.RefreshLifetime),
	})
	if errors.Is(err, account.ErrGrantReused) {
		s.config.Logger.WarnContext(r.Context(), "refresh token used twice; its family is revoked", "client", request.client.ID)
	}
	if err != nil {
		return tokenAnswer{}, err
	}
	accessToken, err := tokensOf(s.config).write(s.roll.now().keys, bearer, request.now)
	if err != nil {
		return tokenAnswer{}, err
	}
	return tokenAnswer{
		AccessToken:      accessToken,
		ExpiresIn:        int64(s.config.AccessLifetime.Seconds()),
		RefreshExpiresIn: int64(s.config.RefreshLifetime.Seconds()),
		RefreshToken:     refreshToken,
		TokenType:        "Bearer",
		Scope:            bearer.scope,
	}, nil
}

// form is the parameters of a token request. "Parameters sent without a value MUST be treated as if they
// were omitted" (RFC 6749 section 3.2): none is empty.
type form map[string]string

func readForm(w http.ResponseWriter, r *http.Request) (form, error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, &refusal{status: http.StatusMethodNotAllowed, code: "invalid_request", message: "tokens are asked for with POST, not " + quoted(r.Method)}
	}
	contentType := r.Header.Get("Content-Type")
	if mediaType, _, _ := mime.ParseMediaType(contentType); mediaType != formType {
		return nil, &refusal{status: http.StatusUnsupportedMediaType, code: "invalid_request", message: "the content type must be " + formType + ", not " + quoted(contentType)}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxFormBytes))
	if tooLong := new(http.MaxBytesError); errors.As(err, &tooLong) {
		return nil, &refusal{status: http.StatusRequestEntityTooLarge, code: "invalid_request", message: "the body is longer than 64 KiB"}
	} else if err != nil {
		return nil, invalidRequest("the body ended early")
	}
	return parseForm(string(body))
}

// parseForm reads a form. Its messages name parameters and never their values, which may be secrets.
func parseForm(body string) (form, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return nil, invalidRequest("the body is no well-formed %s", formType)
	}
	read := make(form, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		switch given := values[name]; {
		case len(given) > 1: // RFC 6749 section 3.2
			return nil, invalidRequest("parameter %s is given %d times", quoted(name), len(given))
		case !utf8.ValidString(name) || !utf8.ValidString(given[0]):
			return nil, invalidRequest("parameter %s is not UTF-8", quoted(name))
		case given[0] != "":
			read[name] = given[0]
		}
	}
	return read, nil
}

// checkRequired names all the fields that a grant requires and that are not there. The client's
// credentials count wherever they stood.
func checkRequired(policy grantPolicy, form form, given credentials) error {
	var absent []string
	if given.id == "" {
		absent = append(absent, "client_id")
	}
	for _, name := range policy.requires {
		if form[name] == "" && (name != "client_secret" || given.secret == "") {
			absent = append(absent, name)
		}
	}
	if absent != nil {
		return missing(absent)
	}
	return nil
}

func missing(names []string) *refusal {
	refused := invalidRequest("required and not given: %s", strings.Join(names, ", "))
	for _, name := range names {
		refused.reasons = append(refused.reasons, name+": required")
	}
	return refused
}

// checkUserID checks the Service-User-Id header (spec.md, "Full user context"). Only users of an account
// can be personalised, and no client belongs to one yet: the token is the client's own, and what is
// bound to a user is absent for it, as for every token without a user.
func checkUserID(header http.Header) error {
	values := header["Service-User-Id"]
	if len(values) > 1 {
		return invalidRequest("there must be at most one Service-User-Id header, not %d", len(values))
	}
	for _, id := range values {
		switch chars := utf8.RuneCountInString(id); {
		case !utf8.ValidString(id):
			return invalidRequest("Service-User-Id is not UTF-8")
		case chars > maxUserIDChars:
			return invalidRequest("Service-User-Id %s has %d characters; at most %d are allowed", quoted(id), chars, maxUserIDChars)
		}
	}
	return nil
}
