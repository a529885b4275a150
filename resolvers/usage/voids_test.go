package usage_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/restorelist"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// TestVoids proves that an operator voids plays with a reason and undoes it. Usage and statements follow, the audit log
// has who, when and why, and a repeated request with the same ID changes nothing.
func TestVoids(t *testing.T) {
	b := newFixture(t)
	b.storeOctober(t)
	const inOctober = `{ usage(` + october + `) { total { plays seconds users } } }`
	const client = `selection: { account: "school", client: "school-lms", from: "2026-10-05T00:00:00Z", to: "2026-10-06T00:00:00Z" }`
	b.want(t, schoolLMS, inOctober, `{"total":{"plays":5,"seconds":9.25,"users":3}}`)
	b.want(t, console, `{ voidPreview(`+client+`) { account month client billable sealed plays milliseconds seconds } }`,
		`[{"account":"school","month":"2026-10","client":"school-lms","billable":true,"sealed":null,"plays":2,"milliseconds":4000,"seconds":4}]`)
	b.want(t, console, `{ voidPreview(selection: { video: "nothing" }) { plays } }`, `[]`)
	for range 2 {
		b.want(t, console, `mutation { voidPlays(`+client+`, reason: "a load test", id: "v1") {
			id event account client video from to plays milliseconds accounts position made { at client user reason } undone { reason } } }`,
			`{"id":"v1","event":null,"account":"school","client":"school-lms","video":null,"from":"2026-10-05T00:00:00Z","to":"2026-10-06T00:00:00Z",`+
				`"plays":2,"milliseconds":4000,"accounts":["school"],"position":9,`+
				`"made":{"at":"2026-11-20T12:00:00Z","client":"console","user":null,"reason":"a load test"},"undone":null}`)
	}
	b.want(t, schoolLMS, inOctober, `{"total":{"plays":3,"seconds":5.25,"users":2}}`)
	b.want(t, schoolLMS, `{ statement(month: "2026-10") { plays lines { plays milliseconds void } } }`, `{"plays":3,"lines":[{"plays":3,"milliseconds":5250,"void":""}]}`)
	b.verify(t)
	b.want(t, console, `{ auditLog(kind: account, id: "school", first: 1) { nodes { client after } } }`, `{"nodes":[{"client":"console","after":{`+
		`"voidedPlaysAs":"v1","at":"2026-11-20T12:00:00Z","reason":"a load test","selection":{"account":"school","client":"school-lms",`+
		`"from":"2026-10-05T00:00:00Z","to":"2026-10-06T00:00:00Z"}}}]}`)

	b.want(t, console, `mutation { sealMonth(month: "2026-10") { account plays } }`, `[{"account":"college","plays":1},{"account":"school","plays":3}]`)
	b.want(t, console, `mutation { undoVoid(id: "v1", reason: "it was none") { undone { client reason } } }`, `{"undone":{"client":"console","reason":"it was none"}}`)
	b.want(t, console, `mutation { undoVoid(id: "v1", reason: "again") { undone { client reason } } }`, `{"undone":{"client":"console","reason":"it was none"}}`)
	b.want(t, schoolLMS, inOctober, `{"total":{"plays":5,"seconds":9.25,"users":3}}`)
	b.want(t, schoolLMS, `{ statement(month: "2026-11") { plays lines { month adjustment plays seconds void } } }`,
		`{"plays":3,"lines":[{"month":"2026-10","adjustment":true,"plays":2,"seconds":4,"void":"v1"},{"month":"2026-11","adjustment":false,"plays":1,"seconds":64,"void":""}]}`)
	b.want(t, console, `mutation { voidPlays(selection: { video: "`+strings.ToUpper(string(resolverstest.Floating))+`", from: "2026-10-07T00:00:00Z" }, reason: "broken", id: "v2") { plays accounts } }`,
		`{"plays":5,"accounts":["college","school"]}`)
	b.want(t, console, `{ auditLog(kind: account, id: "college", first: 1) { nodes { after } } }`,
		`{"nodes":[{"after":{"voidedPlaysAs":"v2","at":"2026-11-20T12:00:00Z","reason":"broken","selection":{"video":"`+string(resolverstest.Floating)+`","from":"2026-10-07T00:00:00Z"}}}]}`)
	b.verify(t)
	b.want(t, console, `{ voids { nodes { id } pageInfo { hasNextPage endCursor } } }`, `{"nodes":[{"id":"v2"},{"id":"v1"}],"pageInfo":{"hasNextPage":false,"endCursor":null}}`)
	b.want(t, console, `{ voids(first: 1) { nodes { id } pageInfo { hasNextPage endCursor } } }`, `{"nodes":[{"id":"v2"}],"pageInfo":{"hasNextPage":true,"endCursor":"3"}}`)
	b.want(t, console, `{ voids(first: 1, before: "3") { nodes { id } pageInfo { hasNextPage } } }`, `{"nodes":[{"id":"v1"}],"pageInfo":{"hasNextPage":false}}`)
	b.want(t, console, `{ voids(account: "college") { nodes { id } } }`, `{"nodes":[{"id":"v2"}]}`)
	b.want(t, console, `{ void(id: "v1") { undone { reason } } }`, `{"undone":{"reason":"it was none"}}`)
	b.want(t, console, `{ void(id: "v3") { id } }`, `null`)
}

