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

// ErrNoToken is in the chain of the error of Authenticate where the request brought no bearer token at
// all, so that a door that is open to anyone can tell this from a token that is refused.
var ErrNoToken = errors.New("no bearer token")

// Verifier turns bearer tokens into callers.
//
// A token's signature is verified once and then remembered until it expires or is pushed out by others.
// Everything that can change (client, rights, keys, revocations) is looked up in the roster on each
// request all the same. Tokens are remembered as they are: a sum of each would cost more than the rest of
// the look-up, and would hide nothing from whoever can read this memory, because the signing keys lie in
// it too.
type Verifier struct {
	tokens     accessTokens
	rosters    *rosterStore
	clock      func() time.Time
	remembered *otter.Cache[string, *remembered]
}

// remembered is a verified token, with its caller as of one edition of the roster and one day. It knows
// the edition and not the roster, so that idle tokens keep no old rosters in memory.
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
		remembered: otter.Must(&otter.Options[string, *remembered]{MaximumSize: config.Remembered}),
	}
}

// Authenticate returns who sent a request, from the bearer token in its Authorization header (RFC 6750
// section 2.1; tokens in the query or the body do not count). The caller is shared by requests and must
// not be changed.
//
// The error is a *catalogue.Error: Unauthenticated where there is no token (ErrNoToken is in its chain)
// or it is refused (malformed, wrongly signed, expired, revoked, from elsewhere, of a client that is
// disabled or gone or whose account is suspended), Invalid where there are several Authorization headers,
// Unavailable where only the store could tell and does not answer. Refuse writes it.
//
// A token that is good for one video alone is Forbidden: who asks here answers everything.
func (v *Verifier) Authenticate(r *http.Request) (*account.Caller, error) {
	caller, err := v.authenticate(r)
	if err == nil && caller.Video != "" {
		return nil, fault.Errorf(fault.Forbidden, "the bearer token is good for one video alone")
	}
	return caller, err
}

// authenticate is Authenticate for whoever looks at Caller.Video.
func (v *Verifier) authenticate(r *http.Request) (*account.Caller, error) {
	token, err := bearerToken(r)
	if err != nil {
		return nil, err
	}
	_, caller, err := v.identify(r.Context(), token)
	return caller, err
}

// identify returns what a token says and whom it stands for now.
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
		return nil, nil, tokenRefused(errExpired)
	}
	caller, err := v.caller(ctx, known, now)
	return &known.verified, caller, err
}

// Knows reports whether the bearer token of a request was verified before and has not expired since. Whether it still
// counts is for Authenticate to say.
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

// verify reads a token that is not remembered. A key that is not known may be newer than the roster.
func (v *Verifier) verify(ctx context.Context, token string, now time.Time) (verified, error) {
	checked, err := v.tokens.read(v.rosters.now().records.keys, token, now)
	if errors.Is(err, errKeyUnknown) {
		if err := v.rosters.refresh(ctx); err != nil {
			return verified{}, unavailable(err)
		}
		checked, err = v.tokens.read(v.rosters.now().records.keys, token, now)
	}
	if err != nil {
		return verified{}, tokenRefused(err)
	}
	return checked, nil
}

// caller returns the bearer of a token as the newest roster describes it.
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
		return nil, tokenRefused(errRevoked)
	}
	return &at.caller, nil
}

// look makes the caller of a token anew, and returns the roster that it comes from.
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
		return nil, nil, tokenRefused(errNoClient) // there is none, or another by now that was given the same ID
	}
	if _, valid := current.records.keys.access.public[token.keyID]; !valid {
		return nil, nil, tokenRefused(errKeyUnknown)
	}
	caller.User, caller.ExternalUser, caller.Scope = token.user, token.externalUser, token.scope
	caller.TokenID, caller.Family, caller.Session = token.id, token.family, token.session
	if token.embed != nil {
		caller.Confine(token.embed)
	}
	return current, &callerAt{edition: current.edition, day: today, caller: *caller}, nil
}

// Require lets requests with a valid bearer token through to next, their caller in the context
// (account.CallerOf), and refuses all others. A Service-User-Id that is too long or comes several times is
// refused with whatever token. A valid one is the caller's ExternalUser for this request, unless the account
// ignores the header or the token is an embed's. The handlers behind it check Caller.Video.
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
			labelled := *caller
			labelled.ExternalUser = externalUser
			caller = &labelled
		}
		next.ServeHTTP(w, r.WithContext(account.WithCaller(r.Context(), caller)))
	})
}

// Refuse answers with an error of Authenticate: the error body and the challenge of RFC 6750 section 3.
func Refuse(w http.ResponseWriter, r *http.Request, err error) {
	if challenge := challengeOf(err); challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	httperror.WriteError(w, r, err)
}

// realm begins every challenge.
const realm = `Bearer realm="filmstrip"`

// challengeOf writes the challenge for an error of Authenticate; "": none is due. Its texts are those of
// this file and hold nothing that a quoted string would have to escape.
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

func tokenRefused(reason error) error {
	return &fault.Error{Code: fault.Unauthenticated, Message: "the bearer token is refused: " + reason.Error(), Cause: reason}
}

// isRefused reports whether an error says that a token does not count.
func isRefused(err error) bool { return fault.CodeOf(err) == fault.Unauthenticated }

// undecided is for tokens and secrets that are not known here while the store, which might know them,
// does not answer.
func unavailable(cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: "who calls cannot be checked at the moment", Cause: cause}
}
