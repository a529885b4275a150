package account

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Account is a customer, or the operator itself: whoever clients and users belong to.
type Account struct {
	ID string `json:"id"`
	Meta
	Name string `json:"name"`
	// Operator marks the operator's own account. Its clients and users operate the service.
	Operator bool `json:"operator,omitempty"`
	// Tier is the ID of the tier; the operator's account needs none.
	Tier     string    `json:"tier,omitempty"`
	Products []Product `json:"products,omitempty"`
	Type     Type      `json:"type"`
	Status   Status    `json:"status"`
	// AccessExpiresOn is the last UTC day on which the account is in force; nil: there is no end.
	AccessExpiresOn *catalogue.Date `json:"accessExpiresOn,omitempty"`
	// Subjects are those that the account is about; they reorder search, nothing else.
	Subjects []catalogue.ID `json:"subjects,omitempty"`
	// ContentPackage is the ID of the package that limits what the account sees; "": none.
	ContentPackage string `json:"contentPackage,omitempty"`
	// AllowedOrigins are the origins of the account's pages that may call with credentials.
	AllowedOrigins []string `json:"allowedOrigins,omitempty"`
	// IgnoresServiceUserID keeps the Service-User-Id of an API request from labelling its events. The userId of an
	// event's body labels it in any case, and a token request with a Service-User-Id still yields that user's token.
	IgnoresServiceUserID bool        `json:"ignoresServiceUserId,omitempty"`
	Environment          Environment `json:"environment"`
	// PasswordSignIn lets the account's users sign in with a password of this service.
	PasswordSignIn    bool               `json:"passwordSignIn,omitempty"`
	IdentityProviders []IdentityProvider `json:"identityProviders,omitempty"`
	// EmbedsTakenOver are the IDs of users whose embeds the account keeps when they are disabled or deleted.
	EmbedsTakenOver []string `json:"embedsTakenOver,omitempty"`
	// RequestsPerMinute bounds each client of the account; 0: the service's setting does.
	RequestsPerMinute int64 `json:"requestsPerMinute,omitempty"`
	// RequestsPerMonth bounds all clients of the account together in one UTC month; 0: nothing does.
	RequestsPerMonth int64 `json:"requestsPerMonth,omitempty"`
}

// Product is what a customer has bought.
type Product string

// Products lists the products.
func Products() []Product { return []Product{"INTEGRATE", "LTI", "LIBRARY", "CLASSROOM"} }

// Type says on which terms an account is.
type Type string

// The types.
const (
	Standard Type = "STANDARD"
	Trial    Type = "TRIAL"
	Demo     Type = "DEMO"
)

// Types lists the types.
func Types() []Type { return []Type{Standard, Trial, Demo} }

// Status says whether an account may be used at all.
type Status string

// The statuses. Tokens of a suspended account are refused.
const (
	Active    Status = "ACTIVE"
	Suspended Status = "SUSPENDED"
)

// Statuses lists the statuses.
func Statuses() []Status { return []Status{Active, Suspended} }

// Environment tells an account whose usage is billed from one that tries things out.
type Environment string

// The environments.
const (
	Live    Environment = "LIVE"
	Sandbox Environment = "SANDBOX"
)

// Environments lists the environments.
func Environments() []Environment { return []Environment{Live, Sandbox} }

// IdentityProvider is an OpenID Provider of the customer, at which the account's users sign in.
type IdentityProvider struct {
	// Alias names the provider within the account: in the hint of an authorisation request (idp_hint,
	// kc_idp_hint) and in the address that the provider sends browsers back to.
	Alias string `json:"alias"`
	// Name is shown on the sign-in page.
	Name string `json:"name"`
	// Issuer is the provider's issuer identifier: the address below which its discovery document lies.
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	// ClientSecret is needed as it is; it is never shown. "": the provider knows us as a public client.
	ClientSecret string `json:"clientSecret,omitempty"`
	// Scopes are asked for beside openid; nil: profile and email.
	Scopes []string `json:"scopes,omitzero"`
	// Domains are the domains of e-mail addresses whose users belong to this provider, lower case.
	Domains []string `json:"domains,omitempty"`
}

// Key names the account.
func (a *Account) Key() EntityKey { return EntityKey{KindAccount, a.ID} }

// Owner is the account itself.
func (a *Account) Owner() string { return a.ID }

// Names is empty: an account is found by its ID.
func (a *Account) Names() []string { return nil }

// Links lists tier and content package.
func (a *Account) Links() []EntityKey {
	var links []EntityKey
	if a.Tier != "" {
		links = append(links, EntityKey{KindTier, a.Tier})
	}
	if a.ContentPackage != "" {
		links = append(links, EntityKey{KindContentPackage, a.ContentPackage})
	}
	return links
}

