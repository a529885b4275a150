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

// The names are the roles of the API, and what accounts are stored with.
func TestRightNames(t *testing.T) {
	want := "VIEW_VIDEOS VIEW_VIDEO_TYPES VIEW_CHANNELS VIEW_DISCIPLINES VIEW_TAGS VIEW_CONTENT_WARNINGS VIEW_CONTENT_CATEGORIES" +
		" VIEW_LEGAL_RESTRICTIONS DOWNLOAD_TRANSCRIPT DOWNLOAD_VIDEO RATE_VIDEOS TAG_VIDEOS SHARE_VIDEOS VIEW_LEARNING_MATERIAL" +
		" VIEW_COLLECTIONS INSERT_COLLECTIONS UPDATE_COLLECTIONS DELETE_COLLECTIONS VIEW_ANY_COLLECTION INSERT_EVENTS VIEW_USERS VIEW_USAGE"
	if got := namesOf(account.TierRights()); got != want {
		t.Errorf("tiers: got %s, want %s", got, want)
	}
	want += " VIEW_SUGGESTIONS"
	if got := strings.Join(account.PermissionsOf(account.TierRights()...).Names(), " "); got != want {
		t.Errorf("all of them: got %s, want %s", got, want)
	}
	if got := strings.Join(account.CustomerPermissions().Names(), " "); got != "BROWSE "+strings.Replace(want, " VIEW_ANY_COLLECTION", "", 1) {
		t.Errorf("customers: got %s", got)
	}
	if got := strings.Join(account.OperatorPermissions().Names(), " "); got != "BROWSE "+want+" OPERATE" {
		t.Errorf("operators: got %s", got)
	}
	for _, right := range account.AllPermissions() {
		if got, err := account.ParsePermission(right.String()); err != nil || got != right {
			t.Errorf("%s is read as %s, %v", right, got, err)
		}
	}
	for _, name := range []string{"", "view_videos", "VIEW_VIDEOS ", "EVERYTHING", "1", "\xff"} {
		right, err := account.ParsePermission(name)
		if err == nil {
			t.Errorf("%q is read as %d", name, right)
		}
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v is no error for whoever wrote it", name, err)
		}
	}
	var read account.Permission
	if text, err := account.ViewTags.MarshalText(); err != nil || string(text) != "VIEW_TAGS" || read.UnmarshalText(text) != nil || read != account.ViewTags {
		t.Errorf("%s, read as %s, %v", text, read, err)
	}
	if err := read.UnmarshalText([]byte("VIEW_THE_FUTURE")); err != nil || read != account.Everyone {
		t.Errorf("a right of another release is read as %q, %v", read, err)
	}
	if name := account.Everyone.String() + account.Permission(200).String(); name != "" {
		t.Errorf("what is no right has the name %q", name)
	}
}

func namesOf(rights []account.Permission) string {
	names := make([]string, len(rights))
	for i, right := range rights {
		names[i] = right.String()
	}
	return strings.Join(names, " ")
}

// TestRights holds sets of rights against lists of them.
func TestRights(t *testing.T) {
	all := account.AllPermissions()
	some := rapid.SliceOfDistinct(rapid.SampledFrom(append(all, account.Everyone)), rapid.ID[account.Permission])
	rapid.Check(t, func(t *rapid.T) {
		list, other := some.Draw(t, "rights"), some.Draw(t, "others")
		set, others := account.PermissionsOf(list...), account.PermissionsOf(other...)
		if !set.Has(account.Everyone) {
			t.Fatal("a set without the right of everyone")
		}
		for _, right := range all {
			brought := slices.Contains(list, account.ViewVideos) && (right == account.ViewVideoTypes || right == account.ViewSuggestions) ||
				slices.Contains(list, account.ViewCollections) && right == account.ViewSuggestions
			if set.Has(right) != (slices.Contains(list, right) || brought) {
				t.Fatalf("%v has %s: %v", list, right, set.Has(right))
			}
			if both := set | others; both.Has(right) != (set.Has(right) || others.Has(right)) {
				t.Fatalf("together they have %s: %v", right, both.Has(right))
			}
			if left := set &^ others; left.Has(right) != (set.Has(right) && !others.Has(right)) {
				t.Fatalf("without the others there is %s: %v", right, left.Has(right))
			}
		}
		var read []account.Permission
		for _, name := range set.Names() {
			right, err := account.ParsePermission(name)
			if err != nil {
				t.Fatal(err)
			}
			read = append(read, right)
		}
		if account.PermissionsOf(read...) != set || !slices.IsSorted(read) {
			t.Fatalf("%v has the names %v", list, set.Names())
		}
	})
	if set := account.PermissionsOf(); set != 0 || set.Names() != nil || set.Has(account.ViewVideos) || set.Has(account.Permission(200)) {
		t.Errorf("the empty set holds %v", set.Names())
	}
	if beyond := account.PermissionsOf(account.Operate, account.ViewAnyCollection); account.CustomerPermissions()|beyond != account.OperatorPermissions() || account.CustomerPermissions()&beyond != 0 {
		t.Error("a customer's rights are not the operator's without those to operate and to reach across accounts")
	}
}

func TestRequire(t *testing.T) {
	ctx := context.Background()
	if caller := account.CallerOf(ctx); caller != nil {
		t.Fatalf("nobody is %v", caller)
	}
	teacher := &account.Caller{ClientID: "teacher", Permissions: account.PermissionsOf(account.ViewVideos, account.ViewTags)}
	stranger := &account.Caller{ClientID: "stranger"}
	for name, c := range map[string]struct {
		caller *account.Caller
		right  account.Permission
		want   fault.Code
	}{
		"nobody, everyone":             {nil, account.Everyone, fault.Unauthenticated},
		"nobody, a right":              {nil, account.ViewVideos, fault.Unauthenticated},
		"stranger, everyone":           {stranger, account.Everyone, ""},
		"stranger, a right":            {stranger, account.ViewVideos, fault.Forbidden},
		"teacher, a right":             {teacher, account.ViewVideos, ""},
		"teacher, another":             {teacher, account.ViewTags, ""},
		"teacher, one that it has not": {teacher, account.ViewChannels, fault.Forbidden},
		"teacher, to operate":          {teacher, account.Operate, fault.Forbidden},
	} {
		ctx := account.WithCaller(ctx, c.caller)
		if got := account.CallerOf(ctx); got != c.caller {
			t.Errorf("%s: the caller is %v", name, got)
		}
		err := account.Require(ctx, c.right)
		if got := fault.CodeOf(err); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if c.want == fault.Forbidden && !strings.Contains(err.Error(), c.right.String()) {
			t.Errorf("%s: the message does not name the right: %s", name, err)
		}
	}
}
