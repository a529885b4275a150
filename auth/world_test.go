package auth_test

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
)

// world returns the accounts of every fixture: two in force (school has all permissions), one suspended and one
// expired.
func world() []account.Entity {
	narrow, suspended, expired := authtest.Account("library", "narrow"), authtest.Account("closed", "full"), authtest.Account("past", "full")
	narrow.IgnoresServiceUserID = true
	suspended.Status = account.Suspended
	lastDay := catalogue.DateOf(begin) - 1
	expired.AccessExpiresOn = &lastDay
	public, strict, disabled, off := authtest.Client("public", "school"), authtest.Client("strict", "school", secret),
		authtest.Client("disabled", "school", secret), authtest.Client("suspended", "closed", secret)
	public.RequirePKCE, strict.RequireSecret, disabled.Disabled = true, true, true
	demo := authtest.Client("demo", "school", secret, "second-secret")
	for _, client := range []*account.Client{demo, public, strict} {
		client.RedirectURIs = []string{redirect}
	}
	return []account.Entity{
		&account.Tier{ID: "full", Name: "Full", Roles: account.TierPermissions()},
		&account.Tier{ID: "narrow", Name: "Narrow", Roles: []account.Permission{account.ViewVideos}},
		authtest.Account("school", "full"), narrow, suspended, expired, demo, public, strict, disabled, off,
		authtest.Client("sibling", "school", secret), authtest.Client("other", "library", secret),
		authtest.Client("past", "past", secret), authtest.Client("a.b-c", "school", "p%+ä:"),
	}
}
