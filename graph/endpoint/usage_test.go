package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph/endpoint"
	"github.com/filmstrip/filmstrip/internal/rollup"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

// billing is an endpoint over an event log of its own, and what is counted of it.
type billing struct {
	handler  http.Handler
	accounts *sqlite.Accounts
	log      *sqlite.Events
	counter  *rollup.Counter
	now      time.Time
	events   int
}

var (
	schoolLMS = &account.Caller{ClientID: "school-lms", Account: &account.Account{ID: "school"}, Rights: account.CustomerRights()}
	pupil     = &account.Caller{ClientID: "school-lms", User: "u1", Account: &account.Account{ID: "school"}, Rights: account.CustomerRights()}
	basic     = &account.Caller{ClientID: "school-lms", Account: &account.Account{ID: "school"}, Rights: account.RightsOf(account.Browse)}
	console   = &account.Caller{ClientID: "console", Account: &account.Account{ID: "house", Operator: true}, Rights: account.OperatorRights()}
)

func newBilling(t testing.TB, change ...func(*resolvers.Config)) *billing {
	t.Helper()
	b := &billing{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return b.now }
	folder := t.TempDir()
	var err error
	b.accounts, err = sqlite.OpenAccounts(t.Context(), filepath.Join(folder, "accounts.db"), sqlite.WithClock(clock))
	must(t, err)
	t.Cleanup(func() { must(t, b.accounts.Close()) })
	house := authtest.Account("house", "")
	house.Operator = true
	must(t, authtest.Put(t.Context(), b.accounts, house, authtest.Account("school", "basic"), authtest.Account("college", "basic")))
	b.log, err = sqlite.OpenEvents(t.Context(), filepath.Join(folder, "events.db"))
	must(t, err)
	t.Cleanup(func() { must(t, b.log.Close()) })
	counted, err := sqlite.OpenUsage(t.Context(), filepath.Join(folder, "usage.db"))
	must(t, err)
	t.Cleanup(func() { must(t, counted.Close()) })
	b.counter = rollup.New(rollup.Options{
		Log: b.log, Usage: counted, Catalogue: newCatalogue(t), Now: clock, Poll: time.Millisecond, Rest: time.Microsecond, VerifyEvery: -1,
	})
	config := resolvers.Config{
		Registry: b.accounts, SignIns: b.accounts, EventLog: b.log, Usage: counted, Statements: b.counter, Persons: b.counter, Now: clock,
	}
	for _, change := range change {
		change(&config)
	}
	b.handler = newEndpoint(t, func(c *endpoint.Config) { c.Schema = resolvers.NewSchema(config) })
	return b
}

// newCatalogue holds everything.
func newCatalogue(t testing.TB) *sqlite.Catalogue {
	t.Helper()
	c, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"))
	must(t, err)
	t.Cleanup(func() { must(t, c.Close()) })
	must(t, c.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, everything())
		return err
	}))
	return c
}

// played is a play of so many milliseconds.
func played(account, moment string, milliseconds int64, change ...func(*event.Event)) event.Event {
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil {
		panic(err)
	}
	e := event.Event{
		Kind: event.Playback, At: event.InstantOf(at), Received: event.InstantOf(at), Account: account, Client: account + "-lms",
		Video: string(floating), End: milliseconds,
	}
	for _, change := range change {
		change(&e)
	}
	return e
}

func by(external string) func(*event.Event) {
	return func(e *event.Event) { e.ExternalUser = external }
}
func byUser(user string) func(*event.Event) { return func(e *event.Event) { e.User = user } }
func of(video string) func(*event.Event)    { return func(e *event.Event) { e.Video = video } }
func inSandbox(e *event.Event)              { e.Sandbox = true }

// store stores events, and waits until they are counted.
func (b *billing) store(t testing.TB, events ...event.Event) {
	t.Helper()
	for i := range events {
		b.events++
		events[i].ID = event.ID{6: 0x70, 14: byte(b.events >> 8), 15: byte(b.events)}
	}
	_, err := b.log.Append(t.Context(), []event.Submission{{Events: events}})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); b.counter.Run(ctx) }()
	defer func() { cancel(); <-ended }()
	for end := time.Now().Add(20 * time.Second); b.counter.Stats().Position < int64(b.events); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it is not counted: %+v", b.counter.Stats())
		}
	}
}

