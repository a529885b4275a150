package app

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/uploads"
)

// importing is a service with videos, and a program of its operator.
type importing struct{ *asking }

func newImporting(t *testing.T) importing { return importing{newAsking(t, "--upload-limit=1")} }

// ask runs an operation and returns the value at a path of its data.
func (i importing) ask(operation string, variables map[string]any, path ...string) any {
	i.T.Helper()
	body := apptest.Must(json.Marshal(map[string]any{"query": operation, "variables": variables}))(i.T)
	var answer struct {
		Data   any
		Errors any
	}
	if err := json.Unmarshal([]byte(i.post("us", "/graphql", string(body))), &answer); err != nil || answer.Errors != nil {
		i.T.Fatalf("%s: %v %v", operation, err, answer.Errors)
	}
	for _, name := range path {
		answer.Data = answer.Data.(map[string]any)[name]
	}
	return answer.Data
}

// upload uploads a file in two parts and returns its ID.
func (i importing) upload(name, content string) string {
	i.T.Helper()
	as := []string{"Authorization", "Bearer " + i.tokens["us"], "Tus-Resumable", "1.0.0"}
	got := send(i.App, "POST", uploads.Path, "", append(as, "Upload-Length", strconv.Itoa(len(content)),
		"Upload-Metadata", "filename "+base64.StdEncoding.EncodeToString([]byte(name)))...)
	path, ok := strings.CutPrefix(got.Header().Get("Location"), "http://127.0.0.1:8080")
	if got.Code != http.StatusCreated || !ok {
		i.T.Fatalf("%d %s %v", got.Code, got.Body, got.Header())
	}
	half := len(content) / 2
	i.patch(as, path, 0, content[:half])
	i.patch(as, path, half, content[half:])
	return strings.TrimPrefix(path, uploads.Path)
}

func (i importing) patch(as []string, path string, at int, part string) {
	i.T.Helper()
	got := send(i.App, "PATCH", path, part, append(as, "Upload-Offset", strconv.Itoa(at), "Content-Type", "application/offset+octet-stream")...)
	if got.Code != http.StatusNoContent {
		i.T.Fatalf("%d %s", got.Code, got.Body)
	}
}

const jobFields = `{ id kind state done total error client files { name path } import { fileName dryRun result { added changed unchanged rejected nothingWritten differences held } findings { differences { line field problem } rejected { line reasons } problems { problem } } }
	change { selected undoable undoes result { changed unchanged failed problems { video problem } } } }`

// ended waits for the end of a job and returns it.
func (i importing) ended(id any) map[string]any {
	i.T.Helper()
	var job map[string]any
	apptest.Await(i.T, "the job ends", func() bool {
		job = i.ask(`query($id: ID!) { job(id: $id) `+jobFields+` }`, map[string]any{"id": id}, "job").(map[string]any)
		return job["state"] != "WAITING" && job["state"] != "RUNNING"
	})
	return job
}

func (i importing) imported(input map[string]any) map[string]any {
	i.T.Helper()
	return i.ended(i.ask(`mutation($input: ImportInput!) { startImport(input: $input) { id } }`, map[string]any{"input": input}, "startImport", "id"))
}

func (i importing) changed(selection, change string) map[string]any {
	i.T.Helper()
	return i.ended(i.ask(`mutation { startChangeOfVideos(selection: `+selection+`, change: `+change+`) { id } }`, nil, "startChangeOfVideos", "id"))
}

// at returns the value at a path in a job.
func at(job map[string]any, path ...string) any {
	var value any = job
	for _, name := range path {
		value = value.(map[string]any)[name]
	}
	return value
}

const films = "\ufeffNo.;Name;Channel;Date;Length;Tags;Shown\r\n" +
	"1;\"The moon; from below\";Space School;2021-03-09;6:40;moon|phases;yes\r\n" +
	"2;;Space School;2021-03-09;400;;no\r\n" +
	"3;Comets;Nobody;2021-03-09;1:00:00;;\r\n" +
	"4;Stars;Space School;9.3.2021;60;;perhaps\r\n"

