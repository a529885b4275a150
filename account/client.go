package account

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Client is a program that a customer, or the operator, was given credentials for.
type Client struct {
	ID string `json:"id"`
	Meta
	AccountID string `json:"account"`
	Name      string `json:"name"`
	// Secrets are those that count now, at most MaxSecrets, so that a customer can replace one without a
	// gap; none: a public client (RFC 6749 section 2.1), which has no client_credentials.
	Secrets []Secret `json:"secrets,omitempty"`
	// RequireSecret asks for a secret with every grant; spec.md asks for it with client_credentials only.
	RequireSecret bool `json:"requireSecret,omitempty"`
	// RequirePKCE refuses authorisation requests without a code challenge (RFC 7636). A challenge that was sent is
	// verified in any case.
	RequirePKCE bool `json:"requirePkce,omitempty"`
	// RedirectURIs are compared byte for byte. PostLogoutRedirectURIs are where a browser may be sent
	// after signing out.
	RedirectURIs           []string `json:"redirectUris,omitempty"`
	PostLogoutRedirectURIs []string `json:"postLogoutRedirectUris,omitempty"`
	// Roles limit the client to some of what its account's tier allows, an empty list to none of it; nil:
	// they do not.
	Roles    []Permission `json:"roles,omitzero"`
	Disabled bool         `json:"disabled,omitempty"`
}

// MaxSecrets is how many secrets of one client may count at once.
const MaxSecrets = 2

// Secret is a client's secret as it is stored.
type Secret struct {
	// ID tells secrets of one client apart; it is no secret.
	ID string `json:"id"`
	// Hash is the SHA-256 sum: enough for what was made of random bits. It is never shown.
	Hash      []byte    `json:"hash,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	// ExpiresAt ends a secret that is being replaced; nil: it has no end.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// Counts reports whether the secret may be used at an instant.
func (s Secret) Counts(now time.Time) bool { return s.ExpiresAt == nil || now.Before(*s.ExpiresAt) }

// Public reports whether the client has no secret, as a program that runs with its users.
func (c *Client) Public() bool { return len(c.Secrets) == 0 }

// Key names the client.
func (c *Client) Key() EntityKey { return EntityKey{KindClient, c.ID} }

// Owner is the account.
func (c *Client) Owner() string { return c.AccountID }

// Names is empty: a client is found by its ID.
func (c *Client) Names() []string { return nil }

// Links names the account.
func (c *Client) Links() []EntityKey { return []EntityKey{{KindAccount, c.AccountID}} }

// Validate checks every field but what Links names.
func (c *Client) Validate() fault.FieldErrors {
	var f faults
	f.id("id", c.ID)
	if c.AccountID == "" {
		f.Add("account", "is required")
	}
	f.Line("name", c.Name, 0, MaxNameLength)
	f.Length("secrets", len(c.Secrets), MaxSecrets)
	for i, secret := range c.Secrets {
		if len(secret.Hash) != 32 || secret.ID == "" {
			f.Add(fmt.Sprintf("secrets[%d]", i), "has no id or no sum of 32 bytes")
		}
	}
	if c.RequireSecret && c.Public() {
		f.Add("requireSecret", "the client has no secret")
	}
	f.Length("redirectUris", len(c.RedirectURIs), MaxListLength)
	for i, address := range c.RedirectURIs {
		f.redirect(fmt.Sprintf("redirectUris[%d]", i), address)
	}
	f.Length("postLogoutRedirectUris", len(c.PostLogoutRedirectURIs), MaxListLength)
	for i, address := range c.PostLogoutRedirectURIs {
		f.redirect(fmt.Sprintf("postLogoutRedirectUris[%d]", i), address)
	}
	f.Length("roles", len(c.Roles), MaxListLength)
	for i, role := range c.Roles {
		if !slices.Contains(TierRights(), role) {
			f.Add(fmt.Sprintf("roles[%d]", i), "%q is not a role of clients", role)
		}
	}
	return f.List()
}

// Redacted leaves the sums of the secrets out.
func (c *Client) Redacted() Entity {
	shown := *c
	shown.Secrets = slices.Clone(c.Secrets)
	for i := range shown.Secrets {
		shown.Secrets[i].Hash = nil
	}
	return &shown
}
