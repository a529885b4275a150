package account_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// TestPermissionNames checks that the names of permissions stay the same, because stored accounts contain them and the
// API uses them as roles.
func TestPermissionNames(t *testing.T) {
	want := "VIEW_VIDEOS VIEW_VIDEO_TYPES VIEW_CHANNELS VIEW_DISCIPLINES VIEW_TAGS VIEW_CONTENT_WARNINGS VIEW_CONTENT_CATEGORIES" +
		" VIEW_LEGAL_RESTRICTIONS DOWNLOAD_TRANSCRIPT DOWNLOAD_VIDEO RATE_VIDEOS TAG_VIDEOS SHARE_VIDEOS VIEW_LEARNING_MATERIAL" +
		" VIEW_COLLECTIONS INSERT_COLLECTIONS UPDATE_COLLECTIONS DELETE_COLLECTIONS VIEW_ANY_COLLECTION INSERT_EVENTS VIEW_USERS VIEW_USAGE"
	if got := namesOf(account.TierPermissions()); got != want {
		t.Errorf("tiers: got %s, want %s", got, want)
	}
	want += " VIEW_SUGGESTIONS"
	if got := strings.Join(account.PermissionsOf(account.TierPermissions()...).Names(), " "); got != want {
		t.Errorf("all of them: got %s, want %s", got, want)
	}
	if got := strings.Join(account.CustomerPermissions().Names(), " "); got != "BROWSE "+strings.Replace(want, " VIEW_ANY_COLLECTION", "", 1) {
		t.Errorf("customers: got %s", got)
	}
	if got := strings.Join(account.OperatorPermissions().Names(), " "); got != "BROWSE "+want+" OPERATE EDIT_CATALOGUE VIEW_CUSTOMERS MANAGE_CUSTOMERS VIEW_PERSONS MANAGE_PERSONS VIEW_BILLING MANAGE_BILLING MANAGE_SYSTEM MANAGE_STAFF" {
		t.Errorf("operators: got %s", got)
	}
	for _, permission := range account.AllPermissions() {
		if got, err := account.ParsePermission(permission.String()); err != nil || got != permission {
			t.Errorf("%s is parsed as %s, %v", permission, got, err)
		}
	}
	for _, name := range []string{"", "view_videos", "VIEW_VIDEOS ", "EVERYTHING", "1", "\xff"} {
		permission, err := account.ParsePermission(name)
		if err == nil {
			t.Errorf("%q is parsed as %d", name, permission)
		}
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v does not have code invalid", name, err)
		}
	}
	var read account.Permission
	if text, err := account.ViewTags.MarshalText(); err != nil || string(text) != "VIEW_TAGS" || read.UnmarshalText(text) != nil || read != account.ViewTags {
		t.Errorf("%s, read as %s, %v", text, read, err)
	}
	if err := read.UnmarshalText([]byte("VIEW_THE_FUTURE")); err != nil || read != account.Everyone {
		t.Errorf("a permission of another release is parsed as %q, %v", read, err)
	}
	if name := account.Everyone.String() + account.Permission(200).String(); name != "" {
		t.Errorf("unknown permissions have the name %q", name)
	}
}

func namesOf(permissions []account.Permission) string {
	names := make([]string, len(permissions))
	for i, permission := range permissions {
		names[i] = permission.String()
	}
	return strings.Join(names, " ")
}

// TestPermissions compares sets of permissions with lists.
func TestPermissions(t *testing.T) {
	all := account.AllPermissions()
	some := rapid.SliceOfDistinct(rapid.SampledFrom(append(all, account.Everyone)), rapid.ID[account.Permission])
	rapid.Check(t, func(t *rapid.T) {
		list, other := some.Draw(t, "permissions"), some.Draw(t, "others")
		set, others := account.PermissionsOf(list...), account.PermissionsOf(other...)
		if !set.Has(account.Everyone) {
			t.Fatal("the set does not contain Everyone")
		}
		for _, permission := range all {
			included := slices.Contains(list, account.ViewVideos) && (permission == account.ViewVideoTypes || permission == account.ViewSuggestions) ||
				slices.Contains(list, account.ViewCollections) && permission == account.ViewSuggestions
			if set.Has(permission) != (slices.Contains(list, permission) || included) {
				t.Fatalf("%v has %s: %v", list, permission, set.Has(permission))
			}
			if both := set | others; both.Has(permission) != (set.Has(permission) || others.Has(permission)) {
				t.Fatalf("the union has %s: %v", permission, both.Has(permission))
			}
			if left := set &^ others; left.Has(permission) != (set.Has(permission) && !others.Has(permission)) {
				t.Fatalf("the difference has %s: %v", permission, left.Has(permission))
			}
		}
		var read []account.Permission
		for _, name := range set.Names() {
			permission, err := account.ParsePermission(name)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, permission)
		}
		if account.PermissionsOf(read...) != set || !slices.IsSorted(read) {
			t.Fatalf("%v has the names %v", list, set.Names())
		}
	})
	if set := account.PermissionsOf(); set != 0 || set.Names() != nil || set.Has(account.ViewVideos) || set.Has(account.Permission(200)) {
		t.Errorf("the empty set contains %v", set.Names())
	}
	if beyond := account.PermissionsOf(append(account.AllPermissions()[account.Operate-account.Browse:], account.ViewAnyCollection)...); account.CustomerPermissions()|beyond != account.OperatorPermissions() || account.CustomerPermissions()&beyond != 0 {
		t.Error("the customer's permissions are not the operator's without ViewAnyCollection and those from Operate on")
	}
}

func TestRequire(t *testing.T) {
	ctx := context.Background()
	if caller := account.CallerOf(ctx); caller != nil {
		t.Fatalf("the empty context has caller %v", caller)
	}
	teacher := &account.Caller{ClientID: "teacher", Permissions: account.PermissionsOf(account.ViewVideos, account.ViewTags)}
	stranger := &account.Caller{ClientID: "stranger"}
	for name, c := range map[string]struct {
		caller     *account.Caller
		permission account.Permission
		want       fault.Code
	}{
		"anonymous, everyone":           {nil, account.Everyone, fault.Unauthenticated},
		"anonymous, a permission":       {nil, account.ViewVideos, fault.Unauthenticated},
		"stranger, everyone":            {stranger, account.Everyone, ""},
		"stranger, a permission":        {stranger, account.ViewVideos, fault.Forbidden},
		"teacher, a permission":         {teacher, account.ViewVideos, ""},
		"teacher, another":              {teacher, account.ViewTags, ""},
		"teacher, a missing permission": {teacher, account.ViewChannels, fault.Forbidden},
		"teacher, operate":              {teacher, account.Operate, fault.Forbidden},
	} {
		ctx := account.WithCaller(ctx, c.caller)
		if got := account.CallerOf(ctx); got != c.caller {
			t.Errorf("%s: the caller is %v", name, got)
		}
		err := account.Require(ctx, c.permission)
		if got := fault.CodeOf(err); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if c.want == fault.Forbidden && !strings.Contains(err.Error(), c.permission.String()) {
			t.Errorf("%s: the message does not name the permission: %s", name, err)
		}
	}
}