// want compares an answer, written as JSON without its outermost names.
func (b *billing) want(t testing.TB, caller *account.Caller, query, want string) {
	t.Helper()
	answer := read(t, post(t, b.handler, caller, ask(query, nil)))
	if len(answer.Errors) > 0 {
		t.Errorf("%s: got %+v", query, answer.Errors)
		return
	}
	var data map[string]json.RawMessage
	must(t, json.Unmarshal(answer.Data, &data))
	for _, value := range data {
		if got := strings.ReplaceAll(string(value), ".000000Z", "Z"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", query, got, want)
		}
	}
}

// refuse wants a fault with a code that says something.
func (b *billing) refuse(t testing.TB, caller *account.Caller, code catalogue.Code, says, query string) {
	t.Helper()
	w := post(t, b.handler, caller, ask(query, nil))
	answer := read(t, w)
	if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != string(code) ||
		!strings.Contains(fmt.Sprint(answer.Errors[0].Message, answer.Errors[0].Extensions["reasons"]), says) {
		t.Errorf("%s: got %s, want %s and %q", query, w.Body, code, says)
	}
}

const october = `from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z"`

func (b *billing) storeOctober(t testing.TB) {
	t.Helper()
	b.store(t,
		played("school", "2026-10-05T10:00:00Z", 1500, by("ann")),
		played("school", "2026-10-05T11:00:00Z", 2500, by("bob")),
		played("school", "2026-10-07T10:00:00Z", 4000, by("ann"), of("ffffffffffffffffffffffff")),
		played("school", "2026-10-07T10:30:00Z", 1000),
		played("school", "2026-10-31T23:59:59.999Z", 250, byUser("u1")),
		played("school", "2026-11-01T00:00:00Z", 64_000, by("ann")),
		played("college", "2026-10-07T10:00:00Z", 8000, by("ann")),
		played("college", "2026-10-07T10:00:00Z", 16_000, inSandbox),
		played("school", "2026-10-07T10:00:00Z", 0, by("cid")),
	)
}

func TestUsage(t *testing.T) {
	b := newBilling(t)
	b.want(t, schoolLMS, `{ usage(`+october+`) { asOf count total { plays } rows { plays seconds } endCursor } }`,
		`{"asOf":null,"count":1,"total":{"plays":0},"rows":[{"plays":0,"seconds":0}],"endCursor":null}`)
	b.storeOctober(t)

	const total = `asOf total { plays seconds milliseconds users videos }`
	b.want(t, schoolLMS, `{ usage(`+october+`) { `+total+` rows { from to plays } } }`,
		`{"asOf":"2026-11-01T00:00:00Z","total":{"plays":5,"seconds":9.25,"milliseconds":9250,"users":3,"videos":2},`+
			`"rows":[{"from":"2026-10-01T00:00:00Z","to":"2026-11-01T00:00:00Z","plays":5}]}`)
	b.want(t, console, `{ usage(`+october+`, by: [ACCOUNT]) { total { plays } rows { account milliseconds users client } } }`,
		`{"total":{"plays":6},"rows":[{"account":"college","milliseconds":8000,"users":1,"client":null},{"account":"school","milliseconds":9250,"users":3,"client":null}]}`)
	b.want(t, console, `{ usage(`+october+`, filter: {accounts: ["college"], sandbox: true}) { total { plays users } } }`, `{"total":{"plays":2,"users":1}}`)
	b.want(t, console, `{ usage(`+october+`, filter: {accounts: []}) { total { plays } } }`, `{"total":{"plays":0}}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [VIDEO], orderBy: SECONDS, first: 1) { count rows { video seconds } endCursor } }`,
		`{"count":2,"rows":[{"video":"`+string(floating)+`","seconds":5.25}],"endCursor":"1"}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [VIDEO], orderBy: SECONDS, first: 1, after: "1") { rows { video seconds } endCursor } }`,
		`{"rows":[{"video":"ffffffffffffffffffffffff","seconds":4}],"endCursor":null}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [USER]) { rows { user externalUser plays } } }`,
		`{"rows":[{"user":null,"externalUser":null,"plays":1},{"user":"u1","externalUser":null,"plays":1},{"user":null,"externalUser":"ann","plays":2},{"user":null,"externalUser":"bob","plays":1}]}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [CHANNEL, SUBJECT]) { rows { channel subject plays } } }`,
		`{"rows":[{"channel":null,"subject":null,"plays":1},{"channel":"`+string(open)+`","subject":"`+string(physics)+`","plays":4}]}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [CLIENT], interval: DAY, orderBy: PLAYS) { rows { from client plays } } }`,
		`{"rows":[{"from":"2026-10-05T00:00:00Z","client":"school-lms","plays":2},{"from":"2026-10-07T00:00:00Z","client":"school-lms","plays":2},{"from":"2026-10-31T00:00:00Z","client":"school-lms","plays":1}]}`)
	for filter, plays := range map[string]int{
		`users: ["u1"]`: 1, `externalUsers: ["ann"]`: 2, `users: ["u1"], externalUsers: ["bob", "u1"]`: 2, `users: []`: 0,
		`videos: ["FFFFFFFFFFFFFFFFFFFFFFFF"]`: 1, `channels: ["` + string(open) + `"]`: 4, `subjects: ["` + string(physics) + `"]`: 4,
		`clients: ["school-lms"]`: 5, `clients: ["college-lms"]`: 0, `accounts: ["school"]`: 5,
	} {
		b.want(t, schoolLMS, `{ usage(`+october+`, filter: {`+filter+`}) { total { plays } } }`, fmt.Sprintf(`{"total":{"plays":%d}}`, plays))
	}
}

