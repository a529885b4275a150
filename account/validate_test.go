package account_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

const userID = "0123456789abcdef01234567"

func validAccount() *account.Account {
	return &account.Account{
		ID: "acme", Name: "Acme", Tier: "basic", Type: account.Standard, Status: account.Active, Environment: account.Live,
		Products: account.Products(), Subjects: []catalogue.ID{userID},
		AllowedOrigins: []string{"https://learn.example", "http://127.0.0.1:8080"},
		IdentityProviders: []account.IdentityProvider{{
			Alias: "school", Name: "School", Issuer: "https://id.example/realms/one", ClientID: "filmstrip", Scopes: []string{"email"}, Domains: []string{"school.example"},
		}},
	}
}

func validClient() *account.Client {
	return &account.Client{
		ID: "acme.web-1", AccountID: "acme", Secrets: []account.Secret{{ID: "1", Hash: make([]byte, 32)}},
		RedirectURIs: []string{
			"https://learn.example/callback?x=1", "http://127.0.0.1:8765/callback", "http://localhost/cb", "http://[::1]:80/cb", "com.example.app:/cb",
		},
		PostLogoutRedirectURIs: []string{"https://learn.example/"}, Roles: []account.Permission{account.ViewTags},
	}
}

func validUser() *account.User {
	return &account.User{
		ID: userID, AccountID: "acme", ExternalID: strings.Repeat("é", account.MaxExternalID), Username: "ann", PasswordHash: "$argon2id$",
		Issuer: "https://id.example", Subject: strings.Repeat("s", 255), Email: "ann@school.example", GivenName: "Ann", FamilyName: "Ó Briain",
	}
}

func validTier() *account.Tier {
	return &account.Tier{ID: "gold", Name: "Gold", Roles: account.TierPermissions(), Features: map[string]bool{"LEARNING_MATERIAL": true}}
}

// problem is a change that makes an entity invalid, with the expected field and a part of the expected message.
type problem[T any] struct {
	name           string
	change         func(T)
	field, problem string
}

func checkFaults[T account.Entity](t *testing.T, valid func() T, faults []problem[T]) {
	t.Helper()
	if found := valid().Validate(); found != nil {
		t.Errorf("the valid entity has errors: %v", found)
	}
	for _, c := range faults {
		record := valid()
		c.change(record)
		found := record.Validate()
		switch {
		case c.field == "" && found != nil:
			t.Errorf("%s is rejected: %v", c.name, found)
		case c.field != "" && (len(found) != 1 || found[0].Field != c.field || !strings.Contains(found[0].Problem, c.problem)):
			t.Errorf("%s: want %s: … %s …; got %v", c.name, c.field, c.problem, found)
		case len(found.Error()) > 1000:
			t.Errorf("%s: the message has %d bytes", c.name, len(found.Error()))
		}
	}
}

