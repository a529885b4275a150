package limit

import (
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/cache"
)

// Config is what Limits need. The zero value limits nothing but quotas, which it counts in this process.
type Config struct {
	// Rates of requests a minute; 0: there is no such limit.
	Rates Rates
	// Counters are shared by all processes. They may fail at any time, but must then say so soon; nil: this
	// process counts for itself.
	Counters cache.Counters
	// Usage keeps the counts of quotas; nil: this process does, until it ends.
	Usage Usage
	// Proxies are the networks whose X-Forwarded-For is believed.
	Proxies []netip.Prefix
	// MaxSubjects bounds how many clients, addresses or names of users each limit remembers, at up to 500
	// bytes each. 0: 50,000.
	MaxSubjects int
	// Clock tells the time; nil: time.Now.
	Clock func() time.Time
	// Logger takes a line when quotas cannot be written and when they can again; nil: none. No line names
	// an address or an account.
	Logger *slog.Logger
}

// Rates are in requests a minute, but for those of events. 0: there is no such limit.
type Rates struct {
	// Client bounds the API requests of each client, unless its account has a rate of its own.
	Client int64
	// Events bounds the events a minute of each client, which Client does not. A batch costs as many as it has
	// events. It does not bound callers whom DeviceEvents does.
	Events int64
	// DeviceEvents bounds the events a second of each address whose callers have no secret of a client: those
	// without a token and those with the token of an embed. A burst of 20 times as many passes. The callers of one
	// embed together get ten times both. Each user of a client without a secret gets as much as an address.
	DeviceEvents int64
	// Unauthorized bounds the requests of each address that are answered 401.
	Unauthorized int64
	// Anonymous bounds the requests of each address that bring no token, where they need none, or that of an
	// embed. It does not bound those that hand events in.
	Anonymous int64
	// Viewings bounds the pages of embeds that each address opens. Of one embed ten times as many may be opened, from
	// all addresses together.
	Viewings int64
	// Login bounds the attempts to sign in as each user of each account from one address. From all addresses
	// together loginSpread times as many may come.
	Login int64
}

// Limits bound what clients, addresses and accounts may use. They may be used concurrently.
type Limits struct {
	rates   Rates
	clock   func() time.Time
	proxies []netip.Prefix

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
	addresses    map[string]*rate // those of Address, by name
}