func TestUsageSeries(t *testing.T) {
	b := newBilling(t)
	b.storeOctober(t)
	const week = `from: "2026-10-05T11:00:00Z", to: "2026-10-08T10:00:00Z"`
	b.want(t, schoolLMS, `{ usage(`+week+`, interval: DAY) { count rows { from to plays seconds users } } }`,
		`{"count":4,"rows":[`+
			`{"from":"2026-10-05T11:00:00Z","to":"2026-10-06T00:00:00Z","plays":1,"seconds":2.5,"users":1},`+
			`{"from":"2026-10-06T00:00:00Z","to":"2026-10-07T00:00:00Z","plays":0,"seconds":0,"users":0},`+
			`{"from":"2026-10-07T00:00:00Z","to":"2026-10-08T00:00:00Z","plays":2,"seconds":5,"users":1},`+
			`{"from":"2026-10-08T00:00:00Z","to":"2026-10-08T10:00:00Z","plays":0,"seconds":0,"users":0}]}`)
	for order, want := range map[string]string{
		"SECONDS": `{"rows":[{"plays":2},{"plays":1},{"plays":0}],"endCursor":"3"}`,
		"PLAYS":   `{"rows":[{"plays":2},{"plays":1},{"plays":0}],"endCursor":"3"}`,
		"USERS":   `{"rows":[{"plays":1},{"plays":2},{"plays":0}],"endCursor":"3"}`,
		"VIDEOS":  `{"rows":[{"plays":2},{"plays":1},{"plays":0}],"endCursor":"3"}`,
	} {
		b.want(t, schoolLMS, `{ usage(`+week+`, interval: DAY, orderBy: `+order+`, first: 3) { rows { plays } endCursor } }`, want)
	}
	b.want(t, schoolLMS, `{ usage(`+week+`, interval: DAY, first: 3, after: "3") { rows { from } endCursor } }`, `{"rows":[{"from":"2026-10-08T00:00:00Z"}],"endCursor":null}`)
	b.want(t, schoolLMS, `{ usage(`+week+`, interval: DAY, first: 3, after: "7") { count rows { from } endCursor } }`, `{"count":4,"rows":[],"endCursor":null}`)
	b.want(t, schoolLMS, `{ usage(from: "2016-12-01T00:00:00Z", to: "2026-11-01T00:00:00Z", interval: MONTH, first: 1, after: "118") { count rows { from to plays } } }`,
		`{"count":119,"rows":[{"from":"2026-10-01T00:00:00Z","to":"2026-11-01T00:00:00Z","plays":5}]}`)
	b.want(t, schoolLMS, `{ usage(from: "2026-01-01T00:00:00Z", to: "2026-11-01T00:00:00Z", interval: HOUR, first: 1, after: "6658") { count rows { from plays } } }`,
		`{"count":7296,"rows":[{"from":"2026-10-05T10:00:00Z","plays":1}]}`)
}