func TestValidateAccount(t *testing.T) {
	long := strings.Repeat("x", 3000)
	provider := func(change func(p *account.IdentityProvider)) func(a *account.Account) {
		return func(a *account.Account) { change(&a.IdentityProviders[0]) }
	}
	faults := []problem[*account.Account]{
		{"no id", func(a *account.Account) { a.ID = "" }, "id", `""`},
		{"id with a slash", func(a *account.Account) { a.ID = "a/b" }, "id", `"a/b"`},
		{"id with a bad first character", func(a *account.Account) { a.ID = "-a" }, "id", `"-a"`},
		{"id of two lines", func(a *account.Account) { a.ID = "a\n" }, "id", `"a\n"`},
		{"longest id", func(a *account.Account) { a.ID = strings.Repeat("a", 64) }, "", ""},
		{"long id", func(a *account.Account) { a.ID = long }, "id", "…"},
		{"no name", func(a *account.Account) { a.Name = " " }, "name", "is required"},
		{"long name", func(a *account.Account) { a.Name = strings.Repeat("é", 201) }, "name", "201 characters"},
		{"longest name", func(a *account.Account) { a.Name = strings.Repeat("é", 200) }, "", ""},
		{"name of two lines", func(a *account.Account) { a.Name = "a\nb" }, "name", "control character"},
		{"name that is not UTF-8", func(a *account.Account) { a.Name = "\xff" }, "name", "UTF-8"},
		{"operator without a tier", func(a *account.Account) { a.Tier, a.Operator = "", true }, "", ""},
		{"product", func(a *account.Account) { a.Products = []account.Product{"LTI", "PHONE"} }, "products[1]", `"PHONE"`},
		{"type", func(a *account.Account) { a.Type = "FREE" }, "type", `"FREE"`},
		{"status", func(a *account.Account) { a.Status = "" }, "status", `""`},
		{"environment", func(a *account.Account) { a.Environment = "TEST" }, "environment", `"TEST"`},
		{"subject", func(a *account.Account) { a.Subjects = []catalogue.ID{"maths"} }, "subjects[0]", `"maths"`},
		{"many subjects", func(a *account.Account) { a.Subjects = slices.Repeat([]catalogue.ID{userID}, 201) }, "subjects", "201 elements"},
		{"origin with a path", func(a *account.Account) { a.AllowedOrigins[1] = "https://a.example/" }, "allowedOrigins[1]", `"https://a.example/"`},
		{"origin of any host", func(a *account.Account) { a.AllowedOrigins[0] = "*" }, "allowedOrigins[0]", `"*"`},
		{"origin null", func(a *account.Account) { a.AllowedOrigins[0] = "null" }, "allowedOrigins[0]", `"null"`},
		{"many origins", func(a *account.Account) { a.AllowedOrigins = slices.Repeat(a.AllowedOrigins, 101) }, "allowedOrigins", "202 elements"},
		{"requests a minute", func(a *account.Account) { a.RequestsPerMinute = -1 }, "requestsPerMinute", "-1"},
		{"requests a month", func(a *account.Account) { a.RequestsPerMonth = -2 }, "requestsPerMonth", "-2"},
		{"alias", provider(func(p *account.IdentityProvider) { p.Alias = "a b" }), "identityProviders[0].alias", `"a b"`},
		{"provider's name", provider(func(p *account.IdentityProvider) { p.Name = "" }), "identityProviders[0].name", "is required"},
		{"http issuer", provider(func(p *account.IdentityProvider) { p.Issuer = "http://id.example" }), "identityProviders[0].issuer", `"http://id.example"`},
		{"issuer with a user", provider(func(p *account.IdentityProvider) { p.Issuer = "https://a:b@id.example" }), "identityProviders[0].issuer", "https address"},
		{"issuer on loopback", provider(func(p *account.IdentityProvider) { p.Issuer = "http://127.0.0.1:9000" }), "", ""},
		{"long issuer", provider(func(p *account.IdentityProvider) { p.Issuer = "https://id.example/" + long }), "identityProviders[0].issuer", "…"},
		{"no client id at the provider", provider(func(p *account.IdentityProvider) { p.ClientID = "" }), "identityProviders[0].clientId", "is required"},
		{"long secret", provider(func(p *account.IdentityProvider) { p.ClientSecret = long }), "identityProviders[0].clientSecret", "3000 characters"},
		{"scope", provider(func(p *account.IdentityProvider) { p.Scopes = []string{"a b"} }), "identityProviders[0].scopes[0]", `"a b"`},
		{"domain", provider(func(p *account.IdentityProvider) { p.Domains = []string{"x.example", "@School"} }), "identityProviders[0].domains[1]", `"@School"`},
		{"scope with a control character", provider(func(p *account.IdentityProvider) { p.Scopes = []string{"a\x1b[31m"} }), "identityProviders[0].scopes[0]", `"a\x1b[31m"`},
		{"long scope", provider(func(p *account.IdentityProvider) { p.Scopes = []string{long} }), "identityProviders[0].scopes[0]", "…"},
		{"many scopes", provider(func(p *account.IdentityProvider) { p.Scopes = slices.Repeat([]string{"a"}, 201) }), "identityProviders[0].scopes", "201 elements"},
		{"domain with a control character", provider(func(p *account.IdentityProvider) { p.Domains = []string{"a\x1b"} }), "identityProviders[0].domains[0]", `"a\x1b"`},
		{"long domain", provider(func(p *account.IdentityProvider) { p.Domains = []string{long} }), "identityProviders[0].domains[0]", "…"},
		{"many domains", provider(func(p *account.IdentityProvider) { p.Domains = slices.Repeat([]string{"a.example"}, 201) }), "identityProviders[0].domains", "201 elements"},
		{"domain with non-ASCII letters", provider(func(p *account.IdentityProvider) { p.Domains = []string{"schüle.example"} }), "", ""},
		{"many products", func(a *account.Account) { a.Products = slices.Repeat(account.Products(), 51) }, "products", "204 elements"},
		{"alias twice", func(a *account.Account) { a.IdentityProviders = slices.Repeat(a.IdentityProviders, 2) }, "identityProviders[1].alias", `"school"`},
	}
	checkFaults(t, validAccount, faults)
	secret := validAccount()
	secret.IdentityProviders[0].ClientSecret = "hush\x00"
	if found := secret.Validate(); len(found) != 1 || strings.Contains(found.Error(), "hush") {
		t.Errorf("the message reveals a secret: %v", found)
	}
}

