package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

// ErrNoToken is in the chain of Authenticate's error if the request has no bearer token. It lets endpoints that allow
// anonymous callers distinguish a missing token from an invalid one.
var ErrNoToken = errors.New("no bearer token")

// Verifier turns bearer tokens into callers.
//
// It verifies the signature of a token once and remembers the token until it expires or is evicted. Everything that
// can change (client, permissions, keys, revocations) is looked up in the roster on each request. Tokens are remembered
// in clear text: hashing them would cost more than the rest of the lookup and protect nothing, because the signing keys
// are in the same memory.
type Verifier struct {
	tokens  accessTokens
	rosters *rosterStore
	clock   func() time.Time
	refused func(r *http.Request, reason, client string)
	// It is an interface because each package that imports a struct with a generic field compiles the field's methods again.
	remembered interface {
		GetIfPresent(token string) (*remembered, bool)
		Set(token string, known *remembered) (*remembered, bool)
		Invalidate(token string) (*remembered, bool)
	}
}

// remembered is a verified token with its caller as of one roster edition and day. It holds the edition number
// instead of the roster, so that idle tokens do not keep old rosters in memory.
type remembered struct {
	verified
	caller atomic.Pointer[callerAt]
}

type callerAt struct {
	edition int64
	day     catalogue.Date
	caller  account.Caller
}

func newVerifier(config Config, rosters *rosterStore) *Verifier {
	return &Verifier{
		tokens:     tokensOf(config),
		rosters:    rosters,
		clock:      config.Clock,
		refused:    config.Refused,
		remembered: otter.Must(&otter.Options[string, *remembered]{MaximumSize: config.Remembered}),
	}
}

// Authenticate returns the caller identified by the bearer token in the Authorization header (RFC 6750 section 2.1);
// tokens in the query or body are ignored. The caller is shared between requests and must not be modified.
//
// The error is a *fault.Error with one of these codes; Refuse writes it:
//   - Unauthenticated if there is no token (ErrNoToken is in its chain), or if the token is malformed, expired, revoked,
//     signed with a wrong key or issued elsewhere, or if its client is disabled or deleted or its account suspended;
//   - Invalid if there are several Authorization headers;
//   - Unavailable if the store is needed and does not respond;
//   - Forbidden if the token is limited to one video.
func (v *Verifier) Authenticate(r *http.Request) (*account.Caller, error) {
	caller, err := v.authenticate(r)
	if err == nil {
		err = unconfined(caller)
	}
	if err != nil {
		return nil, err
	}
	return caller, nil
}

// unconfined returns an error if the token of a caller is limited to one video.
func unconfined(caller *account.Caller) error {
	if caller.Video != "" {
		return fault.Errorf(fault.Forbidden, "the bearer token is valid for one video only")
	}
	return nil
}

// authenticate is Authenticate for callers that check Caller.Video themselves.
func (v *Verifier) authenticate(r *http.Request) (*account.Caller, error) {
	token, err := bearerToken(r)
	if err != nil {
		return nil, err
	}
	_, caller, err := v.identify(r.Context(), token)
	if err != nil {
		v.report(r, err)
	}
	return caller, err
}

// identify returns the content of a token and its caller.
func (v *Verifier) identify(ctx context.Context, token string) (*verified, *account.Caller, error) {
	now := v.clock()
	known, ok := v.remembered.GetIfPresent(token)
	switch {
	case !ok:
		checked, err := v.verify(ctx, token, now)
		if err != nil {
			return nil, nil, err
		}
		known = &remembered{verified: checked}
		v.remembered.Set(strings.Clone(token), known) // not the whole header that it is part of
	case !now.Before(known.ends):
		v.remembered.Invalidate(token)
		return nil, nil, tokenRefused(errExpired, known.clientID)
	}
	caller, err := v.caller(ctx, known, now)
	return &known.verified, caller, err
}

// Knows reports whether the bearer token of a request has been verified before and has not expired. It does not check
// whether the token is still accepted; see Authenticate.
func (v *Verifier) Knows(r *http.Request) bool {
	token, err := bearerToken(r)
	if err != nil {
		return false
	}
	known, ok := v.remembered.GetIfPresent(token)
	return ok && v.clock().Before(known.ends)
}

func bearerToken(r *http.Request) (string, error) {
	values := r.Header["Authorization"]
	switch len(values) {
	case 0:
		return "", noToken()
	case 1:
	default:
		return "", fault.InvalidRequest("there must be one Authorization header, not %d", len(values))
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", noToken()
	}
	return strings.Trim(token, " "), nil
}

