package account

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Account is a customer's account or the operator's own. Clients and users belong to an account.
type Account struct {
	ID string `json:"id"`
	Meta
	Name string `json:"name"`
	// Operator marks the operator's own account. Its clients and users operate the service.
	Operator bool `json:"operator,omitempty"`
	// Tier is the ID of the tier. The operator's account needs none.
	Tier     string    `json:"tier,omitempty"`
	Products []Product `json:"products,omitempty"`
	Type     Type      `json:"type"`
	Status   Status    `json:"status"`
	// AccessExpiresOn is the last UTC day on which the account has access; nil means no end.
	AccessExpiresOn *catalogue.Date `json:"accessExpiresOn,omitempty"`
	// Subjects are the subjects the account focuses on. They affect only the order of search results.
	Subjects []catalogue.ID `json:"subjects,omitempty"`
	// ContentPackage is the ID of the package that limits what the account sees; "" means no limit.
	ContentPackage string `json:"contentPackage,omitempty"`
	// AllowedOrigins are the origins of the account's web pages that may call with credentials.
	AllowedOrigins []string `json:"allowedOrigins,omitempty"`
	// IgnoresServiceUserID stops the Service-User-Id header of an API request from labeling its events. A userId in
	// the event body still labels it, and a token request with a Service-User-Id still returns a token of that user.
	IgnoresServiceUserID bool        `json:"ignoresServiceUserId,omitempty"`
	Environment          Environment `json:"environment"`
	// PasswordSignIn lets the account's users sign in with a password stored by this service.
	PasswordSignIn    bool               `json:"passwordSignIn,omitempty"`
	IdentityProviders []IdentityProvider `json:"identityProviders,omitempty"`
	// Logo describes the image that the sign-in pages show; nil means none.
	Logo *LogoInfo `json:"logo,omitempty"`
	// EmbedsTakenOver are the IDs of users whose embeds keep working after the users are disabled or deleted.
	EmbedsTakenOver []string `json:"embedsTakenOver,omitempty"`
	// RequestsPerMinute limits each client of the account; 0 means the default setting.
	RequestsPerMinute int64 `json:"requestsPerMinute,omitempty"`
	// RequestsPerMonth limits all clients of the account together in a UTC month; 0 means no limit.
	RequestsPerMonth int64 `json:"requestsPerMonth,omitempty"`
	// PricePlan is the ID of the plan by which the account pays; "" means that it gets no invoices.
	PricePlan string `json:"pricePlan,omitempty"`
	// BillingAddress, of several lines, and BillingEmail are printed on invoices.
	BillingAddress string `json:"billingAddress,omitempty"`
	BillingEmail   string `json:"billingEmail,omitempty"`
}

// Product is what a customer has bought.
type Product string

// Products lists the products.
func Products() []Product { return []Product{"INTEGRATE", "LTI", "LIBRARY", "CLASSROOM"} }

// Type is the commercial type of an account.
type Type string

// The account types.
const (
	Standard Type = "STANDARD"
	Trial    Type = "TRIAL"
	Demo     Type = "DEMO"
)

// Types lists the types.
func Types() []Type { return []Type{Standard, Trial, Demo} }

// Status is the administrative status of an account.
type Status string

// The statuses. Tokens of a suspended account are refused.
const (
	Active    Status = "ACTIVE"
	Suspended Status = "SUSPENDED"
)

// Statuses lists the statuses.
func Statuses() []Status { return []Status{Active, Suspended} }

// Environment separates accounts whose usage is billed from accounts for testing.
type Environment string

// The environments.
const (
	Live    Environment = "LIVE"
	Sandbox Environment = "SANDBOX"
)

// Environments lists the environments.
func Environments() []Environment { return []Environment{Live, Sandbox} }

// IdentityProvider is a customer's OpenID Provider, at which the account's users sign in.
type IdentityProvider struct {
	// Alias identifies the provider within the account. It appears in the hint of an authorization request (idp_hint,
	// kc_idp_hint) and in the redirect URI registered at the provider.
	Alias string `json:"alias"`
	// Name is shown on the sign-in page.
	Name string `json:"name"`
	// Issuer is the issuer identifier, the base URL of the provider's discovery document.
	Issuer   string `json:"issuer"`
	ClientID string `json:"clientId"`
	// ClientSecret is stored in clear text because the provider requires it; it is never shown. "" makes this service
	// a public client of the provider.
	ClientSecret string `json:"clientSecret,omitempty"`
	// Scopes are requested in addition to openid; nil means profile and email.
	Scopes []string `json:"scopes,omitzero"`
	// Domains are the e-mail domains, in lower case, whose users sign in at this provider.
	Domains []string `json:"domains,omitempty"`
}

