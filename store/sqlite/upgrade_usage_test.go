package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

const dumpLists = `
	SELECT group_concat(account || ' ' || bucket || ' ' || sandbox || ' ' || plays || ' ' || milliseconds || ' ' || size || ' ' || line, x'0a') FROM (
		SELECT c.*, hex(coalesce(c.body, b.body)) AS line FROM cells AS c LEFT JOIN cell_bodies AS b ON b.number = c.apart
		WHERE dimension = 7 ORDER BY account, bucket, sandbox)`

// sumLists are what lists, and cells of all plays, come to in a month.
const sumLists = `
	SELECT group_concat(line, x'0a') FROM (
		SELECT account || ' ' || bucket || ' ' || sandbox || ' ' || sum(plays) || ' ' || sum(milliseconds) AS line FROM cells
		WHERE dimension = %d AND grain = 3 GROUP BY account, bucket, sandbox ORDER BY account, bucket, sandbox)`

// TestUsageOfBefore: what was counted by the release before, which lists no videos, gets the lists that this one makes;
// until then, and where that release goes on beside this one, top lists are taken from what there is.
func TestUsageOfBefore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "usage.db")
	u, err := OpenUsage(t.Context(), file, WithoutSync())
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	countMany(t, u)
	before := openBefore(t, file)
	made, top := before.ask(dumpLists), topVideos(t, u)
	if lists := strings.Count(made, "\n") + 1; lists != 9 {
		t.Fatalf("%d lists:\n%s", lists, made)
	}

	before.do("DELETE FROM cells WHERE dimension = 7 AND bucket = ?", october.Number())
	if diff := cmp.Diff(top, topVideos(t, u)); diff != "" {
		t.Errorf("without the lists of a month (-want +got):\n%s", diff)
	}
	before.do("DELETE FROM cells WHERE dimension = 7")
	if diff := cmp.Diff(top, topVideos(t, u)); diff != "" {
		t.Errorf("without lists (-want +got):\n%s", diff)
	}

	step, err := migrations.ReadFile("migrations/usage/00004_excess.sql")
	if err != nil {
		t.Fatal(err)
	}
	up, _, _ := strings.Cut(string(step), "-- +goose Down")
	_, up, _ = strings.Cut(up, "-- Lists of videos") // the columns are there
	_, up, _ = strings.Cut(up, "\n")
	before.do(up)
	if diff := cmp.Diff(made, before.ask(dumpLists)); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	countMany(t, u)
	if diff := cmp.Diff(before.ask(fmt.Sprintf(sumLists, 6)), before.ask(fmt.Sprintf(sumLists, 7))); diff != "" {
		t.Errorf("lists do not come to what was played (-want +got):\n%s", diff)
	}
	for i, table := range topVideos(t, u) {
		if want := 2 * top[i].Total.Plays; table.Total.Plays != want || table.Rows[0].Plays != 2*top[i].Rows[0].Plays || table.Rows[0].Users != top[i].Rows[0].Users {
			t.Errorf("after twice as many plays: %+v, before %+v", table, top[i])
		}
	}
}

var october = usage.Month{Year: 2026, Month: 10}

// countMany counts plays of three months, of two accounts and none, some in a sandbox and some of no video.
func countMany(t *testing.T, u store.Usage) {
	t.Helper()
	from, err := u.Progress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plays := make([]usage.Play, 900)
	for i := range plays {
		plays[i] = usage.Play{
			Position: from.Position + int64(i) + 1, At: october.Start() + event.Instant(i%3)*31*24*event.Hour, Account: []string{"", "a", "b"}[i/3%3],
			Person: fmt.Sprint("x", i%31), Video: fmt.Sprint("v", i*i%101), End: int64(1000 + i),
		}
		if i%7 == 0 {
			plays[i].Video = ""
		}
		plays[i].Sandbox = plays[i].Account == "b"
	}
	to := usage.Progress{Position: from.Position + int64(len(plays)), AsOf: october.End()}
	if err := u.Apply(t.Context(), from, to, plays); err != nil {
		t.Fatal(err)
	}
}

func topVideos(t *testing.T, u store.Usage) (tables []usage.Table) {
	t.Helper()
	for _, limit := range []int{3, usage.MaxRows} {
		table, err := u.Table(t.Context(), usage.Query{
			From: october.Start(), To: october.Next().Next().End(), By: []usage.Dimension{usage.ByVideo}, Order: usage.MostPlays, Limit: limit, Sandbox: true,
		})
		if err != nil {
			t.Fatal(err)
		}
		tables = append(tables, table)
	}
	return tables
}

func (r releaseBefore) ask(statement string) (text string) {
	r.Helper()
	if err := r.handle.QueryRowContext(r.Context(), statement).Scan(&text); err != nil {
		r.Fatal(err)
	}
	return text
}
