package account

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Caller is who sent a request, as far as authorisation needs to know. Callers are shared by requests
// and must not be changed.
type Caller struct {
	ClientID string
	// Public: the client has no secret, so whoever has its program can call in its name.
	Public bool
	// Account is the customer whom the client belongs to, nil only in tests that need none.
	Account *Account
	// User is the ID of the user on whose behalf the client calls; "": none.
	User string
	// ExternalUser is how the client calls the user (Service-User-Id); "": not at all.
	ExternalUser string
	Permissions  Permissions
	Access       catalogue.Access
	// Subjects are those of the caller's account.
	Subjects []catalogue.ID
	// Scope is the space-separated scope of the token.
	Scope string
	// TokenID, Family and Session name the token, the sign-in that it came from and the browser session
	// behind that, for whoever revokes them; "": there is none.
	TokenID, Family, Session string
	// Video is the only one that the caller may ask for, and tell of; "": the caller is not confined.
	Video catalogue.ID
	// Embed is what a confined caller's token says; nil: the caller is not confined.
	Embed *Embed
}

// Stranger reports whether nobody vouches for who calls: a caller without a token, or with the token of an embed,
// which every visitor of a page is given. Strangers use up nothing of a client or an account, and are no users.
func (c *Caller) Stranger() bool { return c.Anonymous() || c.Video != "" }

// Confine leaves the caller what it takes to show one video: to read it and its texts, and to tell what was played.
func (c *Caller) Confine(embed *Embed) {
	c.Embed, c.Video, c.Permissions = embed, embed.Video, c.Permissions&PermissionsOf(Browse, DownloadTranscript)
}

// SeesUsage reports whether the caller may see what was used: operators that of all accounts, clients with ViewUsage
// their own account's. Nobody who calls on behalf of a user does: one pupil does not see what others watch.
func (c *Caller) SeesUsage() bool {
	return c.Permissions.Has(Operate) || c.Permissions.Has(ViewUsage) && c.User == "" && c.Account != nil
}

// Anonymous reports whether the caller brought no token, where none is needed.
func (c *Caller) Anonymous() bool { return c.ClientID == "" }

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, caller *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the caller of a context, nil where nobody has been authenticated.
func CallerOf(ctx context.Context) *Caller {
	caller, _ := ctx.Value(callerKey{}).(*Caller)
	return caller
}

// Require returns nil if the context's caller has the right, else an error of code Unauthenticated
// or Forbidden.
func Require(ctx context.Context, right Permission) error {
	caller := CallerOf(ctx)
	switch {
	case caller == nil:
		return fault.Errorf(fault.Unauthenticated, "a bearer token is required")
	case !caller.Permissions.Has(right):
		return fault.Errorf(fault.Forbidden, "the right %s is required", right)
	}
	return nil
}