// TestImportsOverHTTP imports a CSV file with other columns, corrects the rejected lines and imports them again.
func TestImportsOverHTTP(t *testing.T) {
	i := newImporting(t)
	i.ask(`mutation { createChannel(input: {name: "Space School"}) { id } }`, nil)
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	apptest.Must(zip.Write([]byte(films)))(t)
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	upload := i.upload("films.csv.gz", zipped.String())

	preview := i.ask(`query($id: ID!) { previewImport(upload: $id) { format columns mapping { kind fields { field column separator } } lines { line problems record } } }`,
		map[string]any{"id": upload}, "previewImport").(map[string]any)
	mapping := map[string]any{"kind": "video", "fields": []any{
		map[string]any{"field": "ref", "column": "No.", "separator": nil}, map[string]any{"field": "title", "column": "Name", "separator": nil},
		map[string]any{"field": "channel", "column": "Channel", "separator": nil}, map[string]any{"field": "releasedOn", "column": "Date", "separator": nil},
		map[string]any{"field": "playback.duration", "column": "Length", "separator": nil}, map[string]any{"field": "keywords", "column": "Tags", "separator": "|"},
	}}
	if diff := cmp.Diff(mapping, preview["mapping"]); diff != "" || preview["format"] != "CSV" || len(preview["columns"].([]any)) != 7 {
		t.Errorf("guessed %v %s", preview, diff)
	}
	first := preview["lines"].([]any)[0].(map[string]any)["record"].(map[string]any)
	if first["title"] != "The moon; from below" || first["playback"].(map[string]any)["duration"] != 400.0 || len(first["keywords"].([]any)) != 2 {
		t.Errorf("the first line is %v", first)
	}

	mapping["fields"] = append(mapping["fields"].([]any), map[string]any{"field": "promoted", "column": "Shown"},
		map[string]any{"field": "playback.stream", "constant": "https://media.example/x.m3u8"})
	saved := `mutation($m: MappingInput!) { putImportMapping(name: "Films", mapping: $m) { id } }`
	id := i.ask(saved, map[string]any{"m": mapping}, "putImportMapping", "id")
	if again := i.ask(saved, map[string]any{"m": mapping}, "putImportMapping", "id"); again != id {
		t.Errorf("saved under %v and %v", id, again)
	}
	if names := fmt.Sprint(i.ask(`{ importMappings { name } }`, nil, "importMappings")); names != "[map[name:Films]]" {
		t.Errorf("the mappings are %s", names)
	}

	input := map[string]any{"upload": upload, "mapping": mapping, "dryRun": true}
	dry := i.imported(input)
	want := map[string]any{"added": 1.0, "changed": 0.0, "unchanged": 0.0, "rejected": 3.0, "nothingWritten": true, "differences": 0.0, "held": 0.0}
	if diff := cmp.Diff(want, at(dry, "import", "result")); diff != "" || dry["state"] != "DONE" {
		t.Errorf("%v %s", dry, diff)
	}
	input["dryRun"] = false
	run := i.imported(input)
	want["nothingWritten"] = false
	if diff := cmp.Diff(want, at(run, "import", "result")); diff != "" {
		t.Errorf("%v %s", run, diff)
	}
	rejected := fmt.Sprint(at(run, "import", "findings", "rejected"))
	for _, reason := range []string{"title: is required", "channel: ", "releasedOn: ", `promoted: "perhaps" is not true or false`} {
		if !strings.Contains(rejected, reason) {
			t.Errorf("there is no %q in %s", reason, rejected)
		}
	}

	file := run["files"].([]any)[0].(map[string]any)
	got := send(i.App, "GET", file["path"].(string), "", "Authorization", "Bearer "+i.tokens["us"]).Body.String()
	if lines := strings.Split(got, "\n"); len(lines) != 5 || lines[0] != "No.;Name;Channel;Date;Length;Tags;Shown;line;reasons" || !strings.HasPrefix(lines[1], "2;;Space School;2021-03-09;400;;no;3;") || file["name"] != "films-rejected.csv" {
		t.Errorf("%v: %s", file, got)
	}
	corrected := strings.NewReplacer("2;;", "2;Mars;", "Nobody", "Space School", "9.3.2021", "2021-03-09", "perhaps", "yes").Replace(got)
	input["upload"] = i.upload("films-rejected.csv", corrected)
	if again := i.imported(input); at(again, "import", "result", "added") != 3.0 || len(again["files"].([]any)) > 0 {
		t.Errorf("%v", again)
	}
	if all := i.ask(`{ jobs(kind: IMPORT, first: 2) { nodes { import { fileName findings { held { line } } } } pageInfo { hasNextPage } } }`, nil, "jobs"); !strings.Contains(fmt.Sprint(all), "hasNextPage:true") {
		t.Errorf("%v", all)
	}
	if err := i.forgetJobs(t.Context(), time.Now().AddDate(0, 0, 8)); err != nil {
		t.Fatal(err)
	}
	if old := i.ended(run["id"]); at(old, "import", "findings") != nil || len(old["files"].([]any)) > 0 || at(old, "import", "result", "added") != 1.0 {
		t.Errorf("after eight days: %v", old)
	}
	if got := i.graph("us", fmt.Sprintf(`{ previewImport(upload: %q) { format } }`, upload)); !strings.Contains(got, "there is no upload") {
		t.Errorf("after eight days: %s", got)
	}
}

