package usage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	domain "github.com/filmstrip/filmstrip/resolvers/usage"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

const wholeStatement = `{ account month lines { month client billable adjustment plays milliseconds seconds } plays milliseconds seconds sealedAt previous }`

func TestStatementsAndSeals(t *testing.T) {
	b := newFixture(t)
	b.storeOctober(t)
	b.want(t, schoolLMS, `{ statement(month: "2026-10") `+wholeStatement+` }`, `{"account":"school","month":"2026-10","lines":[`+
		`{"month":"2026-10","client":"school-lms","billable":true,"adjustment":false,"plays":5,"milliseconds":9250,"seconds":9}],`+
		`"plays":5,"milliseconds":9250,"seconds":9,"sealedAt":null,"previous":""}`)
	b.want(t, schoolLMS, `{ statements { month } }`, `[]`)
	b.want(t, schoolLMS, `{ statement(month: "2026-10") { seal { number } } }`, `{"seal":null}`)
	b.want(t, console, `{ sealDigests { number } }`, `[]`)
	b.wantError(t, schoolLMS, fault.Forbidden, "VIEW_BILLING", `{ sealDigests { digest } }`)
	b.wantError(t, console, fault.NotFound, `there is no account "nope"`, `{ statement(account: "nope", month: "2026-10") { seconds } }`)
	b.want(t, console, `{ statement(account: "school", month: "2026-09") { seconds } }`, `{"seconds":0}`)
	b.want(t, schoolLMS, `{ statement(month: "2026-09") { seconds } }`, `{"seconds":0}`)
	resolverstest.Must(t, b.accounts.Edit(t.Context(), account.Actor{}, func(ctx context.Context, tx store.RegistryTx) error {
		return tx.Delete(ctx, account.EntityKey{Kind: account.KindAccount, ID: "college"})
	}))
	b.want(t, console, `{ statement(account: "college", month: "2026-09") { seconds } }`, `{"seconds":0}`) // its usage is known
	b.wantError(t, schoolLMS, fault.Forbidden, "MANAGE_BILLING", `mutation { sealMonth(month: "2026-10") { account } }`)
	b.wantError(t, console, fault.Invalid, "can be sealed from 2026-12-08T00:00:00Z", `mutation { sealMonth(month: "2026-11") { account } }`)
	b.want(t, console, `mutation { sealMonth(month: "2026-10") { account plays seconds lines { billable seconds } } }`,
		`[{"account":"college","plays":1,"seconds":8,"lines":[{"billable":true,"seconds":8},{"billable":false,"seconds":16}]},`+
			`{"account":"school","plays":5,"seconds":9,"lines":[{"billable":true,"seconds":9}]}]`)
	b.wantError(t, console, fault.Conflict, "2026-10 is sealed", `mutation { sealMonth(month: "2026-10") { account } }`)

	b.now = b.now.Add(time.Hour)
	b.store(t, played("school", "2026-10-30T00:00:00Z", 499))
	b.want(t, console, `mutation { sealMonth(month: "2026-11", force: true) { account } }`, `[{"account":"college"},{"account":"school"}]`)
	b.want(t, schoolLMS, `{ statement(month: "2026-10") { plays sealedAt } }`, `{"plays":5,"sealedAt":"2026-11-20T12:00:00Z"}`)
	b.want(t, schoolLMS, `{ statement(month: "2026-11") { lines { month adjustment plays seconds } seconds sealedAt } }`,
		`{"lines":[{"month":"2026-10","adjustment":true,"plays":1,"seconds":0},{"month":"2026-11","adjustment":false,"plays":1,"seconds":64}],"seconds":64,"sealedAt":"2026-11-20T13:00:00Z"}`)

	var chain struct {
		Statements []struct{ Month, Previous, Checksum string }
	}
	resolverstest.Must(t, json.Unmarshal(resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ statements(account: "school") { month previous checksum } }`, nil))).Data, &chain))
	list := chain.Statements
	if len(list) != 2 || list[0].Previous != "" || len(list[0].Checksum) != 64 || list[1].Previous != list[0].Checksum || list[1].Month != "2026-11" {
		t.Fatalf("the chain is %+v", list)
	}
	b.want(t, console, `{ auditLog(kind: account, id: "school", first: 1) { nodes { client after } } }`,
		`{"nodes":[{"client":"console","after":{"sealedMonth":"2026-11","checksum":"`+list[1].Checksum+`","forced":true}}]}`)
	var published struct {
		SealDigests []struct {
			Number           int
			Month            string
			Previous, Digest string
			Statements       []string
		}
	}
	resolverstest.Must(t, json.Unmarshal(resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ sealDigests { number month previous digest statements } }`, nil))).Data, &published))
	digests := published.SealDigests
	if len(digests) != 2 || digests[1].Number != 2 || digests[1].Previous != digests[0].Digest || len(digests[1].Statements) != 2 || !slices.Contains(digests[1].Statements, list[1].Checksum) {
		t.Fatalf("the digests are %+v", digests)
	}
	carried := fmt.Sprintf(`{"number":2,"digest":%q,"previous":%q}`, digests[1].Digest, digests[0].Digest)
	b.want(t, schoolLMS, `{ statement(month: "2026-11") { seal { number digest previous } } }`, `{"seal":`+carried+`}`)
	b.want(t, schoolLMS, `{ statements { seal { number digest previous } } }`, fmt.Sprintf(`[{"seal":{"number":1,"digest":%q,"previous":""}},{"seal":%s}]`, digests[0].Digest, carried))
	report, err := b.counter.Verify(t.Context())
	if err != nil || !report.Agrees() || report.Statements != 4 {
		t.Errorf("verified: %+v, %v", report, err)
	}
}