func TestValidateClient(t *testing.T) {
	redirect := func(address string) func(c *account.Client) {
		return func(c *account.Client) { c.RedirectURIs[0] = address }
	}
	faults := []problem[*account.Client]{
		{"id", func(c *account.Client) { c.ID = "a:b" }, "id", `"a:b"`}, // HTTP Basic ends the name with a colon
		{"no account", func(c *account.Client) { c.AccountID = "" }, "account", "is required"},
		{"long name", func(c *account.Client) { c.Name = strings.Repeat("x", 201) }, "name", "201 characters"},
		{"three secrets", func(c *account.Client) { c.Secrets = slices.Repeat(c.Secrets, 3) }, "secrets", "3 elements"},
		{"a secret without an id", func(c *account.Client) { c.Secrets[0].ID = "" }, "secrets[0]", "no id"},
		{"a secret with a short hash", func(c *account.Client) { c.Secrets[0].Hash = make([]byte, 31) }, "secrets[0]", "32 bytes"},
		{"public client", func(c *account.Client) { c.Secrets = nil }, "", ""},
		{"public client with requireSecret", func(c *account.Client) { c.Secrets, c.RequireSecret = nil, true }, "requireSecret", "no secret"},
		{"URI without a scheme", redirect("/cb"), "redirectUris[0]", `"/cb"`},
		{"fragment", redirect("https://a.example/#x"), "redirectUris[0]", "fragment"},
		{"empty fragment", redirect("https://a.example/#"), "redirectUris[0]", "fragment"},
		{"http address", redirect("http://a.example/cb"), "redirectUris[0]", `"http://a.example/cb"`},
		{"host that looks like loopback", redirect("http://127.0.0.1.example/cb"), "redirectUris[0]", "neither"},
		{"script", redirect("javascript:alert(1)"), "redirectUris[0]", `"javascript:alert(1)"`},
		{"data", redirect("data:text/html,x"), "redirectUris[0]", "neither"},
		{"user in the address", redirect("https://a:b@a.example/"), "redirectUris[0]", "neither"},
		{"space", redirect("https://a.example/a b"), "redirectUris[0]", "not an address"},
		{"two lines", redirect("https://a.example/\r\nX: y"), "redirectUris[0]", "not an address"},
		{"long address", redirect("https://a.example/" + strings.Repeat("x", 2000)), "redirectUris[0]", "not an address"},
		{"many addresses", func(c *account.Client) { c.RedirectURIs = slices.Repeat(c.RedirectURIs, 50) }, "redirectUris", "250 elements"},
		{"after sign-out", func(c *account.Client) { c.PostLogoutRedirectURIs[0] = "ftp://a.example" }, "postLogoutRedirectUris[0]", `"ftp://a.example"`},
		{"many roles", func(c *account.Client) { c.Roles = slices.Repeat(c.Roles, 201) }, "roles", "201 elements"},
		{"many after sign-out", func(c *account.Client) { c.PostLogoutRedirectURIs = slices.Repeat(c.PostLogoutRedirectURIs, 201) }, "postLogoutRedirectUris", "201 elements"},
	}
	for _, role := range []account.Permission{account.Operate, account.Browse, account.ReportExpiry, account.Everyone} {
		faults = append(faults, problem[*account.Client]{
			"role " + role.String(), func(c *account.Client) { c.Roles = append(c.Roles, role) }, "roles[1]", fmt.Sprintf("%q", role),
		})
	}
	checkFaults(t, validClient, faults)
}

