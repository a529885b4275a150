package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// imported are the lines of a catalogue with a collection of the operator that contains a collection of a teacher.
const imported = `{"format":1,"kind":"collection","source":"cms","ref":"week","title":"The moon in a week","description":"Lessons","videos":["moon",{"video":"sun","start":1,"end":"PT2.5S","note":"Only the start"}],"subjects":["sky"],"ageRange":{"min":9,"max":12},"discoverable":true,"promoted":true,"promotedFor":["CLASSROOM"],"subCollections":["hers"],"attachments":[{"type":"LESSON_PLAN","link":"https://media.example.org/plan.pdf"}]}
{"format":1,"kind":"collection","source":"cms","ref":"hers","title":"For my class","account":"school","owner":"teacher-1","videos":["sun"]}
{"format":1,"kind":"channel","source":"cms","ref":"c","name":"Space School"}
{"format":1,"kind":"subject","source":"cms","ref":"sky","name":"Astronomy"}
{"format":1,"kind":"video","source":"cms","ref":"moon","title":"Phases","channel":"c","releasedOn":"2020-01-01","playback":{"provider":"YOUTUBE","duration":60}}
{"format":1,"kind":"video","source":"cms","ref":"sun","title":"Sunspots","channel":"c","releasedOn":"2020-01-01","playback":{"provider":"YOUTUBE","duration":60}}
`

func importedID(kind catalogue.Kind, ref string) string {
	return string(catalogue.DeriveID(kind, "cms", ref))
}

// TestCollectionsAreImported verifies imports of collections while a server runs. Imported collections are read by ID,
// listed and found like those created through the API. A line replaces the changes that the owner made meanwhile. An
// import prunes collections that it no longer mentions.
func TestCollectionsAreImported(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			h := apptest.NewInstallation(t, engine)
			h.Account("house", "--operator")
			h.Filmstrip("accounts", "create", "school", "--name", "school", "--tier", "premium")
			h.Filmstrip("users", "create", "--account", "school", "--external-id", "teacher-1", "--given-name", "Ada", "--family-name", "Lovelace")
			console, lms := h.Client("console", "house"), h.Client("lms", "school")
			s := h.Serve()
			operator, teacher := s.Access("console", console), s.Access("lms", lms, "Service-User-Id", "teacher-1")
			imports := func(lines string, status int, says string, flags ...string) {
				t.Helper()
				got := command(t, nil, lines, append(append([]string{"import", "-"}, flags...), h.Where...)...)
				if got.Status != status || !strings.Contains(got.Out+got.Err, says) {
					t.Fatalf("import: status %d: %s%s", got.Status, got.Out, got.Err)
				}
			}
			read := func(token, path string) (document map[string]any) {
				t.Helper()
				response, body := s.Send("GET", path, token, "")
				if err := json.Unmarshal(body, &document); err != nil || response.StatusCode != http.StatusOK {
					t.Fatalf("%s: %d %s", path, response.StatusCode, body)
				}
				return document
			}
			week, hers := importedID(collection.Kind, "week"), importedID(collection.Kind, "hers")

			imports(strings.Replace(imported, `"owner":"teacher-1"`, `"owner":"teacher-2"`, 1), 1, `:2: owner: the account "school" has no user "teacher-2"`, "--strict")
			if n := read(operator, "/v1/videos")["page"].(map[string]any)["totalElements"]; n != 0.0 {
				t.Fatalf("a strict run that was refused brought %v videos", n)
			}
			imports(imported, 0, "collection", "--strict")
			shown := read(teacher, "/v1/collections/"+week+"?projection=details")
			title := func(list any, place int) any { return list.([]any)[place].(map[string]any)["title"] }
			if got := fmt.Sprint(shown["title"], title(shown["videos"], 0), title(shown["videos"], 1), title(shown["subCollections"], 0), shown["ownerName"], shown["mine"]); got != "The moon in a week"+"Phases"+"Sunspots"+"For my class"+"house"+"false" {
				t.Errorf("the collection shows %s: %v", got, shown)
			}
			mine := read(teacher, "/v1/collections/"+hers)
			if mine["ownerName"] != "Ada Lovelace" || mine["mine"] != true || mine["_links"].(map[string]any)["edit"] == nil {
				t.Errorf("the teacher's shows %v", mine)
			}
			finds := func(token, path string, ids ...string) {
				t.Helper()
				apptest.Await(t, path+" finds what was imported", func() bool {
					response, body := s.Send("GET", path, token, "")
					for _, id := range ids {
						if !strings.Contains(string(body), id) {
							return false
						}
					}
					return response.StatusCode == http.StatusOK
				})
			}
			finds(teacher, "/v1/collections?query=moon+in", week)
			finds(operator, "/v1/collections?promoted=true&subject="+importedID(catalogue.KindSubject, "sky"), week)
			finds(teacher, "/v1/users/"+apptest.Subject(t, teacher)+"/collections", hers)

			imports(imported, 0, "6 lines", "--prune")
			if again := read(teacher, "/v1/collections/"+hers); again["updatedAt"] != mine["updatedAt"] {
				t.Errorf("an import that changes nothing moved updatedAt from %v to %v", mine["updatedAt"], again["updatedAt"])
			}
			if changed, text := s.Send("PATCH", "/v1/collections/"+hers, teacher, `{"title":"My own words"}`, "Content-Type", "application/json"); changed.StatusCode != http.StatusNoContent {
				t.Fatalf("the teacher cannot change it: %d %s", changed.StatusCode, text)
			}
			imports(imported, 0, "6 lines")
			if again := read(teacher, "/v1/collections/"+hers); again["title"] != "For my class" {
				t.Errorf("the line does not replace the title: %v", again["title"])
			}

			lines := strings.SplitAfter(imported, "\n")
			imports(strings.Replace(lines[0], `["hers"]`, `[]`, 1)+strings.Join(lines[2:], ""), 0, "5 lines", "--prune")
			if gone := s.Status("/v1/collections/"+hers, teacher); gone != http.StatusNotFound {
				t.Errorf("the pruned collection answers %d", gone)
			}
			if left := s.Status("/v1/collections/"+week, teacher); left != http.StatusOK {
				t.Errorf("the other one answers %d", left)
			}
		})
	}
}