func TestForgetPerson(t *testing.T) {
	key := []byte("a key for names of persons, long")
	b := newFixture(t, func(c *resolvers.Config) { c.PersonKey = key })
	pseudonym := event.Pseudonym(key, "school", "ann")
	b.store(t,
		played("school", "2026-10-05T10:00:00Z", 1000, by("ann")), // from before there was a key
		played("school", "2026-10-05T10:00:00Z", 2000, by(pseudonym), func(e *event.Event) { e.Referer, e.Metadata = "https://ann.example", []byte(`{"name":"ann"}`) }),
		played("school", "2026-10-05T10:00:00Z", 4000, by("bob"), byUser("u1")),
		played("school", "2026-10-05T10:00:00Z", 8000, byUser("u1")),
		played("college", "2026-10-05T10:00:00Z", 9000, by("ann")),
	)
	const figures = `{ usage(` + october + `, filter: {accounts: ["school"]}) { total { plays milliseconds users videos } } }`
	const same = `{"total":{"plays":4,"milliseconds":15000,"users":4,"videos":1}}`
	b.want(t, console, figures, same)
	const ofAnn = `{ usage(` + october + `, filter: {accounts: ["school", "college"], externalUsers: ["ann"]}) { total { plays } } }`
	b.want(t, console, ofAnn, `{"total":{"plays":3}}`)
	b.wantError(t, console, fault.Invalid, "externalUsers: needs accounts", `{ usage(`+october+`, filter: {externalUsers: ["ann"]}) { count } }`)

	b.wantError(t, schoolLMS, fault.Forbidden, "MANAGE_PERSONS", `mutation { forgetPerson(account: "school", externalUser: "ann") }`)
	for _, arguments := range []string{`account: "school"`, `account: "school", user: "u1", externalUser: "ann"`, `account: "school", user: ""`, `account: "", user: "u1"`} {
		b.wantError(t, console, fault.Invalid, "required", `mutation { forgetPerson(`+arguments+`) }`)
	}
	b.want(t, console, `mutation { forgetPerson(account: "school", externalUser: "ann") }`, `2`)
	b.want(t, console, `mutation { forgetPerson(account: "school", user: "u1") }`, `1`)
	b.want(t, console, `mutation { forgetPerson(account: "school", user: "nobody") }`, `0`)
	b.want(t, console, figures, same)
	b.want(t, console, ofAnn, `{"total":{"plays":1}}`) // of the college
	b.want(t, console, `{ usage(`+october+`, filter: {accounts: ["school"], users: ["u1"]}) { total { plays } } }`, `{"total":{"plays":0}}`)

	left, err := b.log.Read(t.Context(), store.EventQuery{Account: "school"}, 0, 100)
	resolverstest.Must(t, err)
	if text := fmt.Sprintf("%+v", left); strings.Contains(text, "ann") || strings.Contains(text, pseudonym) || !strings.Contains(text, "bob") {
		t.Errorf("the log holds %s", text)
	}
	log := resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ auditLog(kind: account, id: "school", first: 3) { nodes { after } } }`, nil)))
	if text := string(log.Data); !strings.Contains(text, `"forgotPersonAt":"2026-11-20T12:00:00.000Z","account":"school","events":2`) || strings.Contains(text, "ann") {
		t.Errorf("the audit log has %s", text)
	}
	const noAccount = `mutation { forgetPerson(noAccount: true, externalUser: "ann") }`
	b.store(t, played("", "2026-10-05T10:00:00Z", 500, by("ann")), played("", "2026-10-05T10:00:00Z", 500, by(event.Pseudonym(key, "", "ann"))))
	for _, arguments := range []string{`noAccount: true, user: "u1"`, `noAccount: true, account: "school", externalUser: "ann"`} {
		b.wantError(t, console, fault.Invalid, "noAccount", `mutation { forgetPerson(`+arguments+`) }`)
	}
	b.want(t, console, noAccount, `2`)
	b.want(t, console, noAccount, `0`)
	b.want(t, console, ofAnn, `{"total":{"plays":1}}`) // still of the college
	b.want(t, console, `mutation { forgetPerson(account: "gone", user: "u1") }`, `0`)
	b.want(t, console, `{ auditLog(kind: account, id: "house", first: 1) { nodes { after } } }`,
		`{"nodes":[{"after":{"forgotPersonAt":"2026-11-20T12:00:00.000Z","account":"gone","events":0}}]}`)
}

// cancelingUsage ends the request during the work of an operator.
type cancelingUsage struct {
	domain.Statements
	domain.Persons
	end context.CancelFunc
}

func (h *cancelingUsage) Seal(ctx context.Context, month usage.Month, force bool) ([]usage.Statement, error) {
	defer h.end()
	return h.Statements.Seal(ctx, month, force)
}

func (h *cancelingUsage) Forget(ctx context.Context, account, person string) (int64, error) {
	h.end()
	return h.Persons.Forget(ctx, account, person)
}

// TestWorkOfOperatorsOutlivesTheRequest proves that a seal is in the audit log of every account, and that a person is forgotten,
// even if the request ends before.
func TestWorkOfOperatorsOutlivesTheRequest(t *testing.T) {
	late := &cancelingUsage{}
	b := newFixture(t, func(c *resolvers.Config) {
		late.Statements, late.Persons = c.Statements, c.Persons
		c.Statements, c.Persons = late, late
	})
	b.storeOctober(t)
	b.store(t, played("school", "2026-10-05T10:00:00Z", 1000, by("ann")))
	for _, mutation := range []string{
		`mutation { sealMonth(month: "2026-10") { account } }`,
		`mutation { forgetPerson(account: "school", externalUser: "ann") }`,
	} {
		r := resolverstest.NewRequest(resolverstest.RequestBody(mutation, nil), console)
		ctx, cancel := context.WithCancel(r.Context())
		late.end = cancel
		resolverstest.Serve(b.handler, r.WithContext(ctx))
	}
	for account, want := range map[string]string{"college": "sealedMonth", "school": "sealedMonth forgotPersonAt"} {
		log := resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ auditLog(kind: account, id: "`+account+`", first: 3) { nodes { after } } }`, nil)))
		for _, note := range strings.Fields(want) {
			if !strings.Contains(string(log.Data), note) {
				t.Errorf("the audit log of %s has %s, without %s", account, log.Data, note)
			}
		}
	}
	left, err := b.log.Read(t.Context(), store.EventQuery{Account: "school", Person: "xann"}, 0, 1)
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left (%v)", left, err)
	}
}