func TestValidateUser(t *testing.T) {
	checkFaults(t, validUser, []problem[*account.User]{
		{"id", func(u *account.User) { u.ID = "ann" }, "id", `"ann"`},
		{"no account", func(u *account.User) { u.AccountID = "" }, "account", "is required"},
		{"external id", func(u *account.User) { u.ExternalID += "x" }, "externalId", "65 characters"},
		{"external id with a control character", func(u *account.User) { u.ExternalID = "a\x00" }, "externalId", "control character"},
		{"username", func(u *account.User) { u.Username = strings.Repeat("x", 201) }, "username", "201 characters"},
		{"password without a username", func(u *account.User) { u.Username = "" }, "username", "is required with a password"},
		{"subject", func(u *account.User) { u.Subject += "s" }, "subject", "256 characters"},
		{"subject without issuer", func(u *account.User) { u.Issuer = "" }, "subject", "together with issuer"},
		{"issuer without subject", func(u *account.User) { u.Subject = "" }, "subject", "together with issuer"},
		{"long issuer", func(u *account.User) { u.Issuer = strings.Repeat("x", 2001) }, "issuer", "2001 characters"},
		{"e-mail", func(u *account.User) { u.Email = "ann" }, "email", `"ann"`},
		{"long e-mail", func(u *account.User) { u.Email = "a@" + strings.Repeat("x", 253) }, "email", "255 characters"},
		{"given name", func(u *account.User) { u.GivenName = strings.Repeat("x", 201) }, "givenName", "201 characters"},
		{"family name", func(u *account.User) { u.FamilyName = "\x1b" }, "familyName", "control character"},
		{"job title", func(u *account.User) { u.JobTitle = strings.Repeat("x", 201) }, "jobTitle", "201 characters"},
		{"desired content", func(u *account.User) { u.DesiredContent = "\x00" }, "desiredContent", "control character"},
		{"audience", func(u *account.User) { u.Audiences = []string{"K12", ""} }, "audiences[1]", "is required"},
		{"discovery methods", func(u *account.User) { u.DiscoveryMethods = slices.Repeat([]string{"x"}, 201) }, "discoveryMethods", "201 elements"},
		{"subject", func(u *account.User) { u.Subjects = []catalogue.ID{"maths"} }, "subjects[0]", `"maths"`},
		{"many subjects", func(u *account.User) { u.Subjects = slices.Repeat([]catalogue.ID{userID}, 51) }, "subjects", "51 elements"},
		{"age", func(u *account.User) { u.Ages = []int{3, 151} }, "ages[1]", "151"},
		{"only the required fields", func(u *account.User) { *u = account.User{ID: userID, AccountID: "acme"} }, "", ""},
	})
}

func TestValidateOthers(t *testing.T) {
	checkFaults(t, validTier, []problem[*account.Tier]{
		{"many roles", func(tier *account.Tier) { tier.Roles = slices.Repeat(account.TierPermissions(), 20) }, "roles", "440 elements"},
		{"id", func(x *account.Tier) { x.ID = "" }, "id", `""`},
		{"name", func(x *account.Tier) { x.Name = "" }, "name", "is required"},
		{"operator role", func(x *account.Tier) { x.Roles = []account.Permission{account.Operate} }, "roles[0]", `"OPERATE"`},
		{"role of another release", func(x *account.Tier) { x.Roles = []account.Permission{account.ViewTags, account.Everyone} }, "roles[1]", "not a role"},
		{"feature", func(x *account.Tier) { x.Features["a b"] = true }, "features", `"a b"`},
	})
	valid := func() *account.ContentPackage {
		return &account.ContentPackage{ID: "films", Name: "Films", Rules: []catalogue.AccessRule{{Type: catalogue.ExcludedLanguages, Values: []string{"eng"}}}}
	}
	checkFaults(t, valid, []problem[*account.ContentPackage]{
		{"id", func(p *account.ContentPackage) { p.ID = "a b" }, "id", `"a b"`},
		{"name", func(p *account.ContentPackage) { p.Name = "" }, "name", "is required"},
		{"no rules", func(p *account.ContentPackage) { p.Rules = nil }, "", ""},
		{"rule", func(p *account.ContentPackage) { p.Rules[0].Type = "Any" }, "rules[0].type", `"Any"`},
		{"value", func(p *account.ContentPackage) { p.Rules[0].Values[0] = "xx" }, "rules[0].values[0]", `"xx"`},
	})
	if faults := (&account.Policy{}).Validate(); faults != nil {
		t.Errorf("the policy: %v", faults)
	}
}