// TestImportedCollectionsOpenNothing verifies that a line about a user's collection adds only videos that the user's
// account sees, so that a package with the collection opens no other videos. Hidden videos that the collection already
// contains stay in it.
func TestImportedCollectionsOpenNothing(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			h := apptest.NewInstallation(t, engine)
			h.Account("house", "--operator")
			h.Account("school")
			h.Filmstrip("users", "create", "--account", "school", "--external-id", "teacher-1")
			imports := func(videos, owner, says string) {
				t.Helper()
				lines := strings.SplitAfter(imported, "\n")
				line := fmt.Sprintf(`{"format":1,"kind":"collection","source":"cms","ref":"hers","title":"T","account":%s,"videos":%s}`+"\n", owner, videos)
				got := command(t, nil, line+strings.Join(lines[2:], ""), append([]string{"import", "-"}, h.Where...)...)
				if got.Status != 0 || strings.Contains(got.Out, "left out") != (says != "") || !strings.Contains(got.Out, says) {
					t.Fatalf("import: status %d: %s%s", got.Status, got.Out, got.Err)
				}
			}
			kept := openStores(t, h.Where).Collections
			has := func(want ...string) {
				t.Helper()
				var ids []catalogue.ID
				for _, ref := range want {
					ids = append(ids, catalogue.ID(importedID(catalogue.KindVideo, ref)))
				}
				found := apptest.Must(kept.Collections(t.Context(), []catalogue.ID{catalogue.ID(importedID(collection.Kind, "hers"))}))(t)
				if got := found[0].VideoIDs(); !slices.Equal(got, ids) {
					t.Errorf("the collection has %v, want %v", got, ids)
				}
			}
			write := fmt.Sprintf(`[{"type":"IncludedCollections","values":[%q]},{"type":"IncludedVideos","values":[%q]}]`,
				importedID(collection.Kind, "hers"), importedID(catalogue.KindVideo, "moon"))
			rules, open := apptest.WriteFile(t, "rules.json", write), apptest.WriteFile(t, "open.json", "[]")
			const hers = `"school","owner":"teacher-1"`
			imports(`["moon"]`, hers, "")
			h.Filmstrip("packages", "put", "narrow", "--rules", rules)
			h.Filmstrip("accounts", "update", "school", "--content-package", "narrow")
			imports(`["sun","moon"]`, hers, "left out of users' collections: 1")
			has("moon")
			imports(`["sun","moon"]`, hers, "left out of users' collections: 1")
			has("moon")
			h.Filmstrip("packages", "put", "open", "--rules", open)
			h.Filmstrip("accounts", "update", "school", "--content-package", "open")
			imports(`["sun","moon"]`, hers, "")
			has("sun", "moon")
			h.Filmstrip("accounts", "update", "school", "--content-package", "narrow")
			imports(`["moon","sun"]`, hers, "") // the collection contains it already
			has("moon", "sun")
		})
	}
}

