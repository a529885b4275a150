package account_test

import (
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// roster returns a roster with client c of account a, as modified by change.
func roster(change func(a *account.Account, c *account.Client)) *account.Roster {
	a := &account.Account{ID: "a", Tier: "basic", Status: account.Active, Subjects: []catalogue.ID{"maths"}}
	c := &account.Client{ID: "c", AccountID: "a"}
	change(a, c)
	return account.NewRoster([]account.Entity{
		c, a, // the order must not matter
		&account.Client{ID: "other", AccountID: "nowhere"},
		&account.Tier{ID: "all", Roles: account.TierPermissions()},
		&account.Tier{ID: "basic", Roles: []account.Permission{account.ViewVideos}},
		&account.Tier{ID: "odd", Roles: []account.Permission{account.ViewTags, account.Everyone}},
		&account.ContentPackage{ID: "narrow", Rules: []catalogue.AccessRule{{Type: catalogue.IncludedVideoTypes, Values: []string{"NEWS"}}}},
		&account.ContentPackage{ID: "wide", Rules: []catalogue.AccessRule{{Type: catalogue.IncludeAllPrivateChannels}}},
		&account.ContentPackage{ID: "none"},
		&account.ContentPackage{ID: "broken", Rules: []catalogue.AccessRule{{Type: "OfAnotherRelease"}}},
		&account.Policy{NotBefore: time.Unix(1000, 0)},
	})
}

func TestCaller(t *testing.T) {
	const today = catalogue.Date(20_000)
	basic := account.PermissionsOf(account.Browse, account.ViewVideos, account.ViewVideoTypes)
	date := func(d catalogue.Date) *catalogue.Date { return &d }
	narrow, err := catalogue.CompileRules([]catalogue.AccessRule{{Type: catalogue.IncludedVideoTypes, Values: []string{"NEWS"}}})
	if err != nil {
		t.Fatal(err)
	}
	all := catalogue.Access{PrivateChannels: true}
	for name, c := range map[string]struct {
		change      func(a *account.Account, c *account.Client)
		permissions account.Permissions
		access      catalogue.Access
		nobody      bool
	}{
		"active":    {func(*account.Account, *account.Client) {}, basic, catalogue.Access{}, false},
		"suspended": {func(a *account.Account, _ *account.Client) { a.Status = account.Suspended }, 0, catalogue.Access{}, true},
		"without status": {
			func(a *account.Account, _ *account.Client) { a.Status = "" }, 0, catalogue.Access{}, true,
		},
		"suspended operator": {
			func(a *account.Account, _ *account.Client) { a.Status, a.Operator = account.Suspended, true }, 0, catalogue.Access{}, true,
		},
		"disabled client": {func(_ *account.Account, c *account.Client) { c.Disabled = true }, 0, catalogue.Access{}, true},
		"account gone":    {func(_ *account.Account, c *account.Client) { c.AccountID = "gone" }, 0, catalogue.Access{}, true},
		"last day":        {func(a *account.Account, _ *account.Client) { a.AccessExpiresOn = date(today) }, basic, catalogue.Access{}, false},
		"expired": {
			func(a *account.Account, _ *account.Client) { a.AccessExpiresOn = date(today - 1) },
			account.PermissionsOf(account.ReportExpiry), catalogue.Access{}, false,
		},
		"expired client with roles": {
			func(a *account.Account, c *account.Client) {
				a.AccessExpiresOn, c.Roles = date(today-1), []account.Permission{account.ViewVideos}
			},
			account.PermissionsOf(account.ReportExpiry), catalogue.Access{}, false,
		},
		"tier gone": {
			func(a *account.Account, _ *account.Client) { a.Tier = "gone" }, account.PermissionsOf(account.Browse), catalogue.Access{}, false,
		},
		"tier with a permission of another release": {
			func(a *account.Account, _ *account.Client) { a.Tier = "odd" },
			account.PermissionsOf(account.Browse, account.ViewTags), catalogue.Access{}, false,
		},
		"tier with every role": {
			func(a *account.Account, _ *account.Client) { a.Tier = "all" }, account.CustomerPermissions(), catalogue.Access{}, false,
		},
		"client with a role of its tier": {
			func(_ *account.Account, c *account.Client) { c.Roles = []account.Permission{account.ViewVideoTypes} },
			account.PermissionsOf(account.Browse, account.ViewVideoTypes), catalogue.Access{}, false,
		},
		"client with a role outside its tier": {
			func(_ *account.Account, c *account.Client) { c.Roles = []account.Permission{account.ViewTags} },
			account.PermissionsOf(account.Browse), catalogue.Access{}, false,
		},
		"client with an empty role list": {
			func(_ *account.Account, c *account.Client) { c.Roles = []account.Permission{} },
			account.PermissionsOf(account.Browse), catalogue.Access{}, false,
		},
		"client whose role is unknown": {
			func(_ *account.Account, c *account.Client) { c.Roles = []account.Permission{account.Everyone} },
			account.PermissionsOf(account.Browse), catalogue.Access{}, false,
		},
		"with a package": {
			func(a *account.Account, _ *account.Client) { a.ContentPackage = "narrow" }, basic, narrow, false,
		},
		"with private channels": {
			func(a *account.Account, _ *account.Client) { a.ContentPackage = "wide" }, basic, all, false,
		},
		"with a package without rules": {
			func(a *account.Account, _ *account.Client) { a.ContentPackage = "none" }, basic, catalogue.Access{}, false,
		},
		"package gone": {
			func(a *account.Account, _ *account.Client) { a.ContentPackage = "gone" }, 0, catalogue.Access{}, false,
		},
		"package of another release": {
			func(a *account.Account, _ *account.Client) { a.ContentPackage = "broken" }, 0, catalogue.Access{}, false,
		},
		"expired, package gone": {
			func(a *account.Account, _ *account.Client) {
				a.AccessExpiresOn, a.ContentPackage = date(today-1), "gone"
			},
			account.PermissionsOf(account.ReportExpiry), catalogue.Access{}, false,
		},
		"operator": {
			func(a *account.Account, _ *account.Client) { a.Operator, a.Tier = true, "" }, account.OperatorPermissions(), all, false,
		},
		"operator with a package": {
			func(a *account.Account, _ *account.Client) { a.Operator, a.ContentPackage = true, "narrow" }, account.OperatorPermissions(), narrow, false,
		},
		"operator whose package is gone": {
			func(a *account.Account, _ *account.Client) { a.Operator, a.ContentPackage = true, "gone" }, 0, catalogue.Access{}, false,
		},
		"expired operator": {
			func(a *account.Account, _ *account.Client) { a.Operator, a.AccessExpiresOn = true, date(today-1) },
			account.PermissionsOf(account.ReportExpiry), all, false,
		},
		"operator's client with roles": {
			func(a *account.Account, c *account.Client) {
				a.Operator, c.Roles = true, []account.Permission{account.ViewTags}
			},
			account.PermissionsOf(account.Browse, account.ViewTags), all, false,
		},
	} {
		caller := roster(c.change).Caller("c", today)
		if (caller == nil) != c.nobody {
			t.Errorf("%s: the caller is %+v", name, caller)
		}
		if caller == nil {
			continue
		}
		if caller.Permissions != c.permissions {
			t.Errorf("%s: got permissions %v, want %v", name, caller.Permissions.Names(), c.permissions.Names())
		}
		if caller.Access.Fingerprint() != c.access.Fingerprint() {
			t.Errorf("%s: got access %+v, want %+v", name, caller.Access, c.access)
		}
		if caller.ClientID != "c" || caller.Account.ID != "a" || len(caller.Subjects) != 1 || caller.User+caller.Scope+caller.TokenID != "" || caller.Anonymous() {
			t.Errorf("%s: the caller is %+v", name, caller)
		}
	}
}

func TestRoster(t *testing.T) {
	r := roster(func(*account.Account, *account.Client) {})
	for _, unknown := range []string{"", "nobody", "other", "a"} {
		if caller := r.Caller(unknown, 0); caller != nil {
			t.Errorf("%q is %+v", unknown, caller)
		}
		if client, of := r.Client(unknown); client != nil || of != nil {
			t.Errorf("%q is the client %+v of %+v", unknown, client, of)
		}
	}
	if len(r.Accounts) != 1 || len(r.Clients) != 2 || len(r.Tiers) != 3 || len(r.Packages) != 4 || !r.NotBefore.Equal(time.Unix(1000, 0)) {
		t.Errorf("got %+v", r)
	}
	if caller := account.NewRoster(nil).Caller("c", 0); caller != nil {
		t.Errorf("an empty roster has caller %+v", caller)
	}
}

func TestInForce(t *testing.T) {
	end := catalogue.Date(20_000)
	for name, c := range map[string]struct {
		account account.Account
		day     catalogue.Date
		want    bool
	}{
		"no end":    {account.Account{Status: account.Active}, end, true},
		"last day":  {account.Account{Status: account.Active, AccessExpiresOn: &end}, end, true},
		"after it":  {account.Account{Status: account.Active, AccessExpiresOn: &end}, end + 1, false},
		"suspended": {account.Account{Status: account.Suspended}, end, false},
	} {
		if got := c.account.InForce(c.day); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// TestSignIn checks what users of the operator may do by their role and by that of the client with which they signed in.
func TestSignIn(t *testing.T) {
	const today = catalogue.Date(20_000)
	for name, c := range map[string]struct {
		client   account.StaffRole
		user     string
		signedIn bool
		operator bool
		want     account.Permissions
		role     account.StaffRole
	}{
		"a program without a role":              {"", "", false, true, account.OperatorPermissions(), account.Owner},
		"a program with a role":                 {account.Editor, "", false, true, account.Editor.Permissions(), account.Editor},
		"a user with a role":                    {"", "ada", true, true, account.Finance.Permissions(), account.Finance},
		"a user with a role, named by a client": {"", "ada", false, true, account.Finance.Permissions(), account.Finance},
		"a user without a role":                 {"", "bob", true, true, account.CustomerPermissions(), ""},
		"a user for whom a program acts":        {"", "bob", false, true, account.OperatorPermissions(), account.Owner},
		"a user and a client with roles":        {account.Editor, "ada", true, true, account.Finance.Permissions() & account.Editor.Permissions(), account.Finance},
		"a role that this release lacks":        {"", "eve", true, true, 0, "JANITOR"},
		"a customer's user":                     {"", "ada", true, false, account.PermissionsOf(account.Browse, account.ViewVideos), ""},
	} {
		r := account.NewRoster([]account.Entity{
			&account.Account{ID: "a", Tier: "basic", Status: account.Active, Operator: c.operator},
			&account.Tier{ID: "basic", Roles: []account.Permission{account.ViewVideos}},
			&account.Client{ID: "c", AccountID: "a", StaffRole: c.client},
			&account.StaffMember{ID: "ada", AccountID: "a", Role: account.Finance}, &account.StaffMember{ID: "eve", AccountID: "a", Role: "JANITOR"},
		})
		caller := r.Caller("c", today)
		r.SignIn(caller, c.user, c.signedIn)
		if caller.Permissions != c.want || caller.StaffRole != c.role {
			t.Errorf("%s: the role is %q, the permissions are %v, want %v", name, caller.StaffRole, caller.Permissions.Names(), c.want.Names())
		}
	}
}

// TestRolesDiffer checks that only owners manage staff, and that each role lacks something that another has.
func TestRolesDiffer(t *testing.T) {
	for _, role := range account.StaffRoles() {
		if role.Permissions().Has(account.ManageStaff) != (role == account.Owner) || !role.Permissions().Has(account.Operate) {
			t.Errorf("%s has %v", role, role.Permissions().Names())
		}
		if role != account.Owner && role.Permissions()&^account.OperatorPermissions() != 0 {
			t.Errorf("%s has more than an owner", role)
		}
	}
}