// TestImportsOfAnotherEncoding imports a file that a spreadsheet has saved in Windows-1252: the preview and the import name
// the column, and store nothing of the line.
func TestImportsOfAnotherEncoding(t *testing.T) {
	i := newImporting(t)
	upload := i.upload("cafe.csv", "id,title\n1,\xdcber caf\xe9\n2,Tea\n")
	const wrong = `column "title" is not valid UTF-8: save the file as "CSV UTF-8"`
	lines := i.ask(`query($id: ID!) { previewImport(upload: $id) { lines { problems record } } }`, map[string]any{"id": upload}, "previewImport", "lines").([]any)
	if first := lines[0].(map[string]any); fmt.Sprint(first["problems"]) != "["+wrong+"]" || first["record"] != nil || len(lines) != 2 {
		t.Errorf("previewed as %v", lines)
	}
	job := i.imported(map[string]any{"upload": upload, "mapping": map[string]any{"kind": "tag", "fields": []any{
		map[string]any{"field": "ref", "column": "id"}, map[string]any{"field": "label", "column": "title"},
	}}})
	if found := fmt.Sprint(at(job, "import", "findings", "rejected")); found != "[map[line:2 reasons:["+wrong+"]]]" || at(job, "import", "result", "added") != 1.0 {
		t.Errorf("imported as %v", job)
	}
}

func TestRefusedImports(t *testing.T) {
	i := newImporting(t)
	csv, lines := i.upload("a.csv", "a,b\n1,2\n"), i.upload("lines", `{"format":1,"kind":"tag","ref":"x"}`+"\nno line\n")
	refused := func(operation, reason string) {
		t.Helper()
		if got := i.graph("us", operation); !strings.Contains(got, reason) {
			t.Errorf("%s: %s", operation, got)
		}
	}
	for input, reason := range map[string]string{
		`upload: "0"`: "there is no upload", `upload: "` + csv + `"`: "required for CSV",
		`upload: "` + csv + `", mapping: {kind: "film", fields: []}`:                                   "is not one of contract",
		`upload: "` + csv + `", mapping: {kind: "video", fields: [{field: "titel", column: "a"}]}`:     "is not one of id, ref, title",
		`upload: "` + csv + `", mapping: {kind: "video", fields: [{field: "title", column: "title"}]}`: `no column \"title\"; its columns are a, b`,
		`upload: "` + csv + `", mapping: {kind: "video", fields: [{field: "title"}]}`:                  "required where there is no constant",
		`upload: "` + lines + `", mapping: {kind: "video", fields: [{field: "title", constant: "x"}]}`: "must be null for import lines",
	} {
		refused(`mutation { startImport(input: {`+input+`}) { id } }`, reason)
	}
	for change, reason := range map[string]string{
		`selection: {}, change: {retired: true}`:                              "exactly one of",
		`selection: {ids: [], list: {}}, change: {retired: true}`:             "exactly one of",
		`selection: {ids: []}, change: {retired: true}`:                       "no video matches",
		`selection: {ids: ["x"]}, change: {}`:                                 "change: is required",
		`selection: {ids: ["x"]}, change: {set: {title: null}}`:               "must not be null",
		`selection: {ids: ["x"]}, change: {set: {releasedOn: "2021-03-09T"}}`: "2021-03-09T",
	} {
		refused(`mutation { startChangeOfVideos(`+change+`) { id } }`, reason)
	}
	if got := i.graph("one", `{ jobs { nodes { id } } }`); !strings.Contains(got, "OPERATE is required") {
		t.Error(got)
	}
	if got := send(i.App, "POST", uploads.Path, "", "Authorization", "Bearer "+i.tokens["one"], "Tus-Resumable", "1.0.0", "Upload-Length", "1"); got.Code != http.StatusForbidden {
		t.Errorf("a customer uploads: %d %s", got.Code, got.Body)
	}
	if got := send(i.App, "POST", uploads.Path, "", "Tus-Resumable", "1.0.0", "Upload-Length", "1"); got.Code != http.StatusUnauthorized {
		t.Errorf("somebody uploads without a token: %d %s", got.Code, got.Body)
	}
	job := i.imported(map[string]any{"upload": lines})
	if rejected := fmt.Sprint(at(job, "import", "findings", "rejected")); !strings.Contains(rejected, "label: is required") || !strings.Contains(rejected, "line:2") {
		t.Errorf("%v", job)
	}
	got := send(i.App, "GET", job["files"].([]any)[0].(map[string]any)["path"].(string), "", "Authorization", "Bearer "+i.tokens["us"]).Body.String()
	if !strings.Contains(got, `{"line":1,"reasons":["label: is required"],"record":{"format":1,"kind":"tag","ref":"x"}}`) || !strings.Contains(got, `"text":"no line`) {
		t.Error(got)
	}
	var bomb bytes.Buffer
	zip := gzip.NewWriter(&bomb)
	apptest.Must(zip.Write(bytes.Repeat([]byte("\n"), 11<<20)))(t)
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if job := i.imported(map[string]any{"upload": i.upload("bomb.jsonl", bomb.String())}); !strings.Contains(fmt.Sprint(job), "it is larger than 10 MiB without compression") {
		t.Errorf("%v", job)
	}
}

