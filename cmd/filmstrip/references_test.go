package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/collection"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestCommandsNameWhatExists verifies that commands refuse content packages and accounts that refer to items missing
// from the catalogue, on both stores.
func TestCommandsNameWhatExists(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			t.Parallel()
			h := apptest.NewInstallation(t, engine)
			h.Account("house", "--operator")
			h.Account("school")
			h.Filmstrip("users", "create", "--account", "school", "--external-id", "teacher-1")
			lines := apptest.WriteFile(t, "lines.jsonl", imported)
			h.Filmstrip("import", lines)
			sky, moon, week := importedID(catalogue.KindSubject, "sky"), importedID(catalogue.KindVideo, "moon"), importedID(collection.Kind, "week")
			const unknown = "ffffffffffffffffffffffff"
			runs := func(says string, args ...string) {
				t.Helper()
				got := command(t, nil, "", append(args, h.Where...)...)
				if (got.Status == 0) != (says == "") || !strings.Contains(got.Err, says) {
					t.Errorf("%q: status %d: %s, want %q", args, got.Status, got.Err, says)
				}
			}
			rules := func(subject, video, collection string) string {
				return apptest.WriteFile(t, "rules.json", fmt.Sprintf(`[{"type":"IncludedSubjects","values":[%q]},{"type":"ExcludedVideos","values":[%q]},{"type":"IncludedCollections","values":[%q]}]`,
					subject, video, collection))
			}
			runs(`rules[0].values[0]: IncludedSubjects: there is no subject "`+unknown, "packages", "put", "sky", "--rules", rules(unknown, moon, week))
			runs(`rules[1].values[0]: ExcludedVideos: there is no video "`+unknown, "packages", "put", "sky", "--rules", rules(sky, unknown, week))
			runs(`rules[2].values[0]: IncludedCollections: there is no collection "`+unknown, "packages", "put", "sky", "--rules", rules(sky, moon, unknown))
			runs("there is no content package", "packages", "show", "sky")
			runs("", "packages", "put", "sky", "--rules", rules(sky, moon, week))
			runs("IncludedSubjects", "packages", "put", "sky", "--rules", rules(unknown, moon, week))
			runs("", "packages", "put", "sky", "--name", "Sky")

			runs(`subjects[0]: there is no subject "`+unknown, "accounts", "create", "other", "--tier", "basic", "--subjects", unknown)
			runs("", "accounts", "create", "other", "--tier", "basic", "--subjects", sky)
			runs(`subjects[1]: there is no subject "`+unknown, "accounts", "update", "other", "--subjects", sky+","+unknown)
			runs(`embedsTakenOver[0]: the account has and had no user "`+unknown, "accounts", "update", "other", "--embeds-taken-over", unknown)
		})
	}
}
