package embed

import (
	"context"
	"crypto/rand"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Config is what an Opener stands on. All fields are required.
type Config struct {
	Signer *Signer
	// Roster returns the newest roster.
	Roster func() *account.Roster
	// Token makes an access token in a client's name for one video alone, which ends by an instant, and says
	// when it does.
	Token func(client string, embed account.Embed, by time.Time) (token string, ends time.Time, err error)
	// Ended reports whether a user of an account is disabled or deleted.
	Ended func(ctx context.Context, account, user string) (bool, error)
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
	// Viewing is the value of ViewingParameter with which Renew gives the page its next token.
	Viewing string
}

// ViewingParameter is what the address of a page's next token has beside the parameters of the page: the viewing
// that the first token was given for, signed.
const ViewingParameter = "viewing"

// Open opens the address of a video, and begins a viewing. The error is a *catalogue.Error: Forbidden where the
// address was not signed, is over (ErrExpired in its chain), or is that of an account, a client or a user that may not
// show videos any more; NotFound where the account does not see the video now. Origins are set with an error too,
// where they are known.
func (o *Opener) Open(ctx context.Context, video string, values url.Values) (Opened, error) {
	return o.open(ctx, video, values, func(Grant) (account.Viewing, error) {
		return account.Viewing{ID: rand.Text(), Opened: o.Now()}, nil
	})
}

// Renew is Open for a page that is open already: values are the parameters of its address with ViewingParameter, and
// the viewing goes on. The error is Forbidden as well where that was not signed for this address.
func (o *Opener) Renew(ctx context.Context, video string, values url.Values) (Opened, error) {
	signed := values[ViewingParameter]
	address := maps.Clone(values)
	delete(address, ViewingParameter)
	return o.open(ctx, video, address, func(grant Grant) (account.Viewing, error) {
		if len(signed) != 1 {
			return account.Viewing{}, errNotSigned()
		}
		return o.Signer.VerifyViewing(grant, signed[0])
	})
}

func (o *Opener) open(ctx context.Context, video string, values url.Values, begin func(Grant) (account.Viewing, error)) (Opened, error) {
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
	case !caller.Permissions.Has(account.Browse) || grant.Issued.Before(roster.NotBefore),
		grant.Issued.Before(roster.Clients[grant.Client].CreatedAt.Truncate(time.Second)): // another client that was given the same ID
		return opened, errEnded()
	case len(opened.Origins) == 0:
		return opened, &fault.Error{
			Code: fault.Forbidden, Label: "No allowed origin",
			Message: "the account allows no origin of this address (allowedOrigins)",
		}
	}
	viewing, err := begin(grant)
	if err != nil {
		return opened, err
	}
	if err := o.checkUser(ctx, grant.User, caller.Account); err != nil {
		return opened, err
	}
	if opened.Found, err = o.Find(ctx, grant.Video, caller.Access, today); err != nil {
		return opened, err
	}
	opened.Viewing = o.Signer.SignViewing(grant, viewing)
	token, ends, err := o.Token(grant.Client, account.Embed{
		Video: opened.ID, Address: grant.Fingerprint(), User: grant.User, Viewing: viewing,
	}, grant.Expires)
	opened.Token, opened.Life = token, ends.Sub(now)
	return opened, err
}

// checkUser refuses the address of a user who has ended, unless the account has taken it over.
func (o *Opener) checkUser(ctx context.Context, user string, of *account.Account) error {
	if user == "" || of.KeepsEmbedsOf(user) {
		return nil
	}
	switch ended, err := o.Ended(ctx, of.ID, user); {
	case err != nil:
		return err
	case ended:
		return errEnded()
	}
	return nil
}

func errEnded() error {
	return &fault.Error{
		Code: fault.Forbidden, Label: "Access ended",
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