// New starts to count. Close ends it.
func New(config Config) *Limits {
	if config.MaxSubjects <= 0 {
		config.MaxSubjects = 50_000
	}
	if config.Clock == nil {
		config.Clock = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	l := &Limits{
		rates: config.Rates, clock: config.Clock, proxies: config.Proxies, maxSubjects: config.MaxSubjects,
		addresses: map[string]*rate{},
		sharing:   startSharing(config.Counters),
		quotas:    startQuotas(config.Usage, config.Clock, config.Logger),
	}
	l.client, l.events = l.newRate("client"), l.newEventRates()
	l.unauthorized, l.anonymous = l.newRate("address"), l.newRate("anonymous")
	l.viewings, l.viewingEmbed = l.newRate("viewings"), l.newRate("viewings-embed")
	l.login, l.loginSpread = l.newRate("login"), l.newRate("login-user")
	return l
}

func (l *Limits) newRate(name string) *rate { return newRate(name, minute, l.maxSubjects, l.sharing) }

// Close ends the counting and writes what was counted to the shared counters and the store, as far as they
// answer within seconds. Requests must have ended, and Usage must still be open.
func (l *Limits) Close() error {
	l.sharing.close()
	l.quotas.close()
	return nil
}

// Client lets a request through while its caller is within the limits. It stands behind authentication; a request
// without a caller passes. API requests of a client count for its rate, and for the quota of its account; those of
// callers who are Strangers count for their address alone. A request that hands events in costs one event, of the
// limits of Events, and Events charges the others.
func (l *Limits) Client(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := account.CallerOf(r.Context())
		if caller == nil || !counts(r) {
			next.ServeHTTP(w, r)
			return
		}
		var refused *refusal
		if takesEvents(r) {
			r, refused = l.chargeFirst(caller, r)
		} else {
			refused = l.refuse(caller, r)
		}
		if refused != nil {
			refused.write(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (l *Limits) refuse(caller *account.Caller, r *http.Request) *refusal {
	at := l.clock()
	if caller.Stranger() {
		return l.anonymous.within(subject{address: addressOf(r, l.proxies)}, at, l.rates.Anonymous, 1)
	}
	perMinute, perMonth := l.rates.Client, int64(0)
	if customer := caller.Account; customer != nil {
		perMonth = customer.RequestsPerMonth
		if customer.RequestsPerMinute > 0 {
			perMinute = customer.RequestsPerMinute
		}
	}
	refused := l.client.within(subject{text: caller.ClientID}, at, perMinute, 1)
	if refused != nil || perMonth <= 0 {
		return refused
	}
	return l.quotas.take(caller.Account.ID, at, perMonth)
}

// within counts n of a subject, unless that would be more than its limit; 0: it has none.
func (r *rate) within(of subject, at time.Time, most, n int64) *refusal {
	if most <= 0 {
		return nil
	}
	return r.refuse(r.take(of, instantOf(at), most, n), most)
}

// refuse returns nil where there is nothing to wait for.
func (r *rate) refuse(wait time.Duration, most int64) *refusal {
	if wait == 0 {
		return nil
	}
	return &refusal{limit: r.name, quota: most, window: r.window, wait: wait}
}

// Address lets requests through while their address is within a rate, in requests a minute; 0: all. It
// counts exactly, by the shared counters: it is for attempts to get in, not for the API. All handlers under
// one name, of at most 32 characters, count together. Address is called before requests come.
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
			from := subject{address: addressOf(r, l.proxies)}
			wait := of.takeExactly(r.Context(), from, instantOf(l.clock()), perMinute)
			if refused := of.refuse(wait, perMinute); refused != nil {
				refused.write(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// loginSpread is how many times the rate of one address is let through for a user from all of them: so whoever
// guesses at one address keeps the owner out of nothing, and whoever guesses at many is bounded still. It is wide
// enough to be counted nearly.
const loginSpread = 10

// Login counts an attempt to sign in as a user of an account, named as on the sign-in page, by the address that it
// comes from and by the name alone, and reports whether it may go on; if not, it has written the answer. What one
// address is refused does not count for the name. Names that no user has count just the same.
func (l *Limits) Login(w http.ResponseWriter, r *http.Request, accountID, username string) bool {
	if l.rates.Login <= 0 {
		return true
	}
	name := account.LocalUserName(accountID, username)
	at := instantOf(l.clock())
	here := subject{text: addressOf(r, l.proxies).String() + " " + name}
	refused := l.login.refuse(l.login.takeExactly(r.Context(), here, at, l.rates.Login), l.rates.Login)
	if refused == nil {
		most := l.rates.Login * loginSpread
		refused = l.loginSpread.refuse(l.loginSpread.take(subject{text: name}, at, most, 1), most)
	}
	if refused != nil {
		refused.write(w, r)
	}
	return refused == nil
}

// Viewing counts the page of an embed that a request opens, for the address that it comes from and for the embed. The
// error is a *catalogue.Error of code TooMany, whose chain sets Retry-After.
func (l *Limits) Viewing(r *http.Request, embed string) error {
	if l.rates.Viewings <= 0 {
		return nil
	}
	return errorOf(l.charge([]charge{
		{l.viewingEmbed, subject{text: embed}, l.rates.Viewings * embedSpread},
		{l.viewings, subject{address: addressOf(r, l.proxies)}, l.rates.Viewings},
	}, 1, 0))
}

// counts reports whether a request counts: questions about what a path can do, which browsers ask by
// themselves, do not. HEAD counts, as it is the same work as GET, and tries a token as well.
func counts(r *http.Request) bool { return r.Method != http.MethodOptions }

// Stats are what has been counted since New.
type Stats struct {
	// Refused are the requests that were refused, by the name of the limit.
	Refused map[string]int64
	// Alone are the exchanges with the shared counters that failed: the process then counts for itself.
	Alone int64
}

// Stats returns the counts. Every limit that there is has one.
func (l *Limits) Stats() Stats {
	s := Stats{Refused: map[string]int64{monthLimit: l.quotas.refused.Load()}, Alone: l.sharing.alone.Load()}
	for _, of := range append(l.events.all(), l.client, l.unauthorized, l.anonymous, l.viewings, l.viewingEmbed, l.login, l.loginSpread) {
		s.Refused[of.name] = of.refused.Load()
	}
	for name, of := range l.addresses {
		s.Refused[name] += of.refused.Load()
	}
	return s
}
