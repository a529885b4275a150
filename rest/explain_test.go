package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
)

// explainedSearch is the result of explainSearch.
type explainedSearch struct {
	Words []struct {
		Word                         string
		Stems, Synonyms, Corrections []string
		Videos                       int
	}
	Phrases     []string
	MatchLevels []struct {
		TyposForgiven bool
		OptionalWords int
		Matches       *int
		Chosen        bool
	}
	ByMeaning      bool
	Pinned, Buried []string
	Total          int
	Video          *struct {
		Place               *int
		Missing, ExcludedBy []string
		Words               []struct {
			Word  string
			Texts []string
		}
		Similarity              *float64
		Pinned, Buried, Boosted bool
	}
}

const explainSearchQuery = `query($query: String!, $filter: VideoFilter, $video: ID, $account: String) { hal: explainSearch(query: $query, filter: $filter, video: $video, account: $account) {
	words { word stems synonyms corrections videos } phrases matchLevels { typosForgiven optionalWords matches chosen } byMeaning pinned buried total
	video { place missing excludedBy words { word texts } similarity pinned buried boosted } } }`

func (w *world) explain(t *testing.T, query string, filter map[string]any, reference string) explainedSearch {
	t.Helper()
	variables := map[string]any{"query": query, "filter": filter}
	if reference != "" {
		variables["video"] = idOf(reference)
	}
	data, code := w.graphQL(t, operator, explainSearchQuery, variables)
	if code != "" {
		t.Fatalf("%q is not explained: %s", query, code)
	}
	var explained explainedSearch
	check(json.Unmarshal(must(json.Marshal(data)), &explained))
	return explained
}

func TestSearchIsExplained(t *testing.T) {
	w := shared()
	e := w.explain(t, `the boats baots "by the water"`, nil, "")
	if len(e.Words) != 3 || e.Words[0].Word != "boats" || fmt.Sprint(e.Words[0].Stems) != "[boat boats]" || e.Words[0].Videos < 1 || e.Words[1].Videos != 0 || !slices.Contains(e.Words[1].Corrections, "boats") {
		t.Errorf("the words are %+v", e.Words)
	}
	if fmt.Sprint(e.Phrases) != "[by the water]" || e.ByMeaning || e.Video != nil {
		t.Errorf("%+v", e)
	}
	if len(e.MatchLevels) < 3 || e.MatchLevels[0].TyposForgiven || *e.MatchLevels[0].Matches != 0 || e.MatchLevels[0].Chosen || !e.MatchLevels[1].Chosen || e.Total != *e.MatchLevels[1].Matches {
		t.Errorf("the match levels are %+v, of %d results", e.MatchLevels, e.Total)
	}
	if _, code := w.graphQL(t, customer, explainSearchQuery, map[string]any{"query": "boats"}); code != "FORBIDDEN" {
		t.Errorf("a customer gets the code %q", code)
	}
}

// TestMissingVideosAreExplained checks each reason for which a search does not find a video, and the place of one that it
// finds.
func TestMissingVideosAreExplained(t *testing.T) {
	w := newWorld(t, options{})
	if _, code := w.graphQL(t, operator, `mutation($boats: String!) { hal: createContentPackage(
		input: {id: "dry", name: "Dry", rules: [{type: ExcludedVideos, values: [$boats]}]}) { id } }`, map[string]any{"boats": idOf("boats")}); code != "" {
		t.Fatal(code)
	}
	found := w.explain(t, "wooden boats", nil, "boats").Video
	if found.Place == nil || *found.Place != 1 || len(found.Missing) > 0 || fmt.Sprint(found.Words) != "[{wooden [TITLE]} {boats [TITLE]}]" {
		t.Errorf("a video that is found: %+v", found)
	}
	for name, test := range map[string]struct {
		query, video       string
		filter             map[string]any
		missing, excluding string
	}{
		"words":            {"volcanoes", "boats", nil, "[WORDS]", "[]"},
		"a filter":         {"boats", "boats", map[string]any{"ageMin": 90, "promoted": nil}, "[FILTER]", "[ageMin]"},
		"two filters":      {"boats", "boats", map[string]any{"ids": []string{string(idOf("floating"))}, "ageMin": 90}, "[FILTER]", "[ids ageMin]"},
		"words and filter": {"volcanoes", "boats", map[string]any{"ageMin": 90}, "[WORDS FILTER]", "[ageMin]"},
		"no such video":    {"boats", "nowhere", nil, "[NOT_INDEXED]", "[]"},
		"a package":        {"boats", "boats", map[string]any{"contentPackage": "dry"}, "[NOT_VISIBLE]", "[]"},
		"no such package":  {"boats", "boats", map[string]any{"contentPackage": "none"}, "[NO_ACCESS]", "[]"},
		"retired":          {"withdrawn", "retired", nil, "[NOT_VISIBLE]", "[]"},
	} {
		got := w.explain(t, test.query, test.filter, test.video).Video
		if fmt.Sprint(got.Missing) != test.missing || fmt.Sprint(got.ExcludedBy) != test.excluding || got.Place != nil {
			t.Errorf("%s: missing for %v, excluded by %v, place %v; want %s and %s", name, got.Missing, got.ExcludedBy, got.Place, test.missing, test.excluding)
		}
	}
}

