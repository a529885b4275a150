package postgres_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/store/postgres"
	"github.com/filmstrip/filmstrip/usage"
)

const dumpLists = `
	SELECT string_agg(concat_ws(' ', account, bucket, sandbox, plays, milliseconds, encode(body, 'hex')), E'\n' ORDER BY account, bucket, sandbox)
	FROM use_cells WHERE dimension = 7`

// sumLists are what lists, and cells of all plays, come to in a month.
const sumLists = `
	SELECT string_agg(line, E'\n' ORDER BY line) FROM (
		SELECT concat_ws(' ', account, bucket, sandbox, sum(plays), sum(milliseconds)) AS line FROM use_cells
		WHERE dimension = %d AND grain = 3 GROUP BY account, bucket, sandbox) AS lines`

// TestUseOfBefore: what was counted by the release before, which lists no videos, gets the lists that this one makes;
// until then, and where that release goes on beside this one, top lists are taken from what there is.
func TestUseOfBefore(t *testing.T) {
	url := emptyDatabase(t)
	u := open(t, url).Usage()
	applies(t, u, 3000)
	made, top := ask(t, url, dumpLists), topVideos(t, u)
	if lists := strings.Count(made, "\n") + 1; lists != 200 {
		t.Fatalf("%d lists:\n%s", lists, made)
	}
	execute(t, url, "DELETE FROM use_cells WHERE dimension = 7 AND account < 100")
	if diff := cmp.Diff(top, topVideos(t, u)); diff != "" {
		t.Errorf("without the lists of some accounts (-want +got):\n%s", diff)
	}
	execute(t, url, "DELETE FROM use_cells WHERE dimension = 7")
	if diff := cmp.Diff(top, topVideos(t, u)); diff != "" {
		t.Errorf("without lists (-want +got):\n%s", diff)
	}
	step, err := os.ReadFile("migrations/00014_counted.sql")
	must(t, err)
	up, _, _ := strings.Cut(string(step), "-- +goose Down")
	_, up, _ = strings.Cut(up, "-- Lists of videos") // the columns are there
	_, up, _ = strings.Cut(up, "\n")
	execute(t, url, up)
	if diff := cmp.Diff(made, ask(t, url, dumpLists)); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(top, topVideos(t, u)); diff != "" {
		t.Errorf("with lists again (-want +got):\n%s", diff)
	}
	applies(t, u, 2000)
	if diff := cmp.Diff(ask(t, url, fmt.Sprintf(sumLists, 6)), ask(t, url, fmt.Sprintf(sumLists, 7))); diff != "" {
		t.Errorf("lists do not come to what was played (-want +got):\n%s", diff)
	}
}

func topVideos(t *testing.T, u *postgres.Usage) (tables []usage.Table) {
	t.Helper()
	for _, limit := range []int{3, usage.MaxRows} {
		asked := counted
		asked.By, asked.Order, asked.Limit = []usage.Dimension{usage.ByVideo}, usage.MostPlays, limit
		table, err := u.Table(t.Context(), asked)
		must(t, err)
		tables = append(tables, table)
	}
	return tables
}
