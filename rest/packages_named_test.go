package rest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
)

// operate runs a GraphQL operation as the operator. It returns the messages and reasons of the errors, or "" if there
// are none.
func (w *world) operate(t testing.TB, query string) string {
	t.Helper()
	body := string(must(json.Marshal(map[string]any{"query": query})))
	got := w.send(t, apiRequest{as: operator, method: "POST", path: "/graphql", body: body, header: map[string]string{"Content-Type": "application/json"}})
	var answer struct {
		Errors []struct {
			Message    string
			Extensions struct {
				Code    string
				Reasons []string
			}
		}
	}
	if err := json.Unmarshal(got.body, &answer); err != nil {
		t.Fatalf("%v in %.300s", err, got.body)
	}
	if len(answer.Errors) == 0 {
		return ""
	}
	return answer.Errors[0].Extensions.Code + " " + answer.Errors[0].Message + " " + strings.Join(answer.Errors[0].Extensions.Reasons, " ")
}

// packageOf returns a mutation that writes a package with one rule.
func packageOf(mutation string, rule catalogue.RuleType, values ...string) string {
	rules := fmt.Sprintf(`rules: [{type: %s, values: %s}]`, rule, must(json.Marshal(values)))
	if mutation == "create" {
		return `mutation { createContentPackage(input: {id: "named", name: "Named", ` + rules + `}) { id } }`
	}
	return `mutation { updateContentPackage(id: "named", input: {` + rules + `}) { id } }`
}

// TestPackagesNameExistingRecords proves that each rule type whose values refer to the catalogue refuses an unknown value
// and accepts a known one, when a package is created and when it is changed.
func TestPackagesNameExistingRecords(t *testing.T) {
	w := newWorld(t, options{})
	w.put(&catalogue.ContentWarning{Meta: metaOf("loud"), Label: "Loud"})
	physics := string(idOf("physics"))
	near := strings.Replace(physics, physics[5:6], map[bool]string{true: "0", false: "1"}[physics[5:6] != "0"], 1)
	for rule, c := range map[catalogue.RuleType]struct{ exists, unknown, says string }{
		catalogue.IncludedVideos:          {string(idOf("floating")), unknownID, `there is no video`},
		catalogue.ExcludedVideos:          {string(idOf("floating")), unknownID, `there is no video`},
		catalogue.IncludedCollections:     {string(collectionOf("tides")), unknownID, `there is no collection`},
		catalogue.IncludedChannels:        {string(idOf("lab")), physics, `it is the id of a subject`},
		catalogue.IncludedPrivateChannels: {string(idOf("lab")), unknownID, `there is no channel`},
		catalogue.ExcludedChannels:        {string(idOf("lab")), "Open lab", `"Open lab" is not an id; the channel with this name has the id "` + string(idOf("lab"))},
		catalogue.IncludedSubjects:        {physics, near, fmt.Sprintf(`there is no subject %q; did you mean %q?`, near, physics)},
		catalogue.IncludedEducationLevels: {"4CL", "4cl", `there is no education level "4cl"; did you mean "4CL"?`},
		catalogue.ExcludedEducationLevels: {"4CL", "12Z", `there is no education level "12Z"; the codes are 4CA, 4CL`},
		catalogue.ExcludedContentWarnings: {string(idOf("loud")), unknownID, `there is no content warning`},
		// Enumerations.
		catalogue.IncludedVideoTypes:          {"NEWS", "NEW", `"NEW"`},
		catalogue.ExcludedVideoTypes:          {"NEWS", "NEW", `"NEW"`},
		catalogue.ExcludedLanguages:           {"rus", "rux", `"rux"`},
		catalogue.ExcludedPlaybackSources:     {"YOUTUBE", "VIMEO", `"VIMEO"`},
		catalogue.IncludedDistributionMethods: {"STREAM", "POST", `"POST"`},
		// For Thema codes, only the format is known.
		catalogue.IncludedThemaCategories: {"JNU", "jnu!", `"jnu!"`},
	} {
		for _, mutation := range []string{"create", "update"} {
			at := fmt.Sprintf("rules[0].values[1]: %s: ", rule)
			if c.says[0] == '"' && c.unknown != "Open lab" { // found by validation
				at = "rules[0].values[1]: "
			}
			if got := w.operate(t, packageOf(mutation, rule, c.exists, c.unknown)); !strings.Contains(got, at) || !strings.Contains(got, c.says) || !strings.Contains(got, c.unknown) {
				t.Errorf("%s %s: %s", mutation, rule, got)
			}
			if got := w.operate(t, packageOf(mutation, rule, c.exists)); got != "" {
				t.Errorf("%s %s of what exists: %s", mutation, rule, got)
			}
		}
		if got := w.operate(t, `mutation { deleteContentPackage(id: "named") }`); got != "" {
			t.Fatal(got)
		}
	}
	for _, rule := range catalogue.RuleTypes() {
		if got := w.operate(t, packageOf("create", rule, "?")); got == "" {
			t.Errorf("%s takes any value", rule)
		}
	}
}

