package usage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
)

func TestUsage(t *testing.T) {
	b := newFixture(t)
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
		`{"count":2,"rows":[{"video":"`+string(resolverstest.Floating)+`","seconds":5.25}],"endCursor":"1"}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [VIDEO], orderBy: SECONDS, first: 1, after: "1") { rows { video seconds } endCursor } }`,
		`{"rows":[{"video":"ffffffffffffffffffffffff","seconds":4}],"endCursor":null}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [USER]) { rows { user externalUser plays } } }`,
		`{"rows":[{"user":null,"externalUser":null,"plays":1},{"user":"u1","externalUser":null,"plays":1},{"user":null,"externalUser":"ann","plays":2},{"user":null,"externalUser":"bob","plays":1}]}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [CHANNEL, SUBJECT]) { rows { channel subject plays } } }`,
		`{"rows":[{"channel":null,"subject":null,"plays":1},{"channel":"`+string(resolverstest.Open)+`","subject":"`+string(resolverstest.Physics)+`","plays":4}]}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [CLIENT], interval: DAY, orderBy: PLAYS) { rows { from client plays } } }`,
		`{"rows":[{"from":"2026-10-05T00:00:00Z","client":"school-lms","plays":2},{"from":"2026-10-07T00:00:00Z","client":"school-lms","plays":2},{"from":"2026-10-31T00:00:00Z","client":"school-lms","plays":1}]}`)
	for filter, plays := range map[string]int{
		`users: ["u1"]`: 1, `externalUsers: ["ann"]`: 2, `users: ["u1"], externalUsers: ["bob", "u1"]`: 2, `users: []`: 0,
		`videos: ["FFFFFFFFFFFFFFFFFFFFFFFF"]`: 1, `channels: ["` + string(resolverstest.Open) + `"]`: 4, `subjects: ["` + string(resolverstest.Physics) + `"]`: 4,
		`clients: ["school-lms"]`: 5, `clients: ["college-lms"]`: 0, `accounts: ["school"]`: 5,
	} {
		b.want(t, schoolLMS, `{ usage(`+october+`, filter: {`+filter+`}) { total { plays } } }`, fmt.Sprintf(`{"total":{"plays":%d}}`, plays))
	}
}

func TestUsageSeries(t *testing.T) {
	b := newFixture(t)
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
	b := newFixture(t)
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
		b.wantError(t, schoolLMS, fault.Invalid, says, `{ `+query+` { count } }`)
	}
	b.wantError(t, schoolLMS, fault.Invalid, "whole hours", `{ retention(video: "v", from: "2026-10-01T00:30:00Z", to: "2026-11-01T00:00:00Z") { plays } }`)
	b.wantError(t, schoolLMS, fault.Invalid, "a video", `{ retention(video: "", `+october+`) { plays } }`)
	b.wantError(t, console, fault.Invalid, "account: is required", `{ statement(month: "2026-10") { plays } }`)
	b.wantError(t, console, fault.Invalid, "account: is required", `{ statements { plays } }`)
	b.wantError(t, console, fault.Invalid, "account: is required", `{ statements(account: "") { plays } }`)
}