func TestUsageRefuses(t *testing.T) {
	b := newBilling(t)
	for query, says := range map[string]string{
		`usage(` + october + `, first: 0)`:                                                                  "between 1 and 1000",
		`usage(` + october + `, first: 1001)`:                                                               "between 1 and 1000",
		`usage(` + october + `, after: "x")`:                                                                "not a cursor",
		`usage(` + october + `, after: "-1")`:                                                               "not a cursor",
		`usage(` + october + `, by: [USER, USER])`:                                                          "twice",
		`usage(` + october + `, by: [USER, VIDEO, CLIENT])`:                                                 "2 dimensions",
		`usage(from: "2026-10-01T00:30:00Z", to: "2026-11-01T00:00:00Z")`:                                   "whole hours",
		`usage(from: "2026-11-01T00:00:00Z", to: "2026-10-01T00:00:00Z")`:                                   "not before",
		`usage(from: "2016-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z")`:                                   "10 years",
		`usage(from: "2025-01-01T00:00:00Z", to: "2026-11-01T00:00:00Z", interval: HOUR)`:                   "10000 buckets",
		`usage(` + october + `, filter: {videos: ["` + strings.Repeat(`v","`, 1000) + `"]})`:                "1001 values",
		`usage(` + october + `, by: [CLIENT], filter: {clients: ["` + strings.Repeat(`v","`, 1000) + `"]})`: "1001 values",
	} {
		b.refuse(t, schoolLMS, catalogue.Invalid, says, `{ `+query+` { count } }`)
	}
	b.refuse(t, schoolLMS, catalogue.Invalid, "whole hours", `{ retention(video: "v", from: "2026-10-01T00:30:00Z", to: "2026-11-01T00:00:00Z") { plays } }`)
	b.refuse(t, schoolLMS, catalogue.Invalid, "one video", `{ retention(video: "", `+october+`) { plays } }`)
	b.refuse(t, console, catalogue.Invalid, "account: is required", `{ statement(month: "2026-10") { plays } }`)
	b.refuse(t, console, catalogue.Invalid, "account: is required", `{ statements { plays } }`)
	b.refuse(t, console, catalogue.Invalid, "account: is required", `{ statements(account: "") { plays } }`)
}

func TestWhoSeesUse(t *testing.T) {
	b := newBilling(t)
	b.storeOctober(t)
	for _, query := range []string{
		`{ usage(` + october + `, filter: {accounts: ["%s"]}) { count } }`,
		`{ retention(video: "v", ` + october + `, accounts: ["%s"]) { plays } }`,
		`{ statement(account: "%s", month: "2026-10") { plays } }`,
		`{ statements(account: "%s") { plays } }`,
	} {
		own, others := fmt.Sprintf(query, "school"), fmt.Sprintf(query, "college")
		for _, caller := range []*account.Caller{schoolLMS, console} {
			if answer := read(t, post(t, b.handler, caller, ask(own, nil))); len(answer.Errors) > 0 {
				t.Errorf("%s: %s gets %+v", own, caller.ClientID, answer.Errors)
			}
		}
		b.refuse(t, schoolLMS, catalogue.Forbidden, "not the caller's", others)
		b.refuse(t, pupil, catalogue.Forbidden, "not to its users", own)
		b.refuse(t, customer, catalogue.Forbidden, "clients of an account", own)
		b.refuse(t, basic, catalogue.Forbidden, "VIEW_USAGE", own)
		b.refuse(t, nil, catalogue.Unauthenticated, "", own)
	}
	b.refuse(t, schoolLMS, catalogue.Forbidden, "not the caller's", `{ usage(`+october+`, filter: {accounts: ["school", "college"]}) { count } }`)
	b.want(t, schoolLMS, `{ usage(`+october+`) { total { plays } } }`, `{"total":{"plays":5}}`)
	b.want(t, console, `{ usage(`+october+`) { total { plays } } }`, `{"total":{"plays":6}}`)
	b.want(t, schoolLMS, `{ retention(video: "`+string(floating)+`", `+october+`) { plays } }`, `{"plays":4}`)
	b.want(t, console, `{ retention(video: "`+string(floating)+`", `+october+`) { plays } }`, `{"plays":5}`)
}

