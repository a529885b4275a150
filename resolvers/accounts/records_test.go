package accounts_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

func TestAccounts(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.Do(t, `mutation { createContentPackage(input: {id: "slice", name: "Slice", rules: []}) { id } }`, nil)
	created := a.Do(t, `mutation($input: CreateAccountInput!) { it: createAccount(input: $input) { `+wholeAccount+` } }`, map[string]any{"input": map[string]any{
		"id": "school", "name": "A school", "tier": "plus", "products": []string{"LTI"}, "type": "TRIAL", "accessExpiresOn": "2026-12-31",
		"subjects": []any{resolverstest.Physics}, "contentPackage": "slice", "allowedOrigins": []string{"https://learn.example"}, "ignoresServiceUserId": true,
		"environment": "SANDBOX", "passwordSignIn": true, "requestsPerMinute": 60, "requestsPerMonth": 1_000_000,
		"identityProviders": []any{map[string]any{
			"alias": "main", "name": "School", "issuer": "https://id.example", "clientId": "filmstrip", "clientSecret": "provider-secret", "domains": []string{"school.example"},
		}},
	}})
	version := resolverstest.At(t, created, "it", "version").(json.Number)
	want := `{"accessExpiresOn":"2026-12-31","allowedOrigins":["https://learn.example"],"contentPackage":"slice","createdAt":"2026-03-04T05:06:07.000000Z",` +
		`"embedsTakenOver":[],"environment":"SANDBOX","id":"school","identityProviders":[{"alias":"main","clientId":"filmstrip","domains":["school.example"],"hasClientSecret":true,"issuer":"https://id.example","name":"School","scopes":null}],` +
		`"ignoresServiceUserId":true,"name":"A school","operator":false,"passwordSignIn":true,"products":["LTI"],"requestsPerMinute":60,"requestsPerMonth":1000000,` +
		`"status":"ACTIVE","subjects":["` + string(resolverstest.Physics) + `"],"tier":"plus","type":"TRIAL","updatedAt":"2026-03-04T05:06:07.000000Z","version":` + version.String() + `}`
	resolverstest.WantAt(t, created, want, "it")
	resolverstest.WantAt(t, a.Do(t, `{ it: account(id: "school") { `+wholeAccount+` } }`, nil), want, "it")
	resolverstest.WantAt(t, a.Do(t, `{ it: account(id: "other") { id } }`, nil), "null", "it")
	a.WantError(t, fault.Conflict, `account "school"`, resolverstest.CreateAccount, map[string]any{"input": map[string]any{"id": "school", "name": "x", "tier": "basic"}})

	const update = `mutation($version: Int, $input: UpdateAccountInput!) { it: updateAccount(id: "school", version: $version, input: $input) { ` + wholeAccount + ` } }`
	a.Now = a.Now.Add(time.Hour)
	changed := a.Do(t, update, map[string]any{"version": version, "input": map[string]any{
		"name": "The school", "accessExpiresOn": nil, "contentPackage": nil, "products": nil, "requestsPerMonth": nil,
		"identityProviders": []any{map[string]any{"alias": "main", "name": "School", "issuer": "https://id.example", "clientId": "other"}},
	}})
	newer := resolverstest.At(t, changed, "it", "version").(json.Number)
	for _, pair := range [][2]string{
		{`"accessExpiresOn":"2026-12-31"`, `"accessExpiresOn":null`}, {`"contentPackage":"slice"`, `"contentPackage":null`},
		{`["LTI"]`, `[]`}, {`1000000`, `null`}, {"A school", "The school"}, {`"clientId":"filmstrip"`, `"clientId":"other"`},
		{`"updatedAt":"2026-03-04T05`, `"updatedAt":"2026-03-04T06`}, {`"version":` + version.String(), `"version":` + newer.String()}, {`["school.example"]`, "[]"},
	} {
		want = strings.Replace(want, pair[0], pair[1], 1)
	}
	resolverstest.WantAt(t, changed, want, "it")

	a.WantError(t, fault.Conflict, newer.String(), update, map[string]any{"version": version, "input": map[string]any{"name": "Too late"}})
	a.WantError(t, fault.Conflict, newer.String(), `mutation($v: Int) { deleteAccount(id: "school", version: $v) }`, map[string]any{"v": version})
	a.WantError(t, fault.NotFound, `"nowhere"`, `mutation { updateAccount(id: "nowhere", input: {name: "x"}) { id } }`, nil)
	a.WantError(t, fault.NotFound, `"nowhere"`, `mutation { deleteAccount(id: "nowhere") }`, nil)
	a.WantError(t, fault.Invalid, "name: cannot be null", update, map[string]any{"input": map[string]any{"name": nil}})
	a.WantError(t, fault.Invalid, "status: cannot be null", update, map[string]any{"input": map[string]any{"status": nil}})
	a.WantError(t, fault.Invalid, "tier", update, map[string]any{"input": map[string]any{"tier": "gold"}})
	a.WantError(t, fault.Invalid, "tier is required; expected one of basic, plus, premium", update, map[string]any{"input": map[string]any{"tier": nil}})
	for _, field := range []string{"tier", "contentPackage"} { // an empty one must not grant everything
		a.WantError(t, fault.Invalid, field+`: "" is not an id`, update, map[string]any{"input": map[string]any{field: ""}})
		a.WantError(t, fault.Invalid, field+`: "" is not an id`, resolverstest.CreateAccount, map[string]any{"input": map[string]any{
			"id": "new", "name": "New", "operator": true, field: "",
		}})
	}
	a.WantError(t, fault.Invalid, `allowedOrigins[0]: "ftp://x"`, update, map[string]any{"input": map[string]any{"allowedOrigins": []string{"ftp://x"}}})
	a.WantError(t, fault.Invalid, "requestsPerMinute: -1", update, map[string]any{"input": map[string]any{"requestsPerMinute": -1}})

	// The provider's secret is kept, and not used for another provider.
	if got := a.Account(t).IdentityProviders[0].ClientSecret; got != "provider-secret" {
		t.Errorf("the provider's secret is %q", got)
	}
	a.Do(t, update, map[string]any{"input": map[string]any{
		"identityProviders": []any{map[string]any{"alias": "main", "name": "School", "issuer": "https://elsewhere.example", "clientId": "other"}},
	}})
	if got := a.Account(t).IdentityProviders[0].ClientSecret; got != "" {
		t.Errorf("another provider has the secret %q", got)
	}

	a.AddClient(t, "lms", nil)
	a.WantError(t, fault.Conflict, "lms", `mutation { deleteAccount(id: "school") }`, nil)
	a.WantError(t, fault.Conflict, "school", `mutation { deleteTier(id: "plus") }`, nil)
	a.Do(t, `mutation { deleteClient(id: "lms") deleteAccount(id: "school") }`, nil)
	again := map[string]any{"id": "school", "name": "Another school", "tier": "basic"}
	a.WantError(t, fault.Conflict, `"school" was deleted`, resolverstest.CreateAccount, map[string]any{"input": again})
	a.AddAccount(t, "other")
	a.WantError(t, fault.Conflict, `"lms" was deleted`,
		`mutation { createClient(input: {id: "lms", account: "other"}) { secret } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `{ it: account(id: "school") { id } }`, nil), "null", "it")
}

func TestClients(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	secret := a.AddClient(t, "lms", map[string]any{"redirectUris": []string{"https://lms.example/callback"}, "roles": []string{}})
	if !strings.HasPrefix(secret, "fs_") || len(secret) != 3+43 {
		t.Errorf("the secret is %q", secret)
	}
	kept := a.Client(t, "lms")
	if sum := sha256.Sum256([]byte(secret)); len(kept.Secrets) != 1 || !bytes.Equal(kept.Secrets[0].Hash, sum[:]) || kept.RequirePKCE || kept.Public() {
		t.Errorf("the client is kept as %+v", kept)
	}
	if other := a.AddClient(t, "second", nil); other == secret {
		t.Error("two clients have one secret")
	}
	if got := a.AddClient(t, "web", map[string]any{"public": true}); got != "" || a.Client(t, "web").RequirePKCE || !a.Client(t, "web").Public() {
		t.Errorf("a public client has the secret %q", got)
	}
	a.AddClient(t, "lax", map[string]any{"public": true, "requirePkce": true})
	if !a.Client(t, "lax").RequirePKCE {
		t.Error("PKCE cannot be turned off")
	}
	if a.Client(t, "lms").Roles == nil || a.Client(t, "web").Roles != nil {
		t.Error("no roles and no limit by roles are one")
	}
	const show = `{ it: client(id: "lms") { account name public secrets { createdAt expiresAt } requireSecret requirePkce redirectUris postLogoutRedirectUris roles disabled } }`
	resolverstest.WantAt(t, a.Do(t, show, nil), `{"account":"school","disabled":false,"name":"","postLogoutRedirectUris":[],"public":false,"redirectUris":["https://lms.example/callback"],`+
		`"requirePkce":false,"requireSecret":false,"roles":[],"secrets":[{"createdAt":"2026-03-04T05:06:07.000000Z","expiresAt":null}]}`, "it")
	a.Do(t, `mutation { updateClient(id: "lms", input: {name: "LMS", requireSecret: true, roles: null, redirectUris: null}) { id } }`, nil)
	resolverstest.WantAt(t, a.Do(t, show, nil), `{"account":"school","disabled":false,"name":"LMS","postLogoutRedirectUris":[],"public":false,"redirectUris":[],`+
		`"requirePkce":false,"requireSecret":true,"roles":null,"secrets":[{"createdAt":"2026-03-04T05:06:07.000000Z","expiresAt":null}]}`, "it")

	a.WantError(t, fault.Invalid, "requireSecret", `mutation { updateClient(id: "web", input: {requireSecret: true}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "redirectUris[0]", `mutation { updateClient(id: "web", input: {redirectUris: ["http://example.org/"]}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "roles[0]", `mutation { updateClient(id: "web", input: {roles: [MANAGE_STAFF]}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "nowhere", `mutation { createClient(input: {id: "x", account: "nowhere"}) { secret } }`, nil)
	a.WantError(t, fault.Conflict, `client "lms"`, `mutation { createClient(input: {id: "lms", account: "school"}) { secret } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `{ it: clients(account: "school") { nodes { id } } }`, nil), `{"nodes":[{"id":"lax"},{"id":"lms"},{"id":"second"},{"id":"web"}]}`, "it")
	resolverstest.WantAt(t, a.Do(t, `{ it: clients(account: "other") { nodes { id } } }`, nil), `{"nodes":[]}`, "it")
}

func TestReplacingASecret(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	first := a.AddClient(t, "lms", nil)
	counts := func(secret string) bool {
		sum := sha256.Sum256([]byte(secret))
		return slices.ContainsFunc(a.Client(t, "lms").Secrets, func(s account.Secret) bool { return bytes.Equal(s.Hash, sum[:]) && s.Valid(a.Now) })
	}
	firstID := a.Client(t, "lms").Secrets[0].ID
	a.WantError(t, fault.Conflict, "only valid secret", `mutation($s: String!) { removeClientSecret(client: "lms", secret: $s) { id } }`, map[string]any{"s": firstID})

	const add = `mutation($days: Int) { it: addClientSecret(client: "lms", oldExpiresInDays: $days) { secret client { secrets { id expiresAt } } } }`
	second := resolverstest.At(t, a.Do(t, add, map[string]any{"days": 7}), "it", "secret").(string)
	if !counts(first) || !counts(second) || first == second {
		t.Error("two secrets do not count beside each other")
	}
	a.WantError(t, fault.Conflict, "2 secrets", add, nil)
	a.WantError(t, fault.Invalid, "366", add, map[string]any{"days": 366})
	a.WantError(t, fault.Invalid, "-1", add, map[string]any{"days": -1})
	a.WantError(t, fault.NotFound, "nowhere", `mutation { addClientSecret(client: "nowhere") { secret } }`, nil)
	a.WantError(t, fault.NotFound, `"nothing"`, `mutation { removeClientSecret(client: "lms", secret: "nothing") { id } }`, nil)

	a.Now = a.Now.AddDate(0, 0, 7)
	if counts(first) || !counts(second) {
		t.Error("the old secret does not end on its day")
	}
	// The expired secret makes way for a new one, and does not count as a remaining one.
	secondID := a.Client(t, "lms").Secrets[1].ID
	a.WantError(t, fault.Conflict, "only valid secret", `mutation($s: String!) { removeClientSecret(client: "lms", secret: $s) { id } }`, map[string]any{"s": secondID})
	third := resolverstest.At(t, a.Do(t, add, nil), "it", "secret").(string)
	a.Do(t, `mutation($s: String!) { removeClientSecret(client: "lms", secret: $s) { id } }`, map[string]any{"s": secondID})
	if counts(first) || counts(second) || !counts(third) {
		t.Error("the secret that was removed counts, or the one that is left does not")
	}
	fourth := resolverstest.At(t, a.Do(t, add, map[string]any{"days": 0}), "it", "secret").(string)
	if counts(third) || !counts(fourth) {
		t.Error("a secret that is to end at once counts")
	}
}

func TestUsers(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	id := a.AddUser(t, map[string]any{"externalId": "S-1", "username": "Ada@school.example", "password": "correct horse", "email": "ada@school.example", "givenName": "Ada"})
	if !catalogue.ID(id).Valid() || id == a.AddUser(t, map[string]any{"externalId": "S-2"}) {
		t.Errorf("the user has the id %q", id)
	}
	const show = `query($id: String!) { it: user(id: $id) { account externalId username hasPassword issuer subject email emailVerified givenName familyName disabled } }`
	want := `{"account":"school","disabled":false,"email":"ada@school.example","emailVerified":false,"externalId":"S-1","familyName":null,"givenName":"Ada",` +
		`"hasPassword":true,"issuer":null,"subject":null,"username":"Ada@school.example"}`
	resolverstest.WantAt(t, a.Do(t, show, map[string]any{"id": id}), want, "it")
	for arguments, nodes := range map[string]string{
		`account: "school", externalId: "S-1"`:              `[{"id":"` + id + `"}]`,
		`account: "school", username: "ADA@school.example"`: `[{"id":"` + id + `"}]`,
		`account: "school", externalId: "s-1"`:              `[]`,
		`account: "other", externalId: "S-1"`:               `[]`,
	} {
		resolverstest.WantAt(t, a.Do(t, `{ it: users(`+arguments+`) { nodes { id } } }`, nil), nodes, "it", "nodes")
	}
	a.WantError(t, fault.Invalid, "account", `{ users(username: "ada") { nodes { id } } }`, nil)
	a.WantError(t, fault.Invalid, "either", `{ users(account: "school", username: "ada", externalId: "x") { nodes { id } } }`, nil)
	a.WantError(t, fault.Conflict, "", `mutation { createUser(input: {account: "school", externalId: "S-1"}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "password: too short", `mutation { createUser(input: {account: "school", username: "x", password: "short"}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "password: is required", `mutation($id: String!) { setUserPassword(id: $id) { id } }`, map[string]any{"id": id})
	a.WantError(t, fault.Invalid, "username: is required", `mutation { createUser(input: {account: "school", password: "long enough"}) { id } }`, nil)
	a.Do(t, `mutation($id: String!) { updateUser(id: $id, input: {externalId: null, familyName: "Lovelace", emailVerified: true}) { id } }`, map[string]any{"id": id})
	want = strings.NewReplacer(`"externalId":"S-1"`, `"externalId":null`, `"familyName":null`, `"familyName":"Lovelace"`, `"emailVerified":false`, `"emailVerified":true`).Replace(want)
	resolverstest.WantAt(t, a.Do(t, show, map[string]any{"id": id}), want, "it")
}

// TestDisabledCallersAreSignedOut proves that disabling a caller ends sessions, refresh tokens and access tokens.
func TestDisabledCallersAreSignedOut(t *testing.T) {
	for name, test := range map[string]struct {
		mutation string
		user     bool
	}{
		"user disabled":     {`mutation($user: String!) { updateUser(id: $user, input: {disabled: true}) { id } }`, true},
		"user deleted":      {`mutation($user: String!) { deleteUser(id: $user) }`, true},
		"another password":  {`mutation($user: String!) { setUserPassword(id: $user, password: "another one") { id } }`, true},
		"no password":       {`mutation($user: String!) { setUserPassword(id: $user, password: null) { hasPassword } }`, true},
		"client disabled":   {`mutation { updateClient(id: "lms", input: {disabled: true}) { id } }`, false},
		"client deleted":    {`mutation { deleteClient(id: "lms") }`, false},
		"account suspended": {`mutation { updateAccount(id: "school", input: {status: SUSPENDED}) { id } }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := resolverstest.NewAdministration(t)
			a.AddAccount(t, "school")
			a.AddClient(t, "lms", nil)
			user := a.AddUser(t, map[string]any{"username": "ada", "password": "correct horse"})
			grant := account.Grant{Hash: [32]byte{1}, Family: "f", ClientID: "lms", User: user, IssuedAt: a.Now, Expires: a.Now.Add(time.Hour)}
			other := account.Grant{Hash: [32]byte{2}, Family: "g", ClientID: "another", User: "another", IssuedAt: a.Now, Expires: a.Now.Add(time.Hour)}
			session := account.Session{Hash: [32]byte{3}, ID: "s", AccountID: "school", User: user, AuthTime: a.Now, Expires: a.Now.Add(time.Hour)}
			resolverstest.Must(t, errors.Join(a.Accounts.PutGrant(t.Context(), grant), a.Accounts.PutGrant(t.Context(), other), a.Accounts.PutSession(t.Context(), session)))
			variables := map[string]any{}
			if test.user {
				variables["user"] = user
			}
			a.Do(t, test.mutation, variables)

			if _, err := a.Accounts.Grant(t.Context(), grant.Hash, a.Now); !errors.Is(err, account.ErrGrantUnknown) {
				t.Errorf("the refresh token is left: %v", err)
			}
			if _, err := a.Accounts.Grant(t.Context(), other.Hash, a.Now); err != nil {
				t.Errorf("another's refresh token is gone: %v", err)
			}
			left, err := a.Accounts.Session(t.Context(), session.Hash, a.Now)
			resolverstest.Must(t, err)
			if (left == nil) != test.user {
				t.Errorf("the session is %v", left)
			}
			revoked, err := a.Accounts.Revoked(t.Context(), a.Now.Add(59*time.Minute))
			resolverstest.Must(t, err)
			ended := false
			for mark := range revoked {
				id, before, ok := account.ParseUserMark(mark)
				ended = ok && id == user && !before.Before(a.Now)
			}
			if ended != test.user {
				t.Errorf("what is revoked: %v", revoked)
			}
		})
	}
}

func TestTiersPackagesAndPolicy(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	resolverstest.WantAt(t, a.Do(t, `{ it: tiers { nodes { id } } }`, nil), `[{"id":"basic"},{"id":"plus"},{"id":"premium"}]`, "it", "nodes")
	put := a.Do(t, `mutation { it: putTier(input: {id: "gold", name: "Gold", roles: [VIEW_VIDEOS, RATE_VIDEOS], features: [{name: "B", enabled: false}, {name: "A", enabled: true}]}, version: 0) { version } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `{ it: tier(id: "gold") { name roles features { name enabled } } }`, nil),
		`{"features":[{"enabled":true,"name":"A"},{"enabled":false,"name":"B"}],"name":"Gold","roles":["VIEW_VIDEOS","RATE_VIDEOS"]}`, "it")
	a.WantError(t, fault.Conflict, resolverstest.At(t, put, "it", "version").(json.Number).String(), `mutation { putTier(input: {id: "gold", name: "Gold", roles: []}, version: 0) { id } }`, nil)
	a.Do(t, `mutation { putTier(input: {id: "gold", name: "Silver", roles: []}) { id } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `{ it: tier(id: "gold") { name roles features { name } } }`, nil), `{"features":[],"name":"Silver","roles":[]}`, "it")
	a.WantError(t, fault.Invalid, "roles[0]", `mutation { putTier(input: {id: "x", name: "X", roles: [BROWSE]}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "features[1].name", `mutation { putTier(input: {id: "x", name: "X", roles: [], features: [{name: "A", enabled: true}, {name: "A", enabled: true}]}) { id } }`, nil)
	a.Do(t, `mutation { deleteTier(id: "gold") }`, nil)

	a.Do(t, `mutation { createContentPackage(input: {id: "news", name: "News", rules: [{type: IncludedVideoTypes, values: ["NEWS"]}, {type: IncludedDistributionMethods, values: ["DOWNLOAD"]}, {type: IncludeAllPrivateChannels}]}) { id } }`, nil)
	const rules = `{ it: contentPackage(id: "news") { name rules { type values } } }`
	resolverstest.WantAt(t, a.Do(t, rules, nil), `{"name":"News","rules":[{"type":"IncludedVideoTypes","values":["NEWS"]},{"type":"IncludedDistributionMethods","values":["DOWNLOAD"]},{"type":"IncludeAllPrivateChannels","values":[]}]}`, "it")
	a.WantError(t, fault.Conflict, "", `mutation { createContentPackage(input: {id: "other", name: "NEWS", rules: []}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "rules[0].values[0]", `mutation { updateContentPackage(id: "news", input: {rules: [{type: IncludedVideoTypes, values: ["OLD"]}]}) { id } }`, nil)
	a.WantError(t, fault.Invalid, "rules: cannot be null", `mutation { updateContentPackage(id: "news", input: {rules: null}) { id } }`, nil)
	a.Do(t, `mutation { updateContentPackage(id: "news", input: {rules: []}) { id } }`, nil)
	resolverstest.WantAt(t, a.Do(t, rules, nil), `{"name":"News","rules":[]}`, "it")
	resolverstest.WantAt(t, a.Do(t, `mutation { it: deleteContentPackage(id: "news") }`, nil), `"news"`, "it")
	resolverstest.WantAt(t, a.Do(t, `{ it: contentPackages { nodes { id } } }`, nil), `[]`, "it", "nodes")

	resolverstest.WantAt(t, a.Do(t, `{ it: tokenPolicy { notBefore updatedAt version } }`, nil), `{"notBefore":null,"updatedAt":null,"version":0}`, "it")
	resolverstest.WantAt(t, a.Do(t, `mutation { it: setTokenPolicy(notBefore: "2026-03-04T05:06:06.5Z", version: 0) { notBefore } }`, nil), `"2026-03-04T05:06:06.500000Z"`, "it", "notBefore")
	a.WantError(t, fault.Invalid, "future", `mutation { setTokenPolicy(notBefore: "2026-03-04T05:06:08Z") { version } }`, nil)
	a.WantError(t, fault.Conflict, "not 0", `mutation { setTokenPolicy(notBefore: null, version: 0) { version } }`, nil)
	for _, forgotten := range []string{`mutation { setTokenPolicy { version } }`, `mutation($then: DateTime) { setTokenPolicy(notBefore: $then) { version } }`} {
		a.WantError(t, fault.Invalid, "notBefore: is required", forgotten, nil)
	}
	resolverstest.WantAt(t, a.Do(t, `{ it: tokenPolicy { notBefore } }`, nil), `"2026-03-04T05:06:06.500000Z"`, "it", "notBefore")
	resolverstest.WantAt(t, a.Do(t, `mutation($then: DateTime) { it: setTokenPolicy(notBefore: $then) { notBefore } }`, map[string]any{"then": nil}), `null`, "it", "notBefore")
	a.Do(t, `mutation { setTokenPolicy(notBefore: "2026-03-04T05:06:06.5Z") { version } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `mutation { it: setClientPolicy(requirePkce: true) { notBefore requirePkce requireSecret } }`, nil),
		`{"notBefore":"2026-03-04T05:06:06.500000Z","requirePkce":true,"requireSecret":false}`, "it")
	resolverstest.WantAt(t, a.Do(t, `mutation { it: setClientPolicy(requireSecret: true) { requirePkce requireSecret } }`, nil), `{"requirePkce":true,"requireSecret":true}`, "it")
	a.WantError(t, fault.Conflict, "not 1", `mutation { setClientPolicy(requirePkce: false, version: 1) { version } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `mutation { it: setTokenPolicy(notBefore: null) { notBefore requirePkce requireSecret } }`, nil), `{"notBefore":null,"requirePkce":true,"requireSecret":true}`, "it")
	resolverstest.WantAt(t, a.Do(t, `mutation { it: setClientPolicy(requirePkce: false, requireSecret: false) { requirePkce requireSecret } }`, nil), `{"requirePkce":false,"requireSecret":false}`, "it")
}

// TestFindRecords finds accounts, clients and users by parts of their names, in any order and case.
func TestFindRecords(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.AddAccount(t, "school")
	a.Do(t, resolverstest.CreateAccount, map[string]any{"input": map[string]any{"id": "birch", "name": "Birch Lane School", "tier": "basic"}})
	a.AddClient(t, "lms", map[string]any{"name": "Learning platform"})
	ada := a.AddUser(t, map[string]any{"username": "ada.l", "givenName": "Ada", "familyName": "Lovelace", "email": "ada@school.example"})
	bob := a.AddUser(t, map[string]any{"externalId": "S-77", "email": "Bob@School.example"})
	for query, want := range map[string]string{
		`accounts(text: "school")`:                `[{"id":"birch"},{"id":"school"}]`,
		`accounts(text: "lane BIRCH")`:            `[{"id":"birch"}]`,
		`accounts(text: "lane oak")`:              `[]`,
		`clients(text: "platform")`:               `[{"id":"lms"}]`,
		`clients(text: "lms", account: "birch")`:  `[]`,
		`users(text: "lovel ada")`:                `[{"id":"` + ada + `"}]`,
		`users(text: "bob@school")`:               `[{"id":"` + bob + `"}]`,
		`users(text: "s-77", account: "school")`:  `[{"id":"` + bob + `"}]`,
		`users(text: "` + ada + `")`:              `[{"id":"` + ada + `"}]`,
		`users(text: "school", account: "birch")`: `[]`,
	} {
		resolverstest.WantAt(t, a.Do(t, `{ it: `+query+` { nodes { id } } }`, nil), want, "it", "nodes")
	}
	a.WantError(t, fault.Invalid, "to find a user", `{ users(account: "school", username: "ada.l", text: "x") { nodes { id } } }`, nil)
}
