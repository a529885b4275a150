package account

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Caller identifies the sender of a request and what it may do. Callers are shared between requests and must not be
// modified.
type Caller struct {
	ClientID string
	// Public reports that the client has no secret, so anyone who has the program can call as this client.
	Public bool
	// Account is the account of the client. It is nil only in tests.
	Account *Account
	// User is the ID of the user on whose behalf the client calls; "" if none.
	User string
	// ExternalUser is the client's own name for the user (Service-User-Id); "" if none.
	ExternalUser string
	Permissions  Permissions
	// StaffRole is the role of the operator's user or client; "" for all others.
	StaffRole StaffRole
	Access    catalogue.Access
	// Subjects are the subjects of the caller's account.
	Subjects []catalogue.ID
	// Scope is the space-separated scope of the token.
	Scope string
	// TokenID, Family and Session identify the token, the sign-in it came from and the browser session of that
	// sign-in. They are used for revocation; each is "" if there is none.
	TokenID, Family, Session string
	// Video is the only video the caller may read and report events for; "" if the caller is not confined to one.
	Video catalogue.ID
	// Embed holds the embed of a confined caller's token; nil if the caller is not confined.
	Embed *Embed
}

// Stranger reports whether the caller is not authenticated as a person or program of its account: it has no token, or
// the token of an embed, which every visitor of a page gets. Strangers do not use the rate limits or quotas of a
// client or account, and are not users.
func (c *Caller) Stranger() bool { return c.Anonymous() || c.Video != "" }

// Confine reduces the caller's permissions to showing one video: reading it and its texts, and reporting playback.
func (c *Caller) Confine(embed *Embed) {
	c.Embed, c.Video, c.Permissions = embed, embed.Video, c.Permissions&PermissionsOf(Browse, DownloadTranscript)
}

// SeesEvents reports whether the caller may watch events, which name persons. Staff with ViewPersons see all accounts;
// clients with ViewUsage see their own account. A call on behalf of a customer's user never sees events, because one
// student must not see what others watch.
func (c *Caller) SeesEvents() bool {
	if c.Permissions.Has(Operate) {
		return c.Permissions.Has(ViewPersons)
	}
	return c.Permissions.Has(ViewUsage) && c.User == "" && c.Account != nil
}

// Anonymous reports whether the caller has no token.
func (c *Caller) Anonymous() bool { return c.ClientID == "" }

type callerKey struct{}

// WithCaller returns a context that carries the caller.
func WithCaller(ctx context.Context, caller *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, caller)
}

// CallerOf returns the caller in the context, or nil if the request is not authenticated.
func CallerOf(ctx context.Context) *Caller {
	caller, _ := ctx.Value(callerKey{}).(*Caller)
	return caller
}

// Require returns nil if the caller in the context has the permission, and otherwise an error with code
// Unauthenticated or Forbidden.
func Require(ctx context.Context, permission Permission) error {
	caller := CallerOf(ctx)
	switch {
	case caller == nil:
		return fault.Errorf(fault.Unauthenticated, "a bearer token is required")
	case !caller.Permissions.Has(permission):
		return fault.Errorf(fault.Forbidden, "the permission %s is required", permission)
	}
	return nil
}