// Key returns the account's key.
func (a *Account) Key() EntityKey { return EntityKey{KindAccount, a.ID} }

// Owner returns the account's own ID.
func (a *Account) Owner() string { return a.ID }

// Links returns the account's tier, content package, logo and price plan.
func (a *Account) Links() []EntityKey {
	var links []EntityKey
	if a.Tier != "" || !a.Operator { // a customer requires a tier: a link without ID makes the store list the valid ones
		links = append(links, EntityKey{KindTier, a.Tier})
	}
	if a.ContentPackage != "" {
		links = append(links, EntityKey{KindContentPackage, a.ContentPackage})
	}
	if a.Logo != nil {
		links = append(links, EntityKey{KindLogo, a.Logo.ID})
	}
	if a.PricePlan != "" {
		links = append(links, EntityKey{KindPricePlan, a.PricePlan})
	}
	return links
}

// Validate checks all fields except that linked entities exist.
func (a *Account) Validate() fault.FieldErrors {
	var f faults
	f.id("id", a.ID)
	f.Line("name", a.Name, 1, MaxNameLength)
	f.Length("products", len(a.Products), MaxListLength)
	for i, product := range a.Products {
		catalogue.Listed(&f.Faults, fmt.Sprintf("products[%d]", i), product, Products())
	}
	catalogue.Listed(&f.Faults, "type", a.Type, Types())
	catalogue.Listed(&f.Faults, "status", a.Status, Statuses())
	f.Length("subjects", len(a.Subjects), MaxListLength)
	for i, id := range a.Subjects {
		if !id.Valid() {
			f.Add(fmt.Sprintf("subjects[%d]", i), "%q is not an id of %d lower-case hexadecimal characters", fault.Shorten(string(id)), catalogue.IDLength)
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
			f.Add(fmt.Sprintf("embedsTakenOver[%d]", i), "%q is not a user id of %d lower-case hexadecimal characters", fault.Shorten(id), catalogue.IDLength)
		}
	}
	if a.RequestsPerMinute < 0 {
		f.Add("requestsPerMinute", "%d is below 0", a.RequestsPerMinute)
	}
	if a.RequestsPerMonth < 0 {
		f.Add("requestsPerMonth", "%d is below 0", a.RequestsPerMonth)
	}
	a.validateBilling(&f)
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
		if scope == "" || len(scope) > MaxNameLength || strings.ContainsFunc(scope, notInScope) {
			f.Add(fmt.Sprintf("%sscopes[%d]", field, j), "%q is not a scope", fault.Shorten(scope))
		}
	}
	f.Length(field+"domains", len(p.Domains), MaxListLength)
	for j, domain := range p.Domains {
		if domain == "" || len(domain) > maxEmailLength || domain != strings.ToLower(domain) || strings.ContainsFunc(domain, notInDomain) {
			f.Add(fmt.Sprintf("%sdomains[%d]", field, j), "%q is not a domain in lower case", fault.Shorten(domain))
		}
	}
	for j, other := range a.IdentityProviders[:i] {
		if other.Alias == p.Alias {
			f.Add(field+"alias", "%q is already the alias of identityProviders[%d]", fault.Shorten(p.Alias), j)
		}
	}
}

// notInScope reports whether r cannot appear in a scope (RFC 6749 section 3.3).
func notInScope(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }

// notInDomain reports whether r cannot appear in the domain of an e-mail address.
func notInDomain(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || r == '@' || r == '/'
}

// Redacted returns a copy without the client secrets of identity providers.
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

// redacted replaces a secret.
const redacted = "(secret)"

// TakesPasswords reports whether users of the account may sign in with a password stored by this service.
func (a *Account) TakesPasswords() bool { return a.PasswordSignIn || len(a.IdentityProviders) == 0 }

// Provider returns the identity provider with the given alias, or nil.
func (a *Account) Provider(alias string) *IdentityProvider {
	for i := range a.IdentityProviders {
		if a.IdentityProviders[i].Alias == alias {
			return &a.IdentityProviders[i]
		}
	}
	return nil
}

// KeepsEmbedsOf reports whether embeds of the given user keep working after the user is disabled or deleted.
func (a *Account) KeepsEmbedsOf(user string) bool { return slices.Contains(a.EmbedsTakenOver, user) }

// InForce reports whether the account has access on the given day: it is active and has not expired.
func (a *Account) InForce(today catalogue.Date) bool { return a.Status == Active && !a.Expired(today) }

// Expired reports whether the account's access ended before the given day.
func (a *Account) Expired(today catalogue.Date) bool {
	return a.AccessExpiresOn != nil && *a.AccessExpiresOn < today
}