// verify verifies a token that is not remembered. If the key is unknown, it may be newer than the roster, so the
// roster is refreshed.
func (v *Verifier) verify(ctx context.Context, token string, now time.Time) (verified, error) {
	checked, err := v.tokens.read(v.rosters.now().records.keys, token, now)
	if errors.Is(err, errKeyUnknown) {
		if err := v.rosters.refresh(ctx); err != nil {
			return verified{}, unavailable(err)
		}
		checked, err = v.tokens.read(v.rosters.now().records.keys, token, now)
	}
	if err != nil {
		return verified{}, tokenRefused(err, checked.clientID)
	}
	return checked, nil
}

// caller returns the caller of a token according to the newest roster.
func (v *Verifier) caller(ctx context.Context, token *remembered, now time.Time) (*account.Caller, error) {
	current, today := v.rosters.now(), catalogue.DateOf(now)
	at := token.caller.Load()
	if at == nil || at.edition != current.edition || at.day != today {
		var err error
		if current, at, err = v.resolveCaller(ctx, &token.verified, today); err != nil {
			return nil, err
		}
		token.caller.Store(at)
	}
	if current.revoked.revokes(&token.verified, at.caller.Account, now) || token.issued.Before(current.records.NotBefore) {
		return nil, tokenRefused(errRevoked, token.clientID)
	}
	return &at.caller, nil
}

// resolveCaller determines the caller of a token, and returns the roster it used.
func (v *Verifier) resolveCaller(ctx context.Context, token *verified, today catalogue.Date) (*roster, *callerAt, error) {
	current := v.rosters.now()
	caller := current.records.Caller(token.clientID, today)
	if caller == nil { // the client may be newer than the roster
		if err := v.rosters.refresh(ctx); err != nil {
			return nil, nil, unavailable(err)
		}
		current = v.rosters.now()
		caller = current.records.Caller(token.clientID, today)
	}
	if caller == nil || token.issued.Before(current.records.Clients[token.clientID].CreatedAt.Add(-nbfLeeway)) {
		return nil, nil, tokenRefused(errNoClient, token.clientID) // there is none, or another by now that was given the same ID
	}
	if _, valid := current.records.keys.access.public[token.keyID]; !valid {
		return nil, nil, tokenRefused(errKeyUnknown, token.clientID)
	}
	current.records.SignIn(caller, token.user, token.session != "")
	caller.User, caller.ExternalUser, caller.Scope = token.user, token.externalUser, token.scope
	caller.TokenID, caller.Family, caller.Session = token.id, token.family, token.session
	if token.embed != nil {
		caller.Confine(token.embed)
	}
	return current, &callerAt{edition: current.edition, day: today, caller: *caller}, nil
}

// Require passes requests with a valid bearer token to next, with the caller in the context (account.CallerOf), and
// rejects all others. It also rejects requests whose Service-User-Id is too long or sent several times. A valid
// Service-User-Id becomes the caller's ExternalUser for this request, unless the account ignores the header or the
// token is that of an embed. The handlers behind it must check Caller.Video.
func (v *Verifier) Require(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		externalUser, problem := account.ServiceUserID(r.Header[account.ServiceUserIDHeader])
		if problem != "" {
			httperror.WriteError(w, r, fault.InvalidRequest("%s", problem))
			return
		}
		caller, err := v.authenticate(r)
		if err != nil {
			Refuse(w, r, err)
			return
		}
		if externalUser != "" && !caller.Account.IgnoresServiceUserID && caller.Video == "" {
			labeled := *caller
			labeled.ExternalUser = externalUser
			caller = &labeled
		}
		next.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	})
}

// Refuse writes an error of Authenticate with the error body and the challenge of RFC 6750 section 3.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	if challenge := challengeOf(err); challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	httperror.WriteError(w, r, err)
}

// realm is the start of every challenge.
const realm = `Bearer realm="filmstrip"`

// challengeOf returns the challenge for an error of Authenticate, or "" if none is required. The messages are those
// of this file and contain no characters that must be escaped.
func challengeOf(err error) string {
	var e *fault.Error
	switch {
	case !errors.As(err, &e):
		return ""
	case errors.Is(err, ErrNoToken): // RFC 6750 section 3.1: no error code where no token was tried
		return realm
	case e.Code == fault.Unauthenticated:
		return realm + `, error="invalid_token", error_description="` + e.Message + `"`
	case e.Code == fault.Invalid:
		return realm + `, error="invalid_request", error_description="` + e.Message + `"`
	}
	return ""
}

func noToken() error {
	return &fault.Error{Code: fault.Unauthenticated, Message: "a bearer token is required", Cause: ErrNoToken}
}

func tokenRefused(reason error, client string) error {
	return &fault.Error{Code: fault.Unauthenticated, Message: "the bearer token is refused: " + reason.Error(), Cause: &refusedToken{reason, client}}
}

// isRefused reports whether an error means that a token is not accepted.
func isRefused(err error) bool { return fault.CodeOf(err) == fault.Unauthenticated }

// unavailable is the error for tokens and secrets that are unknown here while the store, which may know them, does
// not respond.
func unavailable(cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: "the caller cannot be verified at the moment", Cause: cause}
}
