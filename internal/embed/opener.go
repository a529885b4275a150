package embed

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Config is what an Opener stands on. All fields are required.
type Config struct {
	Signer *Signer
	// Roster returns the newest roster.
	Roster func() *account.Roster
	// Token makes an access token in a client's name for one video alone, which ends by an instant, and says
	// when it does.
	Token func(client string, video catalogue.ID, by time.Time) (token string, ends time.Time, err error)
	// Find finds a video, or the one that it was retired into, with its title; an error of code NotFound where there
	// is none that the access lets through that day.
	Find func(ctx context.Context, video catalogue.ID, access catalogue.Access, today catalogue.Date) (Found, error)
	// Now is the clock.
	Now func() time.Time
}

// Opener opens addresses. Its methods may be called concurrently.
type Opener struct{ Config }

// NewOpener makes an Opener.
func NewOpener(config Config) *Opener { return &Opener{config} }

// Found is the video that an address shows.
type Found struct {
	ID    catalogue.ID
	Title string
}

// Opened is an address that holds.
type Opened struct {
	Grant
	Found
	// Origins are those whose pages may show it now: at least one.
	Origins []string
	// Token reads the video that was found and tells what was played of it, for Life from now on.
	Token string
	Life  time.Duration
}

// Open opens the address of a video. The error is a *catalogue.Error: Forbidden where the address was not signed, is
// over (ErrExpired in its chain), or is that of an account that may not be shown any more; NotFound where the
// account does not see the video now. Origins are set with an error too, where they are known.
func (o *Opener) Open(ctx context.Context, video string, values url.Values) (Opened, error) {
	now := o.Now()
	grant, err := o.Signer.Verify(catalogue.ID(video), values, now)
	opened := Opened{Grant: grant}
	if grant.Client == "" {
		return opened, err
	}
	roster := o.Roster()
	today := catalogue.DateOf(now)
	caller := roster.Caller(grant.Client, today)
	if caller == nil {
		return opened, errEnded()
	}
	opened.Origins = shown(caller.Account.AllowedOrigins, grant.Origins)
	switch {
	case err != nil:
		return opened, err
	case !caller.Rights.Has(account.Browse) || grant.Issued.Before(roster.NotBefore):
		return opened, errEnded()
	case len(opened.Origins) == 0:
		return opened, &catalogue.Error{
			Code: catalogue.Forbidden, Label: "No allowed origin",
			Message: "the account allows no origin of this address (allowedOrigins)",
		}
	}
	if opened.Found, err = o.Find(ctx, grant.Video, caller.Access, today); err != nil {
		return opened, err
	}
	token, ends, err := o.Token(grant.Client, opened.ID, grant.Expires)
	opened.Token, opened.Life = token, ends.Sub(now)
	return opened, err
}

func errEnded() error {
	return &catalogue.Error{
		Code: catalogue.Forbidden, Label: "Access ended",
		Message: "whoever made this address may not show videos any more",
	}
}

// shown are the account's origins that a grant names, all where it names none. Those that would be more than one
// word of a policy are none.
func shown(allowed, named []string) []string {
	return slices.DeleteFunc(slices.Clone(allowed), func(origin string) bool {
		return len(named) > 0 && !slices.Contains(named, origin) || strings.ContainsAny(origin, " ;,'\"\\\t\r\n")
	})
}