// TestWhoVoids proves that only operators void plays, with a reason, and only plays that exist.
func TestWhoVoids(t *testing.T) {
	b := newFixture(t)
	b.storeOctober(t)
	const void = `mutation { voidPlays(selection: { video: "v" }, reason: "why") { id } }`
	for _, caller := range []*account.Caller{schoolLMS, pupil, basic} {
		for _, query := range []string{
			void, `mutation { undoVoid(id: "v1", reason: "why") { id } }`, `{ voids { nodes { id } } }`, `{ void(id: "v1") { id } }`,
			`{ voidPreview(selection: { video: "v" }) { plays } }`,
		} {
			b.wantError(t, caller, fault.Forbidden, "_BILLING", query)
		}
	}
	for query, want := range map[string]string{
		`mutation { voidPlays(selection: { video: "v" }, reason: " ") { id } }`:                       "a reason is required",
		`mutation { voidPlays(selection: { video: "v" }, reason: "why", id: "a b") { id } }`:          "printable ASCII",
		`mutation { voidPlays(selection: { account: "school" }, reason: "why") { id } }`:              "an event, a client with a period, or a video",
		`mutation { voidPlays(selection: { event: "x" }, reason: "why") { id } }`:                     "is not the id of an event",
		`mutation { voidPlays(selection: { client: "c", account: "school" }, reason: "why") { id } }`: "must name a period",
		`mutation { undoVoid(id: "v1", reason: "") { id } }`:                                          "a reason is required",
		`{ voids(before: "x") { nodes { id } } }`:                                                     "not a cursor",
	} {
		b.wantError(t, console, fault.Invalid, want, query)
	}
	b.wantError(t, console, fault.NotFound, "contains no counted plays", void)
	b.wantError(t, console, fault.NotFound, "there is no void", `mutation { undoVoid(id: "v1", reason: "why") { id } }`)
	resolverstest.Must(t, b.usage.ForgetPersons(t.Context(), usage.Month{Year: 2026, Month: 11}))
	b.wantError(t, console, fault.Invalid, "select plays from 2026-11-01T00:00:00.000Z on", `mutation { voidPlays(selection: { video: "`+string(resolverstest.Floating)+`" }, reason: "why") { id } }`)
}

// TestARefusedUndoIsNotRecorded proves that an undo which the store refuses, because the plays were deleted, is neither in
// the audit log nor on the restore list: a later restore would carry it out.
func TestARefusedUndoIsNotRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), restorelist.FileName)
	list, err := restorelist.Open(path)
	resolverstest.Must(t, err)
	b := newFixture(t, func(c *resolvers.Config) {
		recorder, err := restorelist.NewRecorder(t.Context(), list, c.Registry.(store.Keys))
		resolverstest.Must(t, err)
		c.Voids = recorder.Voids(c.Voids)
	})
	b.storeOctober(t)
	b.want(t, console, `mutation { voidPlays(selection: { video: "`+string(resolverstest.Floating)+`" }, reason: "broken", id: "v1") { accounts } }`, `{"accounts":["college","school"]}`)
	resolverstest.Must(t, b.usage.ForgetPersons(t.Context(), usage.Month{Year: 2026, Month: 11}))
	recorded := func() (all []string) {
		t.Helper()
		lines, err := os.ReadFile(path)
		resolverstest.Must(t, err)
		for _, of := range []string{"college", "school"} {
			answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ auditLog(kind: account, id: "`+of+`", first: 9) { nodes { after } } }`, nil)))
			all = append(all, string(answer.Data))
		}
		return append(all, string(lines))
	}
	before := recorded()
	b.wantError(t, console, fault.Invalid, `void "v1" cannot be undone`, `mutation { undoVoid(id: "v1", reason: "it was not") { id } }`)
	if diff := cmp.Diff(before, recorded()); diff != "" {
		t.Errorf("the refused undo is recorded:\n%s", diff)
	}
}