func TestRetention(t *testing.T) {
	b := newBilling(t)
	b.want(t, schoolLMS, `{ retention(video: "v", `+october+`) { asOf views plays uniqueSeconds } }`, `{"asOf":null,"views":[],"plays":0,"uniqueSeconds":0}`)
	from := func(start int64) func(*event.Event) {
		return func(e *event.Event) { e.Start, e.End = start, e.End+start }
	}
	b.store(t,
		played("school", "2026-10-05T10:00:00Z", 2000, by("ann")),
		played("school", "2026-10-05T10:00:00Z", 1500, by("ann"), from(1500)),
		played("school", "2026-10-05T10:00:00Z", 1, by("bob"), from(4999)),
		played("school", "2026-10-05T10:00:00Z", 1000),
		played("school", "2026-10-05T10:00:00Z", 9000, inSandbox),
		played("college", "2026-10-05T10:00:00Z", 7000, by("ann")),
	)
	query := `{ retention(video: "` + strings.ToUpper(string(floating)) + `", ` + october + `, %s) { asOf views plays seconds users uniqueSeconds } }`
	b.want(t, schoolLMS, fmt.Sprintf(query, "sandbox: false"),
		`{"asOf":"2026-10-05T10:00:00Z","views":[2,2,1,0,1],"plays":4,"seconds":4.501,"users":2,"uniqueSeconds":4}`)
	b.want(t, console, fmt.Sprintf(query, "sandbox: true"),
		`{"asOf":"2026-10-05T10:00:00Z","views":[4,4,3,2,3,2,2,1,1],"plays":6,"seconds":20.501,"users":3,"uniqueSeconds":11}`)
}

const wholeStatement = `{ account month lines { month client billable adjustment plays milliseconds seconds } plays milliseconds seconds sealedAt previous }`

func TestStatementsAndSeals(t *testing.T) {
	b := newBilling(t)
	b.storeOctober(t)
	b.want(t, schoolLMS, `{ statement(month: "2026-10") `+wholeStatement+` }`, `{"account":"school","month":"2026-10","lines":[`+
		`{"month":"2026-10","client":"school-lms","billable":true,"adjustment":false,"plays":5,"milliseconds":9250,"seconds":9}],`+
		`"plays":5,"milliseconds":9250,"seconds":9,"sealedAt":null,"previous":""}`)
	b.want(t, schoolLMS, `{ statements { month } }`, `[]`)
	b.refuse(t, schoolLMS, catalogue.Forbidden, "OPERATE", `mutation { sealMonth(month: "2026-10") { account } }`)
	b.refuse(t, console, catalogue.Invalid, "can be sealed from 2026-12-08T00:00:00Z", `mutation { sealMonth(month: "2026-11") { account } }`)
	b.want(t, console, `mutation { sealMonth(month: "2026-10") { account plays seconds lines { billable seconds } } }`,
		`[{"account":"college","plays":1,"seconds":8,"lines":[{"billable":true,"seconds":8},{"billable":false,"seconds":16}]},`+
			`{"account":"school","plays":5,"seconds":9,"lines":[{"billable":true,"seconds":9}]}]`)
	b.refuse(t, console, catalogue.Conflict, "2026-10 is sealed", `mutation { sealMonth(month: "2026-10") { account } }`)

	b.now = b.now.Add(time.Hour)
	b.store(t, played("school", "2026-10-30T00:00:00Z", 499))
	b.want(t, console, `mutation { sealMonth(month: "2026-11", force: true) { account } }`, `[{"account":"college"},{"account":"school"}]`)
	b.want(t, schoolLMS, `{ statement(month: "2026-10") { plays sealedAt } }`, `{"plays":5,"sealedAt":"2026-11-20T12:00:00Z"}`)
	b.want(t, schoolLMS, `{ statement(month: "2026-11") { lines { month adjustment plays seconds } seconds sealedAt } }`,
		`{"lines":[{"month":"2026-10","adjustment":true,"plays":1,"seconds":0},{"month":"2026-11","adjustment":false,"plays":1,"seconds":64}],"seconds":64,"sealedAt":"2026-11-20T13:00:00Z"}`)

	var chain struct {
		Statements []struct{ Month, Previous, Checksum string }
	}
	must(t, json.Unmarshal(read(t, post(t, b.handler, console, ask(`{ statements(account: "school") { month previous checksum } }`, nil))).Data, &chain))
	list := chain.Statements
	if len(list) != 2 || list[0].Previous != "" || len(list[0].Checksum) != 64 || list[1].Previous != list[0].Checksum || list[1].Month != "2026-11" {
		t.Fatalf("the chain is %+v", list)
	}
	b.want(t, console, `{ trail(kind: account, id: "school", first: 1) { nodes { client after } } }`,
		`{"nodes":[{"client":"console","after":{"sealedMonth":"2026-11","checksum":"`+list[1].Checksum+`","forced":true}}]}`)
	report, err := b.counter.Verify(t.Context())
	if err != nil || !report.Agrees() || report.Statements != 4 {
		t.Errorf("verified: %+v, %v", report, err)
	}
}

