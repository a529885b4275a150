package deprecation

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Uses is the system of record for who uses what; store.Deprecations is one.
type Uses interface {
	AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error
}

// Config is what a Register stands on. Everything may be absent.
type Config struct {
	// Roster returns the newest roster, which holds what the operator has decided; nil: nothing is decided.
	Roster func() *account.Roster
	// Uses is where uses are kept; nil: nobody keeps them.
	Uses Uses
	// Every is the pause between two writes of them; 0: three seconds.
	Every  time.Duration
	Logger *slog.Logger // nil: nothing is logged
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Register tells callers what they use that is deprecated, and counts it.
type Register struct {
	roster func() *account.Roster
	tally  *tally
	now    func() time.Time
}

// New makes a register. Where uses are kept, Run writes them.
func New(config Config) *Register {
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	r := &Register{roster: config.Roster, now: config.Now}
	if config.Uses != nil {
		r.tally = newTally(config)
	}
	return r
}

func (r *Register) count(item *Item, by caller) {
	if r.tally != nil {
		r.tally.add(item, by, r.now())
	}
}

// Run writes what is counted every few seconds, until the context ends, and then once more, for a second at
// the most. What cannot be written is tried again, as far as there is room for it.
func (r *Register) Run(ctx context.Context) {
	if r.tally != nil {
		r.tally.run(ctx)
	}
}

// Announce adds to the header of an answer what the call has used so far: Deprecation (RFC 9745) and, where a
// day is set for the caller, Sunset (RFC 8594), each the earliest of all that was used, with a link to the
// documentation of each. base is the service's public address. A header cannot be taken back, so it is for
// when the answer begins.
func (c *Call) Announce(header http.Header, base func() string) {
	used, by := c.uses()
	if len(used) == 0 {
		return
	}
	var since catalogue.Date
	var sunset *catalogue.Date
	told, place := map[string]bool{}, base()
	for i, item := range used {
		if i == 0 || item.Since < since {
			since = item.Since
		}
		if !told[item.Documentation] {
			told[item.Documentation] = true
			header.Add("Link", "<"+place+item.Documentation+`>; rel="deprecation"; type="text/html"`)
		}
		if day := c.Register.sunsetOf(item, by); day != nil && (sunset == nil || *day < *sunset) {
			sunset = day
		}
	}
	header.Set("Deprecation", "@"+strconv.FormatInt(since.Start().Unix(), 10))
	if sunset != nil {
		header.Set("Sunset", sunset.Start().Format(http.TimeFormat))
		header.Add("Link", "<"+place+PolicyPage+`>; rel="sunset"; type="text/html"`)
	}
}

// sunsetOf is the day that counts for a caller; nil: none is set.
func (r *Register) sunsetOf(item *Item, by caller) *catalogue.Date {
	if r == nil || r.roster == nil {
		return nil
	}
	decided := r.roster().Deprecations[item.Key]
	if decided == nil {
		return nil
	}
	day, _ := decided.SunsetFor(by.client)
	return &day
}
