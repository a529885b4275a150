//go:build system

package fleet_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// firstRelease is an upgraded store whose data the program of release v0.1.0 wrote. testdata/v0.1.0/make.sh made the
// data and recorded what that program answered; its comments say how to repeat this.
type firstRelease struct {
	*apptest.Server
	where   []string // the flags that select the store
	secrets map[string]string
	tokens  map[string]string
}

// recordedVideo is a video that v0.1.0 knew.
const recordedVideo = "b6cc0534b99fc3ee178118d4"

// TestUpgradeFromFirstRelease starts this program on data of release v0.1.0, and compares its answers with those of
// that release: the other upgrade tests begin with data that this program wrote, so they cannot notice that it no
// longer understands what customers have. Answers may contain more than before, but nothing may be missing or different.
func TestUpgradeFromFirstRelease(t *testing.T) {
	for _, data := range []struct {
		name, engine string
		unpack       func(testing.TB) (where []string)
	}{{"files", "sqlite", unpackFiles}, {"backup", "sqlite", restoreFiles}, {"dump", "postgresql", unpackDump}} {
		t.Run(data.name, func(t *testing.T) {
			u := &firstRelease{where: data.unpack(t), tokens: map[string]string{}}
			// The search log of the recording is older than the server keeps it by default.
			u.Server = apptest.Start(t, append([]string{"--keep-queries", "36500"}, u.where...)...)
			recorded(t, "secrets-"+data.engine+".json", &u.secrets)
			var answers []struct {
				Question string
				Answer   any
			}
			recorded(t, "answers-"+data.engine+".json", &answers)
			u.awaitIndex()
			var digests []any
			for _, a := range answers {
				if a.Question == "command usage digests" {
					digests = a.Answer.([]any)
				}
				for _, difference := range differences("", a.Answer, u.ask(a.Question)) {
					t.Errorf("%.100s: %s", a.Question, difference)
				}
			}
			u.countsNewEvent()
			u.verifies(digests)
		})
	}
}

// recorded decodes a file of the recording.
func recorded(t testing.TB, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(recordedFile(t, name), into); err != nil {
		t.Fatal(err)
	}
}

// recordedFile reads a file of the recording, and unpacks it if it is compressed.
func recordedFile(t testing.TB, name string) []byte {
	t.Helper()
	content := apptest.Must(os.ReadFile(filepath.Join("testdata", "v0.1.0", name)))(t)
	if !strings.HasSuffix(name, ".gz") {
		return content
	}
	unpacked := apptest.Must(gzip.NewReader(bytes.NewReader(content)))(t)
	return apptest.Must(io.ReadAll(unpacked))(t)
}

// unpackFiles unpacks a data directory. The server migrates it when it starts.
func unpackFiles(t testing.TB) []string {
	t.Helper()
	data := t.TempDir()
	tar := apptest.Bounded(t, testservers.Program(t, "the upgrade of SQLite's files", "tar"), "-x", "-C", data)
	tar.Stdin = bytes.NewReader(recordedFile(t, "sqlite.tar.gz"))
	if output, err := tar.CombinedOutput(); err != nil {
		t.Fatalf("tar: %v: %s", err, output)
	}
	return []string{"--data", data}
}

// restoreFiles restores the data directory, which v0.1.0 wrote as a backup.
func restoreFiles(t testing.TB) []string {
	t.Helper()
	unpacked, where := unpackFiles(t)[1], []string{"--data", t.TempDir()}
	list := filepath.Join(unpacked, "restore-list.jsonl")
	apptest.Succeed(t, append([]string{"restore", unpacked, "--restore-list", list}, where...)...)
	return where
}

// unpackDump fills a database and migrates it.
func unpackDump(t testing.TB) []string {
	t.Helper()
	where := []string{"--store", testservers.SharedPostgreSQL(t).URL, "--data", t.TempDir()}
	connection := apptest.Must(pgx.Connect(t.Context(), where[1]))(t)
	_, err := connection.PgConn().Exec(t.Context(), string(recordedFile(t, "postgresql.sql.gz"))).ReadAll()
	if err := connection.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	apptest.Succeed(t, append([]string{"migrate"}, where...)...)
	return where
}

// awaitIndex waits until the server has indexed all videos: the index of an earlier release is of no use to it.
func (u *firstRelease) awaitIndex() {
	u.Helper()
	u.Token = u.token("console")
	apptest.Await(u, "the index contains all videos", func() bool {
		_, body := u.Request("GET", u.Base+"/v1/videos?size=1", "", "")
		return bytes.Contains(body, []byte(`"totalElements":30`))
	})
}