// TestChangesOfVideos changes the videos of a search, undoes it, and leaves out a video that somebody has changed since. The
// undo holds what was held before.
func TestChangesOfVideos(t *testing.T) {
	i := newImporting(t)
	subject := i.ask(`mutation { createSubject(input: {name: "Seen"}) { id } }`, nil, "createSubject", "id").(string)
	body := func(id string) map[string]any {
		return i.ask(`query($id: ID!) { catalogueItem(kind: VIDEO, id: $id) { body } }`, map[string]any{"id": id}, "catalogueItem", "body").(map[string]any)
	}
	held := func() string {
		return fmt.Sprint(i.ask(`query($id: ID!) { catalogueItem(kind: VIDEO, id: $id) { held { field } } }`, map[string]any{"id": i.video}, "catalogueItem", "held"))
	}
	i.ask(`mutation($id: ID!) { updateVideo(id: $id, input: {title: "Held before"}) { id } }`, map[string]any{"id": i.video})
	before := body(i.video)
	job := i.changed(`{list: {}}`, fmt.Sprintf(`{addSubjects: [%q], set: {promoted: true}}`, subject))
	if at(job, "change", "result", "changed") != 30.0 || job["done"] != 30.0 || at(job, "change", "undoable") != true {
		t.Fatalf("%v", job)
	}
	after := body(i.video)
	if after["promoted"] != true || !strings.Contains(fmt.Sprint(after["subjects"]), subject) {
		t.Errorf("%v", after)
	}
	if again := i.changed(`{list: {}}`, fmt.Sprintf(`{addSubjects: [%q]}`, subject)); at(again, "change", "result", "unchanged") != 30.0 || at(again, "change", "undoable") != false {
		t.Errorf("%v", again)
	}
	var other string
	for id := range i.found("us", "") {
		if id != i.video {
			other = id
		}
	}
	i.ask(`mutation($id: ID!) { updateVideo(id: $id, input: {title: "Changed since"}) { id } }`, map[string]any{"id": other})
	undo := i.ended(i.ask(`mutation($id: ID!) { undoJob(id: $id) { id } }`, map[string]any{"id": job["id"]}, "undoJob", "id"))
	if at(undo, "change", "result", "changed") != 29.0 || at(undo, "change", "undoes") != job["id"] ||
		fmt.Sprint(at(undo, "change", "result", "problems")) != fmt.Sprintf("[map[problem:the video has changed since video:%s]]", other) {
		t.Errorf("%v", undo)
	}
	if diff := cmp.Diff(before, body(i.video)); diff != "" || body(other)["promoted"] != true {
		t.Errorf("after the undo: %s", diff)
	}
	if got := held(); got != "[map[field:title]]" {
		t.Errorf("after the undo, held are %s", got)
	}
	if again := i.ended(i.ask(`mutation($id: ID!) { undoJob(id: $id) { id } }`, map[string]any{"id": undo["id"]}, "undoJob", "id")); at(again, "change", "result", "changed") != 29.0 {
		t.Errorf("%v", again)
	}
	if got := held(); got != "[map[field:promoted] map[field:subjects] map[field:title]]" {
		t.Errorf("after the undo of the undo, held are %s", got)
	}
	retired := i.changed(fmt.Sprintf(`{ids: [%q, "0"]}`, other), `{retired: true}`)
	if at(retired, "change", "result", "changed") != 1.0 || at(retired, "change", "result", "failed") != 1.0 || body(other)["retired"] != true {
		t.Errorf("%v", retired)
	}
	apptest.Await(t, "the list shows the hidden video", func() bool {
		return i.ask(`{ listedVideos(state: HIDDEN, query: "since") { total } }`, nil, "listedVideos", "total") == 1.0
	})
	if restored := i.changed(`{list: {state: HIDDEN, query: "since"}}`, `{retired: false}`); at(restored, "change", "result", "changed") != 1.0 || body(other)["retired"] == true {
		t.Errorf("%v", restored)
	}
	if got := i.graph("us", fmt.Sprintf(`mutation { cancelJob(id: %q) { state } }`, job["id"])); !strings.Contains(got, "DONE") {
		t.Error(got)
	}
	if got := i.graph("us", `mutation { undoJob(id: "0") { id } }`); !strings.Contains(got, "NOT_FOUND") {
		t.Error(got)
	}
}