func TestWhoSeesUsage(t *testing.T) {
	b := newFixture(t)
	b.storeOctober(t)
	for _, query := range []string{
		`{ usage(` + october + `, filter: {accounts: ["%s"]}) { count } }`,
		`{ retention(video: "v", ` + october + `, accounts: ["%s"]) { plays } }`,
		`{ statement(account: "%s", month: "2026-10") { plays } }`,
		`{ statements(account: "%s") { plays } }`,
	} {
		own, others := fmt.Sprintf(query, "school"), fmt.Sprintf(query, "college")
		for _, caller := range []*account.Caller{schoolLMS, console} {
			if answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, caller, resolverstest.RequestBody(own, nil))); len(answer.Errors) > 0 {
				t.Errorf("%s: %s gets %+v", own, caller.ClientID, answer.Errors)
			}
		}
		b.wantError(t, schoolLMS, fault.Forbidden, "not the caller's", others)
		b.wantError(t, pupil, fault.Forbidden, "tokens of users do not", own)
		b.wantError(t, resolverstest.Customer, fault.Forbidden, "clients of an account", own)
		b.wantError(t, basic, fault.Forbidden, "VIEW_USAGE", own)
		b.wantError(t, nil, fault.Unauthenticated, "", own)
	}
	b.wantError(t, schoolLMS, fault.Forbidden, "not the caller's", `{ usage(`+october+`, filter: {accounts: ["school", "college"]}) { count } }`)
	b.want(t, schoolLMS, `{ usage(`+october+`) { total { plays } } }`, `{"total":{"plays":5}}`)
	b.want(t, console, `{ usage(`+october+`) { total { plays } } }`, `{"total":{"plays":6}}`)
	b.want(t, schoolLMS, `{ retention(video: "`+string(resolverstest.Floating)+`", `+october+`) { plays } }`, `{"plays":4}`)
	b.want(t, console, `{ retention(video: "`+string(resolverstest.Floating)+`", `+october+`) { plays } }`, `{"plays":5}`)
}

func TestRetention(t *testing.T) {
	b := newFixture(t)
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
	query := `{ retention(video: "` + strings.ToUpper(string(resolverstest.Floating)) + `", ` + october + `, %s) { asOf views plays seconds users uniqueSeconds } }`
	b.want(t, schoolLMS, fmt.Sprintf(query, "sandbox: false"),
		`{"asOf":"2026-10-05T10:00:00Z","views":[2,2,1,0,1],"plays":4,"seconds":4.501,"users":2,"uniqueSeconds":4}`)
	b.want(t, console, fmt.Sprintf(query, "sandbox: true"),
		`{"asOf":"2026-10-05T10:00:00Z","views":[4,4,3,2,3,2,2,1,1],"plays":6,"seconds":20.501,"users":3,"uniqueSeconds":11}`)
}

func TestWithoutUsage(t *testing.T) {
	a := resolverstest.NewAdministration(t)
	for _, query := range []string{
		`{ usage(` + october + `) { count } }`, `{ retention(video: "v", ` + october + `) { plays } }`, `{ statement(account: "school", month: "2026-10") { plays } }`,
		`{ statements(account: "school") { plays } }`, `mutation { sealMonth(month: "2026-10") { plays } }`, `mutation { forgetPerson(account: "school", user: "u1") }`,
	} {
		a.WantError(t, fault.Unavailable, "does not count usage", query, nil)
	}
}

func TestComplexityOfUsage(t *testing.T) {
	b := newFixture(t)
	answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody(`{ usage(`+october+`, by: [USER], first: 1000) { count total { plays seconds users videos } rows {
		from to account client user externalUser video channel subject plays seconds milliseconds users videos } endCursor } }`, nil)))
	if len(answer.Errors) > 0 {
		t.Errorf("a whole page: %+v", answer.Errors)
	}
	fields := ""
	for i := range 100 {
		fields += fmt.Sprintf("f%d: from ", i)
	}
	b.wantError(t, console, "COMPLEXITY_LIMIT", "", `{ usage(`+october+`, by: [USER], first: 1000) { rows { `+fields+` } } }`)
	// Gathering a table is expensive, however little of it is shown.
	for _, field := range []string{`usage(` + october + `, by: [USER, VIDEO], first: 1) { count }`, `retention(video: "v", ` + october + `) { plays }`} {
		if answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, console, resolverstest.RequestBody("{"+resolverstest.Aliases(3, field)+"}", nil))); len(answer.Errors) > 0 {
			t.Errorf("three tables: %+v", answer.Errors)
		}
		b.wantError(t, console, "COMPLEXITY_LIMIT", "", "{"+resolverstest.Aliases(4, field)+"}")
	}
}
