package limit

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
)

// Config configures Limits. The zero value limits only quotas, which it counts in this process.
type Config struct {
	// Rates are the limits on rates; 0 means no limit.
	Rates Rates
	// Counters are shared by all processes. They may fail at any time, but must then fail fast. With nil, this process
	// counts alone.
	Counters cache.Counters
	// Usage keeps the counts of quotas. With nil, this process keeps them until it ends.
	Usage Usage
	// Proxies are the networks whose X-Forwarded-For is trusted.
	Proxies []netip.Prefix
	// MaxSubjects is how many clients, addresses or user names each limit remembers, at up to 500 bytes each. 0 means
	// 50,000.
	MaxSubjects int
	// Clock returns the current time; nil means time.Now.
	Clock func() time.Time
	// Refused is called for each request that a limit on attempts to authenticate refuses: that of Guard, and those of
	// Address whose name is in attempts. nil means that nothing is called.
	Refused func(r *http.Request)
	// Logger logs when quotas cannot be written and when they can again; nil means no log. No line contains an address
	// or an account.
	Logger *slog.Logger
}

// Rates are in requests per minute, except those of events. 0 means no limit.
type Rates struct {
	// Client limits the API requests of each client, unless its account has a rate of its own.
	Client int64
	// Events limits the events per minute of each client, which Client does not. A batch counts as many as it has
	// events. Callers that DeviceEvents limits are exempt.
	Events int64
	// DeviceEvents limits the events per second of each address whose callers have no client secret: those without a
	// token and those with the token of an embed. It allows a burst of 20 times as many. The callers of one embed
	// together get ten times both. Each user of a client without a secret gets as much as an address.
	DeviceEvents int64
	// Unauthorized limits the requests of each address that get status 401.
	Unauthorized int64
	// Anonymous limits the requests of each address without a token where none is required, or with the token of an
	// embed. Requests that report events are exempt.
	Anonymous int64
	// Viewings limits the embed pages that each address opens. All addresses together may open one embed ten times as
	// often.
	Viewings int64
	// Login limits the attempts to sign in as one user of one account from one address. All addresses together may
	// attempt loginSpread times as often.
	Login int64
}

// Limits limit what clients, addresses and accounts may use. They are safe for concurrent use.
type Limits struct {
	rates   Rates
	clock   func() time.Time
	proxies []netip.Prefix

	refused      func(*http.Request)
	maxSubjects  int
	sharing      *sharing
	quotas       *quotas
	client       *rate
	events       eventRates
	unauthorized *rate
	anonymous    *rate
	viewings     *rate
	viewingEmbed *rate
	login        *rate
	loginSpread  *rate
	codes        *rate
	addresses    map[string]*rate // by the name given to Address
}