// token signs a client in with the secret that v0.1.0 gave it.
func (u *firstRelease) token(client string) string {
	u.Helper()
	if u.tokens[client] == "" {
		u.tokens[client] = u.Access(client, u.secrets[client])
	}
	return u.tokens[client]
}

// renamed are the queries that have other names since v0.1.0.
var renamed = strings.NewReplacer("log: trail ", "log: auditLog ", "log: catalogueTrail ", "log: catalogueAuditLog ")

// ask repeats a question of testdata/v0.1.0/questions.txt: the path of a document, a query or the arguments of a command,
// after the client that asks it.
func (u *firstRelease) ask(recorded string) (answer any) {
	u.Helper()
	who, question, _ := strings.Cut(renamed.Replace(recorded), " ")
	if who == "command" {
		lines := json.NewDecoder(strings.NewReader(apptest.Succeed(u, append(strings.Fields(question), u.where...)...)))
		list := []any{}
		for lines.More() {
			var line any
			if err := lines.Decode(&line); err != nil {
				u.Fatalf("%s: %v", question, err)
			}
			list = append(list, line)
		}
		return list
	}
	u.Token = u.token(who)
	if strings.HasPrefix(question, "{") {
		question = u.QueryGraphQL(question)
	} else {
		_, body := u.Request("GET", u.Base+question, "", "")
		question = string(body)
	}
	// v0.1.0 was asked behind this address.
	if err := json.Unmarshal([]byte(strings.ReplaceAll(question, u.Base, fleetBase)), &answer); err != nil {
		u.Fatalf("%s: %v", recorded, err)
	}
	return answer
}

// signature matches the part of a stream's address that changes with the hour.
var signature = regexp.MustCompile(`/v1/streams/[^/]+/`)

// differences compares a recorded answer with the present one, which may have more members.
func differences(path string, want, got any) (found []string) {
	switch want := want.(type) {
	case map[string]any:
		object, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(want)) {
			found = append(found, differences(path+"/"+name, want[name], object[name])...)
		}
		return found
	case []any:
		if list, _ := got.([]any); len(list) == len(want) {
			for i := range want {
				found = append(found, differences(fmt.Sprintf("%s/%d", path, i), want[i], list[i])...)
			}
			return found
		}
	case string:
		if text, ok := got.(string); ok && signature.ReplaceAllString(want, "/") == signature.ReplaceAllString(text, "/") {
			return nil
		}
	default:
		if want == got {
			return nil
		}
	}
	return []string{fmt.Sprintf("%s was %.300v and is %.300v", path, want, got)}
}

// countsNewEvent reports a playback, which must appear in the counts beside those of v0.1.0.
func (u *firstRelease) countsNewEvent() {
	u.Helper()
	u.Token = u.token("school-lms")
	hour := time.Now().UTC().Truncate(time.Hour)
	plays := func() int {
		u.Helper()
		var answer struct {
			Data struct {
				Usage struct{ Total struct{ Plays int } }
			}
		}
		query := fmt.Sprintf(`{ usage(from: %q, to: %q) { total { plays } } }`, hour.Add(-24*time.Hour).Format(time.RFC3339), hour.Add(2*time.Hour).Format(time.RFC3339))
		if err := json.Unmarshal([]byte(u.QueryGraphQL(query)), &answer); err != nil {
			u.Fatal(err)
		}
		return answer.Data.Usage.Total.Plays
	}
	before := plays()
	answer, err := u.Report(apptest.PlaybackPath, fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":0,"segmentEndSeconds":4}`, recordedVideo), "")
	if err != nil || answer.Status != 201 {
		u.Fatal(answer, err)
	}
	apptest.Await(u, "the new event is counted", func() bool { return plays() == before+1 })
}

// verifies checks that the counts and statements of v0.1.0 stand, that the chain of seals continues, and that the digests
// that the operator published then still match.
func (u *firstRelease) verifies(digests []any) {
	u.Helper()
	var published strings.Builder
	for _, digest := range digests {
		fmt.Fprintf(&published, "%s\n", apptest.Must(json.Marshal(digest))(u))
	}
	apptest.Succeed(u, append([]string{"usage", "seal", "--month", "2026-10"}, u.where...)...)
	against := apptest.WriteFile(u, "digests.jsonl", published.String())
	output := apptest.Succeed(u, append([]string{"usage", "verify", "--against", against}, u.where...)...)
	if len(digests) != 2 || !strings.Contains(output, "nothing differs") {
		u.Errorf("usage verify against %d digests prints: %s", len(digests), output)
	}
}