// Validate checks every field but what Links names.
func (a *Account) Validate() fault.FieldErrors {
	var f faults
	f.id("id", a.ID)
	f.Line("name", a.Name, 1, MaxNameLength)
	if a.Tier == "" && !a.Operator {
		f.Add("tier", "is required")
	}
	f.Length("products", len(a.Products), MaxListLength)
	for i, product := range a.Products {
		catalogue.Listed(&f.Faults, fmt.Sprintf("products[%d]", i), product, Products())
	}
	catalogue.Listed(&f.Faults, "type", a.Type, Types())
	catalogue.Listed(&f.Faults, "status", a.Status, Statuses())
	f.Length("subjects", len(a.Subjects), MaxListLength)
	for i, id := range a.Subjects {
		if !id.Valid() {
			f.Add(fmt.Sprintf("subjects[%d]", i), "%q is not an id of %d lower-case hexadecimal characters", catalogue.Shorten(string(id)), catalogue.IDLength)
		}
	}
	f.Length("allowedOrigins", len(a.AllowedOrigins), MaxListLength)
	for i, origin := range a.AllowedOrigins {
		f.origin(fmt.Sprintf("allowedOrigins[%d]", i), origin)
	}
	catalogue.Listed(&f.Faults, "environment", a.Environment, Environments())
	f.Length("identityProviders", len(a.IdentityProviders), maxProviderCount)
	for i := range a.IdentityProviders {
		a.validateProvider(&f, i)
	}
	f.Length("embedsTakenOver", len(a.EmbedsTakenOver), MaxListLength)
	for i, id := range a.EmbedsTakenOver {
		if !catalogue.ID(id).Valid() {
			f.Add(fmt.Sprintf("embedsTakenOver[%d]", i), "%q is not the id of a user, which is %d lower-case hexadecimal characters", catalogue.Shorten(id), catalogue.IDLength)
		}
	}
	if a.RequestsPerMinute < 0 {
		f.Add("requestsPerMinute", "%d is below 0", a.RequestsPerMinute)
	}
	if a.RequestsPerMonth < 0 {
		f.Add("requestsPerMonth", "%d is below 0", a.RequestsPerMonth)
	}
	return f.List()
}

func (a *Account) validateProvider(f *faults, i int) {
	p, field := a.IdentityProviders[i], fmt.Sprintf("identityProviders[%d].", i)
	f.id(field+"alias", p.Alias)
	f.Line(field+"name", p.Name, 1, MaxNameLength)
	f.secureURL(field+"issuer", p.Issuer)
	f.Line(field+"clientId", p.ClientID, 1, MaxNameLength)
	f.Line(field+"clientSecret", p.ClientSecret, 0, maxSecretLength)
	f.Length(field+"scopes", len(p.Scopes), MaxListLength)
	for j, scope := range p.Scopes {
		if scope == "" || len(scope) > MaxNameLength || strings.ContainsFunc(scope, noScope) {
			f.Add(fmt.Sprintf("%sscopes[%d]", field, j), "%q is not a scope", catalogue.Shorten(scope))
		}
	}
	f.Length(field+"domains", len(p.Domains), MaxListLength)
	for j, domain := range p.Domains {
		if domain == "" || len(domain) > maxEmailLength || domain != strings.ToLower(domain) || strings.ContainsFunc(domain, noDomain) {
			f.Add(fmt.Sprintf("%sdomains[%d]", field, j), "%q is not a domain in lower case", catalogue.Shorten(domain))
		}
	}
	for j, other := range a.IdentityProviders[:i] {
		if other.Alias == p.Alias {
			f.Add(field+"alias", "%q is that of identityProviders[%d] already", catalogue.Shorten(p.Alias), j)
		}
	}
}

// noScope reports whether a character cannot be part of a scope (RFC 6749 section 3.3).
func noScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }

// noDomain reports whether a character can be part of no domain of an e-mail address.
func noDomain(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == '@' || r == '/' }

// Redacted leaves the secrets at identity providers out.
func (a *Account) Redacted() Entity {
	shown := *a
	shown.IdentityProviders = slices.Clone(a.IdentityProviders)
	for i := range shown.IdentityProviders {
		if shown.IdentityProviders[i].ClientSecret != "" {
			shown.IdentityProviders[i].ClientSecret = redacted
		}
	}
	return &shown
}

// redacted stands where a secret was.
const redacted = "(secret)"

// Provider returns the identity provider with an alias, nil where there is none.
func (a *Account) Provider(alias string) *IdentityProvider {
	for i := range a.IdentityProviders {
		if a.IdentityProviders[i].Alias == alias {
			return &a.IdentityProviders[i]
		}
	}
	return nil
}

// TookOver reports whether the account keeps the embeds of a user who has ended.
func (a *Account) TookOver(user string) bool { return slices.Contains(a.EmbedsTakenOver, user) }

// InForce reports whether the account may be used on a day: it is not suspended, and it has not expired.
func (a *Account) InForce(today catalogue.Date) bool { return a.Status == Active && !a.Expired(today) }

// Expired reports whether the account's end has passed.
func (a *Account) Expired(today catalogue.Date) bool {
	return a.AccessExpiresOn != nil && *a.AccessExpiresOn < today
}
