package usage_test

import (
	"context"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

// TestNamesInUsage verifies that rows have the names of accounts, clients, videos, channels and subjects, that staff get
// the last names of what was deleted, and that customers get no title of a video that they do not see.
func TestNamesInUsage(t *testing.T) {
	b := newFixture(t, func(c *resolvers.Config) {
		c.Roster = func() *account.Roster {
			return account.NewRoster([]account.Entity{&account.Account{ID: "school", Name: "The school"}, &account.Client{ID: "school-lms", AccountID: "school", Name: "LMS"}})
		}
	})
	floating, secret, gone := string(resolverstest.Floating), string(resolverstest.Secret), resolverstest.VideoOf("gone", "What was deleted", resolverstest.Open)
	put := func(fn func(ctx context.Context, tx store.Tx) error) {
		t.Helper()
		resolverstest.Must(t, b.catalogue.Write(t.Context(), fn))
	}
	put(func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, []catalogue.Item{gone})
		return err
	})
	b.store(t, played("school", "2026-10-05T10:00:00Z", 4000, of(floating)), played("school", "2026-10-05T10:00:00Z", 2000, of(string(gone.ID))),
		played("college", "2026-10-05T10:00:00Z", 1000, of(secret)))
	table := func(by, fields string) string {
		return `{ usage(` + october + `, by: [` + by + `], orderBy: SECONDS) { rows { ` + fields + ` } } }`
	}
	b.want(t, console, table("ACCOUNT", "account accountName"), `{"rows":[{"account":"school","accountName":"The school"},{"account":"college","accountName":null}]}`)
	b.want(t, console, table("VIDEO", "videoTitle"), `{"rows":[{"videoTitle":"Why things float"},{"videoTitle":"What was deleted"},{"videoTitle":"Why secrets float"}]}`)
	b.want(t, console, table("CHANNEL", "channelName"), `{"rows":[{"channelName":"Open Lab"},{"channelName":"Private Lab"}]}`)
	b.want(t, console, table("SUBJECT", "subjectName"), `{"rows":[{"subjectName":"Physics"},{"subjectName":null}]}`)
	// Customers see names of what they see.
	b.want(t, schoolLMS, table("VIDEO", "videoTitle"), `{"rows":[{"videoTitle":"Why things float"},{"videoTitle":"What was deleted"}]}`)
	resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`mutation { deleteVideo(id: "`+string(gone.ID)+`") }`, nil)))
	b.want(t, console, table("VIDEO", "video videoTitle"), `{"rows":[{"video":"`+floating+`","videoTitle":"Why things float"},{"video":"`+string(gone.ID)+`","videoTitle":"What was deleted"},{"video":"`+secret+`","videoTitle":"Why secrets float"}]}`)
	b.want(t, schoolLMS, table("VIDEO", "videoTitle"), `{"rows":[{"videoTitle":"Why things float"},{"videoTitle":null}]}`)
	b.want(t, schoolLMS, table("CLIENT", "clientName"), `{"rows":[{"clientName":"LMS"}]}`)
}

// TestNamesOfUsers verifies that rows by user have the users' names, and that a customer gets only those of its own
// account: a user of another one may have signed in through its client before.
func TestNamesOfUsers(t *testing.T) {
	b := newFixture(t)
	ours, theirs := &account.User{ID: strings.Repeat("a", 24), AccountID: "school", Username: "ada", GivenName: "Ada", FamilyName: "Lovelace"},
		&account.User{ID: strings.Repeat("b", 24), AccountID: "college", Username: "ben", GivenName: "Ben"}
	resolverstest.Must(t, authtest.Put(t.Context(), b.accounts, ours, theirs))
	b.store(t, played("school", "2026-10-05T10:00:00Z", 4000, byUser(ours.ID)), played("school", "2026-10-05T10:00:00Z", 2000, byUser(theirs.ID)),
		played("school", "2026-10-05T10:00:00Z", 1000, by("pupil 7")))
	table := `{ usage(` + october + `, by: [USER], orderBy: SECONDS) { rows { userName externalUser } } }`
	b.want(t, console, table, `{"rows":[{"userName":"Ada Lovelace","externalUser":null},{"userName":"Ben","externalUser":null},{"userName":null,"externalUser":"pupil 7"}]}`)
	b.want(t, schoolLMS, table, `{"rows":[{"userName":"Ada Lovelace","externalUser":null},{"userName":null,"externalUser":null},{"userName":null,"externalUser":"pupil 7"}]}`)
}