// forgetfulRegistry fails once to add an entry to the audit log of an account.
type forgetfulRegistry struct {
	store.Registry
	account string
}

func (r *forgetfulRegistry) Note(ctx context.Context, actor account.Actor, key account.EntityKey, body []byte) error {
	if key.ID == r.account {
		r.account = ""
		return fault.Errorf(fault.Unavailable, "the store of accounts is busy")
	}
	return r.Registry.Note(ctx, actor, key, body)
}

// TestARepeatedSealCompletesTheAuditLogs proves that a seal whose entries in the audit logs were interrupted gets the rest of
// them when it is repeated, and no entry twice, however it is repeated.
func TestARepeatedSealCompletesTheAuditLogs(t *testing.T) {
	b := newFixture(t, func(c *resolvers.Config) { c.Registry = &forgetfulRegistry{c.Registry, "school"} })
	b.storeOctober(t)
	entries := func(ofSchool int) {
		t.Helper()
		for of, want := range map[string]int{"college": 1, "school": ofSchool} {
			log := resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ auditLog(kind: account, id: "`+of+`", first: 9) { nodes { after } } }`, nil)))
			if got := strings.Count(string(log.Data), `"sealedMonth":"2026-10"`); got != want || strings.Contains(string(log.Data), `"forced":true`) {
				t.Errorf("the audit log of %s has %d entries of the seal, want %d, none of them forced: %s", of, got, want, log.Data)
			}
		}
	}
	const seal = `mutation { sealMonth(month: "2026-10") { account } }`
	b.wantError(t, console, fault.Unavailable, "is busy", seal)
	entries(0)
	for _, again := range []string{seal, `mutation { sealMonth(month: "2026-10", force: true) { account } }`, seal} {
		b.wantError(t, console, fault.Conflict, "2026-10 is sealed already", again)
		entries(1)
	}
	b.want(t, console, `mutation { sealMonth(month: "2026-11", force: true) { account } }`, `[{"account":"college"},{"account":"school"}]`)
	b.wantError(t, console, fault.Conflict, "2026-11 is sealed, so 2026-10 cannot be sealed any more", seal)
}
