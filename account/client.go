package account

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

// Client is a program to which a customer or the operator has issued credentials.
type Client struct {
	ID string `json:"id"`
	Meta
	AccountID string `json:"account"`
	Name      string `json:"name"`
	// Secrets are the client's valid secrets, at most MaxSecrets, so that a secret can be replaced without downtime.
	// A client without secrets is public (RFC 6749 section 2.1) and cannot use client_credentials.
	Secrets []Secret `json:"secrets,omitempty"`
	// RequireSecret requires the secret for every grant; spec.md requires it for client_credentials only.
	RequireSecret bool `json:"requireSecret,omitempty"`
	// RequirePKCE rejects authorization requests without a code challenge (RFC 7636). A challenge that was sent is
	// always verified.
	RequirePKCE bool `json:"requirePkce,omitempty"`
	// RedirectURIs are compared byte by byte. PostLogoutRedirectURIs are the allowed redirects after logout.
	RedirectURIs           []string `json:"redirectUris,omitempty"`
	PostLogoutRedirectURIs []string `json:"postLogoutRedirectUris,omitempty"`
	// Roles restrict the client to a subset of the tier's roles; an empty list allows none of them, and nil does not
	// restrict the client.
	Roles []Permission `json:"roles,omitzero"`
	// StaffRole limits a client of the operator's account, and the staff who sign in with it; "" means Owner. Other
	// accounts' clients have none.
	StaffRole StaffRole `json:"staffRole,omitempty"`
	Disabled  bool      `json:"disabled,omitempty"`
}

// MaxSecrets is the maximum number of secrets of a client.
const MaxSecrets = 2

// Secret is a client secret as stored.
type Secret struct {
	// ID distinguishes the secrets of a client. It is not confidential.
	ID string `json:"id"`
	// Hash is the SHA-256 hash of the secret, which is random enough that a slow hash adds nothing. It is never
	// shown.
	Hash      []byte    `json:"hash,omitempty"`
	CreatedAt time.Time `json:"createdAt"`
	// ExpiresAt ends a secret that is being replaced; nil means it does not expire.
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
}

// Valid reports whether the secret may be used at the given time.
func (s Secret) Valid(now time.Time) bool { return s.ExpiresAt == nil || now.Before(*s.ExpiresAt) }

// Public reports whether the client has no secret, like a program that runs on its users' devices.
func (c *Client) Public() bool { return len(c.Secrets) == 0 }

// Key returns the client's key.
func (c *Client) Key() EntityKey { return EntityKey{KindClient, c.ID} }

// Owner returns the ID of the client's account.
func (c *Client) Owner() string { return c.AccountID }

// Links returns the client's account.
func (c *Client) Links() []EntityKey { return []EntityKey{{KindAccount, c.AccountID}} }

// Validate checks all fields except that linked entities exist.
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
			f.Add(fmt.Sprintf("secrets[%d]", i), "has no id or no hash of 32 bytes")
		}
	}
	if c.RequireSecret && c.Public() {
		f.Add("requireSecret", "the client has no secret")
	}
	f.redirects("redirectUris", c.RedirectURIs)
	f.redirects("postLogoutRedirectUris", c.PostLogoutRedirectURIs)
	f.roles(c.Roles, "clients")
	if c.StaffRole != "" {
		f.staffRole("staffRole", c.StaffRole)
	}
	return f.List()
}

// Redacted returns a copy without the hashes of the secrets.
func (c *Client) Redacted() Entity {
	shown := *c
	shown.Secrets = slices.Clone(c.Secrets)
	for i := range shown.Secrets {
		shown.Secrets[i].Hash = nil
	}
	return &shown
}