// New starts counting. The caller must call Close.
func New(config Config) *Limits {
	if config.MaxSubjects <= 0 {
		config.MaxSubjects = 50_000
	}
	if config.Clock == nil {
		config.Clock = time.Now
	}
	if config.Refused == nil {
		config.Refused = func(*http.Request) {}
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Limits{
		refused: config.Refused,
		rates:   config.Rates, clock: config.Clock, proxies: config.Proxies, maxSubjects: config.MaxSubjects,
		addresses: map[string]*rate{},
		sharing:   startSharing(config.Counters),
		quotas:    startQuotas(config.Usage, config.Clock, config.Logger),
	}
	l.client, l.events = l.newRate("client"), l.newEventRates()
	l.unauthorized, l.anonymous = l.newRate("address"), l.newRate("anonymous")
	l.viewings, l.viewingEmbed = l.newRate("viewings"), l.newRate("viewings-embed")
	l.login, l.loginSpread, l.codes = l.newRate("login"), l.newRate("login-user"), l.newRate("login-code")
	return l
}

func (l *Limits) newRate(name string) *rate { return newRate(name, minute, l.maxSubjects, l.sharing) }

// Close stops counting and writes the remaining counts to the shared counters and the store, if they respond within
// seconds. Requests must have ended, and Usage must still be open.
func (l *Limits) Close() error {
	l.sharing.close()
	l.quotas.close()
	return nil
}

// Client lets a request pass while its caller is within the limits. It runs after authentication; a request without a
// caller passes. API requests count for the client's rate and the account's quota; those of strangers
// (account.Caller.Stranger) count for their address only. A request that reports events counts as one event for the
// limits of Events, and Events charges the others.
func (l *Limits) Client(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := account.CallerOf(r.Context())
		if caller == nil || !counts(r) {
			next.ServeHTTP(w, r)
			return
		}
		var rejected *rejection
		if takesEvents(r) {
			r, rejected = l.chargeFirst(caller, r)
		} else {
			rejected = l.reject(caller, r)
		}
		if rejected != nil {
			rejected.write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (l *Limits) reject(caller *account.Caller, r *http.Request) *rejection {
	at := l.clock()
	if caller.Stranger() {
		return l.anonymous.within(subject{address: l.AddressOf(r)}, at, l.rates.Anonymous, 1)
	}
	perMinute, perMonth := l.rates.Client, int64(0)
	if customer := caller.Account; customer != nil {
		perMonth = customer.RequestsPerMonth
		if customer.RequestsPerMinute > 0 {
			perMinute = customer.RequestsPerMinute
		}
	}
	rejected := l.client.within(subject{text: caller.ClientID}, at, perMinute, 1)
	if rejected != nil || perMonth <= 0 {
		return rejected
	}
	return l.quotas.take(caller.Account.ID, at, perMonth)
}

// within counts n requests of a subject, unless that exceeds the limit. most is 0 if there is no limit.
func (r *rate) within(of subject, at time.Time, most, n int64) *rejection {
	if most <= 0 {
		return nil
	}
	return r.reject(r.take(of, instantOf(at), most, n), most)
}

// reject counts and returns a rejection, or returns nil if wait is 0.
func (r *rate) reject(wait time.Duration, most int64) *rejection {
	if wait <= 0 {
		return nil
	}
	r.refused.Add(1)
	return &rejection{limit: r.name, quota: most, window: r.window, wait: wait}
}

// attempts are the names of limits on attempts to authenticate.
var attempts = map[string]bool{"token": true, "login-address": true}

// Address lets requests pass while their address is within a rate, in requests per minute; 0 means no limit. It counts
// exactly, by the shared counters, so it suits attempts to sign in rather than the API. All handlers with the same
// name, of at most 32 characters, count together. Call Address before requests arrive.
func (l *Limits) Address(name string, perMinute int64, next http.Handler) http.Handler {
	if perMinute <= 0 {
		return next
	}
	if l.addresses[name] == nil {
		l.addresses[name] = l.newRate(name)
	}
	of := l.addresses[name]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if counts(r) {
			from := subject{address: l.AddressOf(r)}
			wait := of.takeExactly(r.Context(), from, instantOf(l.clock()), perMinute)
			if rejected := of.reject(wait, perMinute); rejected != nil {
				if attempts[name] {
					l.refused(r)
				}
				rejected.write(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// loginSpread is how many times the rate of one address all addresses together may attempt to sign in as a user.
// Guesses from one address therefore never lock the user out elsewhere, and guesses from many addresses are still
// limited. The limit is wide, so it need not be counted exactly.
const loginSpread = 10

// Login counts an attempt to sign in as a user of an account, named as on the sign-in page, by address and by name, and
// reports whether it may proceed; if not, it has written the response. An attempt that the address's limit refuses does
// not count for the name. Names of nonexistent users count as well.
func (l *Limits) Login(w http.ResponseWriter, r *http.Request, accountID, username string) bool {
	if l.rates.Login <= 0 {
		return true
	}
	name := account.LocalUserName(accountID, username)
	at := instantOf(l.clock())
	here := subject{text: l.AddressOf(r).String() + " " + name}
	rejected := l.login.reject(l.login.takeExactly(r.Context(), here, at, l.rates.Login), l.rates.Login)
	if rejected == nil {
		most := l.rates.Login * loginSpread
		rejected = l.loginSpread.reject(l.loginSpread.take(subject{text: name}, at, most, 1), most)
	}
	if rejected != nil {
		rejected.write(w, r)
	}
	return rejected == nil
}

// Codes counts an attempt to enter a code of a user's second factor. All addresses together have the rate of Login, because
// only who knows the password, or has a token of the user, can use it up. The error is a *fault.Error with code TooMany
// whose chain sets Retry-After.
func (l *Limits) Codes(ctx context.Context, user string) error {
	if l.rates.Login <= 0 {
		return nil
	}
	wait := l.codes.takeExactly(ctx, subject{text: user}, instantOf(l.clock()), l.rates.Login)
	return errorOf(l.codes.reject(wait, l.rates.Login))
}

// Viewing counts the opening of an embed page for the request's address and for the embed. The error is a *fault.Error
// with code TooMany whose chain sets Retry-After.
func (l *Limits) Viewing(r *http.Request, embed string) error {
	if l.rates.Viewings <= 0 {
		return nil
	}
	return errorOf(l.charge([]charge{
		{l.viewingEmbed, subject{text: embed}, l.rates.Viewings * embedSpread},
		{l.viewings, subject{address: l.AddressOf(r)}, l.rates.Viewings},
	}, 1, 0))
}

// counts reports whether a request counts. OPTIONS requests do not, because browsers send them on their own. HEAD
// counts: it causes the same work as GET, and tries a token as well.
func counts(r *http.Request) bool { return r.Method != http.MethodOptions }

// Stats are the counts since New.
type Stats struct {
	// Refused is the number of refused requests by name of the limit.
	Refused map[string]int64
	// Alone is the number of failed exchanges with the shared counters, after which the process counts alone.
	Alone int64
}

// Stats returns the counts of every limit.
func (l *Limits) Stats() Stats {
	s := Stats{Refused: map[string]int64{monthLimit: l.quotas.refused.Load()}, Alone: l.sharing.alone.Load()}
	for _, of := range append(l.events.all(), l.client, l.unauthorized, l.anonymous, l.viewings, l.viewingEmbed, l.login, l.loginSpread, l.codes) {
		s.Refused[of.name] = of.refused.Load()
	}
	for name, of := range l.addresses {
		s.Refused[name] += of.refused.Load()
	}
	return s
}
