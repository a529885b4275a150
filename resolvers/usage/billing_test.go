package usage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// fixture is an endpoint with its own event log and usage.
type fixture struct {
	handler  http.Handler
	accounts *sqlite.Accounts
	log      *sqlite.Events
	counter  *counting.Counter
	// Tests may change the catalogue and forget persons in usage.
	catalogue *sqlite.Catalogue
	usage     *sqlite.Usage
	now       time.Time
	events    int
}

var (
	schoolLMS = &account.Caller{ClientID: "school-lms", Account: &account.Account{ID: "school"}, Permissions: account.CustomerPermissions()}
	pupil     = &account.Caller{ClientID: "school-lms", User: "u1", Account: &account.Account{ID: "school"}, Permissions: account.CustomerPermissions()}
	basic     = &account.Caller{ClientID: "school-lms", Account: &account.Account{ID: "school"}, Permissions: account.PermissionsOf(account.Browse)}
	console   = &account.Caller{ClientID: "console", Account: &account.Account{ID: "house", Operator: true}, Permissions: account.OperatorPermissions()}
)

func newFixture(t testing.TB, change ...func(*resolvers.Config)) *fixture {
	t.Helper()
	b := &fixture{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	l := resolverstest.NewUsageFixture(t, func() time.Time { return b.now }, change...)
	b.handler, b.accounts, b.log, b.counter, b.catalogue, b.usage = l.Handler, l.Accounts, l.Log, l.Counter, l.Catalogue, l.Usage
	return b
}

// played returns a play.
func played(account, moment string, milliseconds int64, change ...func(*event.Event)) event.Event {
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil {
		panic(err)
	}
	e := event.Event{
		Kind: event.Playback, At: event.InstantOf(at), Received: event.InstantOf(at), Account: account, Client: account + "-lms",
		Video: string(resolverstest.Floating), End: milliseconds, Counted: milliseconds,
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

func of(video string) func(*event.Event) { return func(e *event.Event) { e.Video = video } }

func inSandbox(e *event.Event) { e.Sandbox = true }

// store stores and counts events.
func (b *fixture) store(t testing.TB, events ...event.Event) {
	t.Helper()
	for i := range events {
		b.events++
		events[i].ID = event.ID{6: 0x70, 14: byte(b.events >> 8), 15: byte(b.events)}
	}
	_, err := b.log.Append(t.Context(), []event.Submission{{Events: events}})
	resolverstest.Must(t, err)
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

// verify fails unless the counts agree with the log.
func (b *fixture) verify(t testing.TB) {
	t.Helper()
	report, err := b.counter.Verify(t.Context())
	resolverstest.Must(t, err)
	if !report.Agrees() {
		t.Errorf("the counts do not agree with the log: %v", report.Differences)
	}
}

// want compares the value of the one field of an answer with a JSON text.
func (b *fixture) want(t testing.TB, caller *account.Caller, query, want string) {
	t.Helper()
	answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, caller, resolverstest.RequestBody(query, nil)))
	if len(answer.Errors) > 0 {
		t.Errorf("%s: got %+v", query, answer.Errors)
		return
	}
	var data map[string]json.RawMessage
	resolverstest.Must(t, json.Unmarshal(answer.Data, &data))
	for _, value := range data {
		if got := strings.ReplaceAll(string(value), ".000000Z", "Z"); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", query, got, want)
		}
	}
}

// wantError fails unless an answer has an error with a code and text.
func (b *fixture) wantError(t testing.TB, caller *account.Caller, code fault.Code, says, query string) {
	t.Helper()
	w := resolverstest.Post(t, b.handler, caller, resolverstest.RequestBody(query, nil))
	answer := resolverstest.Read(t, w)
	if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != string(code) ||
		!strings.Contains(fmt.Sprint(answer.Errors[0].Message, answer.Errors[0].Extensions["reasons"]), says) {
		t.Errorf("%s: got %s, want %s and %q", query, w.Body, code, says)
	}
}

const october = `from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z"`

func (b *fixture) storeOctober(t testing.TB) {
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

// TestUsageBeforeWhatIsKept proves that days and months before the retention period keep their totals and users. Every
// other query of that time is refused, with the reason and the earliest possible time.
func TestUsageBeforeWhatIsKept(t *testing.T) {
	b := newFixture(t)
	b.storeOctober(t)
	months := `{ usage(from: "2026-10-01T00:00:00Z", to: "2026-12-01T00:00:00Z", interval: MONTH) { total { plays } rows { plays seconds users } } }`
	const before = `{"total":{"plays":6},"rows":[{"plays":5,"seconds":9.25,"users":3},{"plays":1,"seconds":64,"users":1}]}`
	b.want(t, schoolLMS, months, before)
	resolverstest.Must(t, b.usage.ForgetPersons(t.Context(), usage.Month{Year: 2026, Month: 11}))
	b.want(t, schoolLMS, months, before)
	b.want(t, schoolLMS, `{ usage(`+october+`) { total { plays users } } }`, `{"total":{"plays":5,"users":3}}`)
	b.want(t, schoolLMS, `{ usage(from: "2026-10-05T00:00:00Z", to: "2026-10-06T00:00:00Z") { total { users } } }`, `{"total":{"users":2}}`)
	b.want(t, schoolLMS, `{ usage(`+october+`, by: [VIDEO]) { count rows { plays } } }`, `{"count":2,"rows":[{"plays":4},{"plays":1}]}`)
	for _, query := range []string{
		`usage(` + october + `, by: [USER]) { count }`,
		`usage(` + october + `, by: [VIDEO]) { rows { users } }`,
		`usage(` + october + `, interval: HOUR) { count }`,
		`usage(` + october + `, filter: {externalUsers: ["ann"]}) { total { plays } }`,
		`usage(from: "2026-10-01T00:00:00Z", to: "2026-12-01T00:00:00Z") { total { users } }`,
		`retention(video: "` + string(resolverstest.Floating) + `", ` + october + `) { plays }`,
	} {
		b.wantError(t, schoolLMS, fault.Invalid, "2026-11-01T00:00:00.000Z on", "{ "+query+" }")
	}
	b.verify(t)
}
