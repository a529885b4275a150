package deprecation

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/tally"
)

// Uses records who uses what; store.Deprecations implements it.
type Uses interface {
	AddDeprecatedUses(ctx context.Context, uses []account.DeprecatedUse) error
}

// Config is the configuration of a Register. Every field is optional.
type Config struct {
	// Roster returns the newest roster, which holds the dates that the operator has set; nil: there are none.
	Roster func() *account.Roster
	// Uses stores the uses; nil: they are not counted.
	Uses Uses
	// Every is the pause between two writes of uses; 0: three seconds.
	Every  time.Duration
	Logger *slog.Logger // nil: nothing is logged
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

// Register reports to callers which deprecated items they use, and counts these uses.
type Register struct {
	roster func() *account.Roster
	tally  *tally.Tally[useKey, account.DeprecatedUse] // nil: uses are not kept
	now    func() time.Time
}

// New makes a register. If there are Uses, Run writes to them.
func New(config Config) *Register {
	if config.Now == nil {
		config.Now = time.Now
	}
	r := &Register{roster: config.Roster, now: config.Now}
	if config.Uses != nil {
		r.tally = newTally(config)
	}
	return r
}

func (r *Register) count(item *Item, by caller) {
	if r.tally != nil {
		at := r.now().UTC().Truncate(time.Microsecond)
		r.tally.Add(useKey{item.Key, by}, account.DeprecatedUse{
			Item: item.Key, Client: by.client, Account: by.account, First: at, Last: at, Count: 1,
		})
	}
}

// Run writes the uses every few seconds until the context ends, and then a last time.
func (r *Register) Run(ctx context.Context) {
	if r.tally != nil {
		r.tally.Run(ctx)
	}
}

// maxUses is how many uses wait to be written at most: there are as many as pairs of an item and a client that call within
// a few seconds.
const maxUses = 20_000

type useKey struct {
	item string
	by   caller
}

func newTally(config Config) *tally.Tally[useKey, account.DeprecatedUse] {
	return tally.New(tally.Options[useKey, account.DeprecatedUse]{
		Name: "count uses of deprecated items", Every: cmp.Or(config.Every, 3*time.Second), Most: maxUses, Logger: config.Logger,
		Merge: func(before, added account.DeprecatedUse) account.DeprecatedUse {
			if added.First.Before(before.First) {
				before.First = added.First
			}
			if added.Last.After(before.Last) {
				before.Last = added.Last
			}
			before.Count += added.Count
			return before
		},
		Write: func(ctx context.Context, sums map[useKey]*account.DeprecatedUse) error {
			uses := make([]account.DeprecatedUse, 0, len(sums))
			for _, use := range sums {
				uses = append(uses, *use)
			}
			slices.SortFunc(uses, func(a, b account.DeprecatedUse) int {
				return cmp.Or(cmp.Compare(a.Item, b.Item), cmp.Compare(a.Client, b.Client), cmp.Compare(a.Account, b.Account))
			})
			return config.Uses.AddDeprecatedUses(ctx, uses)
		},
	})
}

// Announce adds what the call has used so far to the header of a response: Deprecation (RFC 9745) and, if a day is set for
// the caller, Sunset (RFC 8594), each the earliest of all used items, with a link to the documentation of each item. base
// returns the public address of the service. Announce is called when the response begins.
func (c *Call) Announce(header http.Header, base func() string) {
	used, by := c.uses()
	if len(used) == 0 {
		return
	}
	var since catalogue.Date
	var sunset *catalogue.Date
	linked, place := map[string]bool{}, base()
	for i, item := range used {
		if i == 0 || item.Since < since {
			since = item.Since
		}
		if !linked[item.Documentation] {
			linked[item.Documentation] = true
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

// sunsetOf returns the last day of an item for a caller, nil if none is set.
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