// TestPackagesKeepWhatIsDeleted proves that an item which a rule names may be deleted. The rule keeps the value, and an
// update may repeat it, but may not add other unknown values. A package that has dropped the value cannot add it again.
func TestPackagesKeepWhatIsDeleted(t *testing.T) {
	w := newWorld(t, options{})
	w.put(&catalogue.Subject{Meta: metaOf("glaciers"), Name: "Glaciers"})
	glaciers, physics, tides := string(idOf("glaciers")), string(idOf("physics")), string(collectionOf("tides"))
	succeeds := func(query string) {
		t.Helper()
		if got := w.operate(t, query); got != "" {
			t.Errorf("%s: %s", query, got)
		}
	}
	refused := func(query, says string) {
		t.Helper()
		if got := w.operate(t, query); !strings.HasPrefix(got, "INVALID") || !strings.Contains(got, says) {
			t.Errorf("%s: %q, want %q", query, got, says)
		}
	}
	both := `[{type: IncludedSubjects, values: ["` + glaciers + `"]}, {type: IncludedCollections, values: ["` + tides + `"]}`
	succeeds(`mutation { createContentPackage(input: {id: "named", name: "Named", rules: ` + both + `]}) { id } }`)
	succeeds(`mutation { deleteSubject(id: "` + glaciers + `") }`)
	check(w.collections.Delete(t.Context(), collectionOf("tides"), func(*collection.Collection) error { return nil }))
	succeeds(`mutation { updateContentPackage(id: "named", input: {name: "Called"}) { id } }`)
	succeeds(`mutation { updateContentPackage(id: "named", input: {rules: ` + both + `, {type: ExcludedVideoTypes, values: ["NEWS"]}]}) { id } }`)
	succeeds(packageOf("update", catalogue.IncludedSubjects, physics, glaciers))
	refused(packageOf("update", catalogue.IncludedSubjects, physics, glaciers, unknownID), `rules[0].values[2]: IncludedSubjects: there is no subject "`+unknownID)
	succeeds(packageOf("update", catalogue.IncludedSubjects, physics))
	refused(packageOf("update", catalogue.IncludedSubjects, physics, glaciers), `rules[0].values[1]`)
	refused(`mutation { createContentPackage(input: {id: "other", name: "Other", rules: `+both+`]}) { id } }`, `rules[1].values[0]: IncludedCollections`)
	refused(`mutation { updateContentPackage(id: "named", input: {name: "", rules: [{type: IncludedSubjects, values: ["`+unknownID+`"]}, {type: IncludedVideoTypes, values: ["OLD"]}]}) { id } }`,
		`name`) // all errors at once
}

// TestAccountsNameExistingRecords proves that the subjects of an account and the users whose embeds it takes over must
// exist.
func TestAccountsNameExistingRecords(t *testing.T) {
	w := newWorld(t, options{})
	w.put(&catalogue.Subject{Meta: metaOf("glaciers"), Name: "Glaciers"})
	glaciers := string(idOf("glaciers"))
	want := func(query, says string) {
		t.Helper()
		if got := w.operate(t, query); (got == "") != (says == "") || !strings.Contains(got, says) {
			t.Errorf("%s: %q, want %q", query, got, says)
		}
	}
	made := func(subjects string) string {
		return `mutation { createAccount(input: {id: "aaa", name: "A", tier: "basic", subjects: ["` + subjects + `"]}) { id } }`
	}
	changed := func(field, values string) string {
		return `mutation { updateAccount(id: "` + school + `", input: {` + field + `: ["` + strings.ReplaceAll(values, " ", `","`) + `"]}) { id } }`
	}
	want(made(unknownID), `subjects[0]: there is no subject "`+unknownID)
	want(made(glaciers), "")
	want(changed("subjects", glaciers+" "+unknownID), `subjects[1]: there is no subject "`+unknownID)
	want(changed("subjects", glaciers), "")
	want(`mutation { deleteSubject(id: "`+glaciers+`") }`, "")
	want(changed("subjects", glaciers), "")
	want(made(glaciers), "subjects[0]")

	want(changed("embedsTakenOver", learnerID+" "+unknownID), `embedsTakenOver[1]: the account has and had no user "`+unknownID)
	want(changed("embedsTakenOver", guestID), `embedsTakenOver[0]`) // of another account
	want(`mutation { deleteUser(id: "`+learnerID+`") }`, "")
	want(changed("embedsTakenOver", learnerID), "") // even after the user was deleted
	want(changed("embedsTakenOver", learnerID+" "+classmateID), "")
	want(`mutation { updateAccount(id: "`+school+`", input: {tier: "gold"}) { id } }`, "gold")
	want(`mutation { updateAccount(id: "`+school+`", input: {contentPackage: "gone"}) { id } }`, "gone")
	want(`mutation { createClient(input: {id: "new", account: "gone"}) { secret } }`, "gone")
	want(`mutation { createUser(input: {account: "gone", externalId: "x"}) { id } }`, "gone")
}

// TestSearchRulesNameWhatExists proves the same for search rules over GraphQL.
func TestSearchRulesNameWhatExists(t *testing.T) {
	w := newWorld(t, options{})
	floating := string(idOf("floating"))
	rule := func(pinned, buried string) string {
		return `mutation { createSearchRule(input: {query: "ships", pinned: ["` + pinned + `"], buried: ["` + buried + `"]}) { id } }`
	}
	if got := w.operate(t, rule(unknownID, floating)); !strings.Contains(got, `pinned[0]: there is no video "`+unknownID) {
		t.Error(got)
	}
	if got := w.operate(t, rule(floating, unknownID)); !strings.Contains(got, `buried[0]: there is no video "`+unknownID) {
		t.Error(got)
	}
	if got := w.operate(t, rule(floating, string(idOf("boats")))); got != "" {
		t.Error(got)
	}
}
