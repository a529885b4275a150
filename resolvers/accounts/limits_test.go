package accounts_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

// TestIdentityProviderTest verifies that staff learn what is wrong with a provider, and that they name one that exists.
func TestIdentityProviderTest(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	a.Do(t, `mutation { createAccount(input: {id: "school", name: "School", tier: "basic", identityProviders: [
		{alias: "good", name: "Good", issuer: "https://idp.example", clientId: "c"}, {alias: "away", name: "Away", issuer: "https://away.example", clientId: "c"}]}) { id } }`, nil)
	resolverstest.WantAt(t, a.Do(t, `mutation { it: testIdentityProvider(account: "school", alias: "good") }`, nil), `null`, "it")
	resolverstest.WantAt(t, a.Do(t, `mutation { it: testIdentityProvider(account: "school", alias: "away") }`, nil), `"the issuer of school is away"`, "it")
	a.WantError(t, fault.NotFound, `"nobody"`, `mutation { testIdentityProvider(account: "nobody", alias: "good") }`, nil)
	a.WantError(t, fault.NotFound, `"none"`, `mutation { testIdentityProvider(account: "school", alias: "none") }`, nil)
}

// TestRequestsInMonth verifies that staff see how much of its monthly limit an account has used.
func TestRequestsInMonth(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	_, err := a.Accounts.AddUsage(t.Context(), "2026-10", map[string]int64{"school": 41})
	resolverstest.Must(t, err)
	resolverstest.WantAt(t, a.Do(t, `{ it: requestsInMonth(account: "school", month: "2026-10") }`, nil), `41`, "it")
	resolverstest.WantAt(t, a.Do(t, `{ it: requestsInMonth(account: "school", month: "2026-11") }`, nil), `0`, "it")
}
