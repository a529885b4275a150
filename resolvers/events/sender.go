package events

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
)

// sender is what a request says about its events beyond their bodies.
type sender struct {
	account, client, user string
	// externalUser is the pseudonym of the user that token or request name; the body of an event may name another.
	externalUser string
	// named is the same user by name, even if externalUser is a pseudonym.
	named         string
	circumstances event.Circumstances
	sandbox       bool
	// anonymous: nothing about a user is stored.
	anonymous bool
	// stranger: nobody vouches for the user that the body names, so it is not stored.
	stranger bool
	// pseudonym returns what is stored for a user that a body names.
	pseudonym func(user string) string
	// keysOf is the owner of the idempotency keys.
	keysOf string
}

func (r *Resolver) sender(ctx context.Context, caller *account.Caller, anonymous bool) sender {
	from := sender{
		client: caller.ClientID, user: caller.User, circumstances: event.CircumstancesOf(ctx), anonymous: anonymous, stranger: caller.Stranger(),
		keysOf: caller.ClientID,
	}
	if caller.Account != nil {
		from.account, from.sandbox = caller.Account.ID, caller.Account.Environment == account.Sandbox
	}
	from.pseudonym = func(user string) string { return event.Pseudonym(r.PersonKey, from.account, user) }
	from.named, from.externalUser = caller.ExternalUser, from.pseudonym(caller.ExternalUser)
	switch {
	case caller.Anonymous():
		from.keysOf = r.strangerAt(from.circumstances.Address)
	case caller.Embed != nil: // whose visitors could otherwise use up the keys of the client's own events
		from.keysOf = r.strangerAt("embed " + caller.Embed.Address)
	}
	return from
}

// strangerAt returns the owner of the idempotency keys of callers at an address or embed. It is not the ID of any client.
// Without the key, the address could be found by trying all of them.
func (r *Resolver) strangerAt(address string) string {
	mac := hmac.New(sha256.New, r.AddressKey)
	mac.Write([]byte("stranger " + address))
	return "@" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}

// sign sets the fields of an event that the sender determines.
func (s *sender) sign(e *event.Event) {
	e.ID = event.NewID(e.Received)
	e.Account, e.Client, e.Sandbox = s.account, s.client, s.sandbox
	e.Trace, e.Referer = s.circumstances.Trace, s.circumstances.Referer
	if s.anonymous {
		e.ExternalUser = ""
		return
	}
	e.Address = s.circumstances.Address
	if s.stranger {
		e.ExternalUser = ""
		return
	}
	e.User = s.user
	e.ExternalUser = cmp.Or(s.pseudonym(e.ExternalUser), s.externalUser)
}