// TestViewsOfAccountsAreExplained compares what explainSearch says of an account with what a token of the account gets.
func TestViewsOfAccountsAreExplained(t *testing.T) {
	w := newWorld(t, options{})
	yesterday := catalogue.DateOf(begin) - 1
	put := func(id string, change func(*account.Account)) {
		records := authtest.Customer(id, secret, nil)
		change(records[1].(*account.Account))
		check(authtest.Put(t.Context(), w.accounts, records...))
	}
	editor := authtest.Client("editor", operator, secret)
	editor.StaffRole = account.Editor
	check(authtest.Put(t.Context(), w.accounts, editor,
		&account.Tier{ID: "blind", Name: "Blind", Roles: []account.Permission{account.ViewCollections}},
		&account.ContentPackage{ID: "dry", Name: "Dry", Rules: []catalogue.AccessRule{{Type: catalogue.ExcludedVideos, Values: []string{string(idOf("boats"))}}}},
		&account.ContentPackage{ID: "insider", Name: "Insider", Rules: []catalogue.AccessRule{{Type: catalogue.IncludeAllPrivateChannels}}},
	))
	put("open", func(*account.Account) {})
	put("sober", func(a *account.Account) { a.ContentPackage = "dry" })
	put("friend", func(a *account.Account) { a.ContentPackage = "insider" })
	put("former", func(a *account.Account) { a.AccessExpiresOn = &yesterday })
	put("unsighted", func(a *account.Account) { a.Tier = "blind" })
	put("debtor", func(*account.Account) {})
	check(w.auth.Refresh(t.Context()))
	w.token(t, "debtor")
	put("debtor", func(a *account.Account) { a.Status = account.Suspended })
	check(w.auth.Refresh(t.Context()))

	future := videoOf("future", "Premieres tomorrow", "lab")
	future.ReleasedOn = catalogue.DateOf(begin) + 1
	w.put(future)
	w.awaitSearch(t)

	titles := map[string]string{
		"boats": "wooden boats", "secretVideo": "Secret water works", "retired": "Withdrawn", "expired": "Too late", "ending": "Last chance", "future": "Premieres tomorrow",
	}
	for _, as := range []string{"open", "sober", "friend", "former", "unsighted", "debtor", operator} {
		for video, title := range titles {
			want := []string{}
			if video == "retired" || video == "expired" || video == "boats" && as == "sober" || video == "secretVideo" && as != "friend" && as != operator {
				want = append(want, "NOT_VISIBLE")
			}
			if as == "former" || as == "unsighted" || as == "debtor" {
				want = append(want, "NO_ACCESS")
			}
			data, code := w.graphQL(t, operator, explainSearchQuery, map[string]any{"query": title, "video": idOf(video), "account": as})
			if code != "" {
				t.Fatal(code)
			}
			var explained explainedSearch
			check(json.Unmarshal(must(json.Marshal(data)), &explained))
			if got := explained.Video; fmt.Sprint(got.Missing) != fmt.Sprint(want) || (got.Place == nil) != (len(want) > 0) {
				t.Errorf("%s, %s: missing for %v, at place %v; want %v", as, video, got.Missing, got.Place, want)
			}
			found := w.get(t, as, "/v1/videos?query="+url.QueryEscape(title))
			finds := found.StatusCode == http.StatusOK && strings.Contains(string(found.body), string(idOf(video)))
			if finds != (len(want) == 0) {
				t.Errorf("%s, %s: is explained as %v, but the search returns %d and finds it: %v", as, video, want, found.StatusCode, finds)
			}
		}
	}
	for name, test := range map[string]struct{ as, arguments, code string }{
		"an unknown account":            {operator, `account: "nobody"`, "NOT_FOUND"},
		"an account and a package":      {operator, `account: "open", filter: {contentPackage: "dry"}`, "INVALID"},
		"staff who do not see accounts": {"editor", `account: "open"`, "FORBIDDEN"},
	} {
		body := `{"query":` + jsonOf(`{ explainSearch(query: "x", `+test.arguments+`) { total } }`) + `}`
		got := w.send(t, apiRequest{as: test.as, method: "POST", path: "/graphql", body: body, header: map[string]string{"Content-Type": "application/json"}})
		if !strings.Contains(string(got.body), `"`+test.code+`"`) {
			t.Errorf("%s: %s", name, got.body)
		}
	}
}