// TestOwnersOfImportedCollections verifies that a line whose collection has no clear owner is rejected, and that the
// error states what the line must contain.
func TestOwnersOfImportedCollections(t *testing.T) {
	h := apptest.NewInstallation(t, apptest.Engines{})
	line := func(ref, more string) string {
		return fmt.Sprintf(`{"format":1,"kind":"collection","source":"cms","ref":%q,"title":"T"%s}`+"\n", ref, more)
	}
	imports := func(lines string, status int, says ...string) {
		t.Helper()
		got := command(t, nil, lines, append([]string{"import", "-"}, h.Where...)...)
		for _, text := range says {
			if !strings.Contains(got.Err, text) {
				t.Errorf("import does not say %q", text)
			}
		}
		if got.Status != status || strings.Count(got.Err, "standard input:") != len(says) {
			t.Errorf("status %d, %d faults: %s", got.Status, strings.Count(got.Err, "standard input:"), got.Err)
		}
	}
	imports(line("a", ``), 1, `:1: account: is required: there is no account of the operator`)

	h.Account("house", "--operator")
	h.Account("school")
	h.Account("academy")
	user := func(account, external string) string {
		var made struct{ ID string }
		h.Read(&made, "users", "create", "--account", account, "--external-id", external)
		return made.ID
	}
	ann, bob := user("school", "ann"), user("academy", "bob")
	staff := user("house", "staff")
	imports(line("a", ``)+line("b", `,"account":"house"`)+line("c", `,"account":"school","owner":"ann"`)+line("d", `,"owner":"`+bob+`"`)+
		line("e", `,"account":"house","owner":"`+staff+`"`), 0)
	nobody := strings.Repeat("0", catalogue.IDLength)
	imports(line("f", `,"account":"school"`)+line("g", `,"account":"nowhere"`)+line("h", `,"account":"nowhere","owner":"ann"`)+
		line("i", `,"owner":"ann"`)+line("j", `,"owner":"`+nobody+`"`)+line("k", `,"account":"school","owner":"`+bob+`"`)+line("l", `,"account":"academy","owner":"ann"`)+
		line("c", `,"owner":"`+bob+`"`), 1,
		`:1: owner: is required: collections of a customer's account, as "school" is, belong to users`,
		`:2: account: there is no account "nowhere"`, `:3: account: there is no account "nowhere"`,
		`:4: account: is required: "ann" is not a user ID, and external IDs belong to one account`,
		`:5: owner: there is no user "`+nobody+`"`, `:6: owner: the account "school" has no user "`+bob+`"`,
		`:7: owner: the account "academy" has no user "ann"`,
		`:8: owner: the collection belongs to the user "`+ann+`" of the account "school", and stays with them`)
	h.Account("branch", "--operator")
	imports(line("m", ``), 1, `:1: account: is required: the operator has several, branch, house`)
	imports(line("a", ``)+line("m", `,"account":"branch"`), 0)

	kept := openStores(t, h.Where).Collections
	for ref, want := range map[string]string{
		"a": "house  house true", "b": "house  house true", "c": "school " + ann + "  false", "d": "academy " + bob + "  false", "e": "house " + staff + " house true",
		"m": "branch  branch true",
	} {
		found := apptest.Must(kept.Collections(t.Context(), []catalogue.ID{catalogue.ID(importedID(collection.Kind, ref))}))(t)
		if got := fmt.Sprint(found[0].Account, " ", found[0].Owner, " ", found[0].OwnerName, " ", found[0].Service); got != want {
			t.Errorf("%s belongs to %q, want %q", ref, got, want)
		}
	}
}