func TestForgetPerson(t *testing.T) {
	key := []byte("a key for names of persons, long")
	b := newBilling(t, func(c *resolvers.Config) { c.PersonKey = key })
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
	b.refuse(t, console, catalogue.Invalid, "externalUsers: needs accounts", `{ usage(`+october+`, filter: {externalUsers: ["ann"]}) { count } }`)

	b.refuse(t, schoolLMS, catalogue.Forbidden, "OPERATE", `mutation { forgetPerson(account: "school", externalUser: "ann") }`)
	for _, arguments := range []string{`account: "school"`, `account: "school", user: "u1", externalUser: "ann"`, `account: "school", user: ""`, `account: "", user: "u1"`} {
		b.refuse(t, console, catalogue.Invalid, "required", `mutation { forgetPerson(`+arguments+`) }`)
	}
	b.want(t, console, `mutation { forgetPerson(account: "school", externalUser: "ann") }`, `2`)
	b.want(t, console, `mutation { forgetPerson(account: "school", user: "u1") }`, `1`)
	b.want(t, console, `mutation { forgetPerson(account: "school", user: "nobody") }`, `0`)
	b.want(t, console, figures, same)
	b.want(t, console, ofAnn, `{"total":{"plays":1}}`) // the college's
	b.want(t, console, `{ usage(`+october+`, filter: {accounts: ["school"], users: ["u1"]}) { total { plays } } }`, `{"total":{"plays":0}}`)

	left, err := b.log.Read(t.Context(), store.EventQuery{Account: "school"}, 0, 100)
	must(t, err)
	if text := fmt.Sprintf("%+v", left); strings.Contains(text, "ann") || strings.Contains(text, pseudonym) || !strings.Contains(text, "bob") {
		t.Errorf("the log holds %s", text)
	}
	trail := read(t, post(t, b.handler, console, ask(`{ trail(kind: account, id: "school", first: 3) { nodes { after } } }`, nil)))
	if text := string(trail.Data); !strings.Contains(text, `"forgotPersonAt":"2026-11-20T12:00:00.000Z","account":"school","events":2`) || strings.Contains(text, "ann") {
		t.Errorf("the trail tells %s", text)
	}
	b.want(t, console, `mutation { forgetPerson(account: "gone", user: "u1") }`, `0`)
	b.want(t, console, `{ trail(kind: account, id: "house", first: 1) { nodes { after } } }`,
		`{"nodes":[{"after":{"forgotPersonAt":"2026-11-20T12:00:00.000Z","account":"gone","events":0}}]}`)
}

func TestWithoutUsage(t *testing.T) {
	a := newAdministration(t)
	for _, query := range []string{
		`{ usage(` + october + `) { count } }`, `{ retention(video: "v", ` + october + `) { plays } }`, `{ statement(account: "school", month: "2026-10") { plays } }`,
		`{ statements(account: "school") { plays } }`, `mutation { sealMonth(month: "2026-10") { plays } }`, `mutation { forgetPerson(account: "school", user: "u1") }`,
	} {
		a.refuse(t, catalogue.Unavailable, "counts no use", query, nil)
	}
}

func TestComplexityOfUsage(t *testing.T) {
	b := newBilling(t)
	answer := read(t, post(t, b.handler, console, ask(`{ usage(`+october+`, by: [USER], first: 1000) { count total { plays seconds users videos } rows {
		from to account client user externalUser video channel subject plays seconds milliseconds users videos } endCursor } }`, nil)))
	if len(answer.Errors) > 0 {
		t.Errorf("a whole page: %+v", answer.Errors)
	}
	fields := ""
	for i := range 100 {
		fields += fmt.Sprintf("f%d: from ", i)
	}
	b.refuse(t, console, "COMPLEXITY_LIMIT", "", `{ usage(`+october+`, by: [USER], first: 1000) { rows { `+fields+` } } }`)
}
