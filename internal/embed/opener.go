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

// Config configures an Opener. All fields are required.
type Config struct {
	Signer *Signer
	// Roster returns the newest roster.
	Roster func() *account.Roster
	// Token issues an access token to a client for one video. The token expires at by at the latest; ends is its
	// expiry.
	Token func(client string, embed account.Embed, by time.Time) (token string, ends time.Time, err error)
	// Ended reports whether a user of an account is disabled or deleted.
	Ended func(ctx context.Context, account, user string) (bool, error)
	// Find returns a video, or its replacement if it is retired, with its title. The error has code NotFound if the
	// access does not allow a video on that day.
	Find func(ctx context.Context, video catalogue.ID, access catalogue.Access, today catalogue.Date) (Found, error)
	// Now returns the current time.
	Now func() time.Time
}

// Opener opens embed URLs. It is safe for concurrent use.
type Opener struct{ Config }

// NewOpener returns an Opener.
func NewOpener(config Config) *Opener { return &Opener{config} }

// Found is the video to show.
type Found struct {
	ID    catalogue.ID
	Title string
}

// Opened is the result of opening a valid URL.
type Opened struct {
	Grant
	Found
	// Origins are the origins that may show it now, at least one.
	Origins []string
	// Token allows reading the video and reporting its playback. It is valid for Life from now.
	Token string
	Life  time.Duration
	// Viewing is the value of ViewingParameter with which Renew returns the page's next token.
	Viewing string
}

// ViewingParameter is the parameter of Renew that is not part of the embed URL: the signed viewing of the page.
const ViewingParameter = "viewing"

// Open opens the embed URL of a video and starts a viewing. The error is a *fault.Error: Forbidden if the URL was not
// signed, has expired (ErrExpired is in its chain), or if its account, client or user may no longer show videos;
// NotFound if the account may not see the video. Origins are set even if there is an error, if they are known.
func (o *Opener) Open(ctx context.Context, video string, values url.Values) (Opened, error) {
	return o.open(ctx, video, values, func(Grant) (account.Viewing, error) {
		return account.Viewing{ID: rand.Text(), Opened: o.Now()}, nil
	})
}

// Renew is Open for a page that is already open. values are the parameters of the embed URL and ViewingParameter, and
// the viewing continues. The error is also Forbidden if ViewingParameter was not signed for this URL.
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

// checkUser rejects the URL of a disabled or deleted user, unless the account keeps the user's embeds.
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
		Message: "the creator of this address may no longer show videos",
	}
}

// shown returns the account's origins that a grant names, or all if it names none. It omits origins that would be
// more than one word of a Content-Security-Policy.
func shown(allowed, named []string) []string {
	return slices.DeleteFunc(slices.Clone(allowed), func(origin string) bool {
		return len(named) > 0 && !slices.Contains(named, origin) || strings.ContainsAny(origin, " ;,'\"\\\t\r\n")
	})
}
