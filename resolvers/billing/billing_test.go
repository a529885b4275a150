package billing_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/billing"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// office is an endpoint with an event log, usage and accounts of its own. Its house is the operator.
type office struct {
	testing.TB
	handler   http.Handler
	accounts  *sqlite.Accounts
	log       *sqlite.Events
	catalogue *sqlite.Catalogue
	counter   *counting.Counter
	now       time.Time
	events    int
}

var (
	house   = &account.Account{ID: "house", Name: "House", Operator: true, BillingAddress: "1 Film Street"}
	console = &account.Caller{ClientID: "console", Account: house, Permissions: account.OperatorPermissions()}
	school  = &account.Caller{ClientID: "school-lms", Account: &account.Account{ID: "school"}, Permissions: account.CustomerPermissions()}
)

func newOffice(t testing.TB, change ...func(*resolvers.Config)) *office {
	o := &office{TB: t, now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	l := resolverstest.NewUsageFixture(t, func() time.Time { return o.now }, change...)
	o.handler, o.accounts, o.log, o.catalogue, o.counter = l.Handler, l.Accounts, l.Log, l.Catalogue, l.Counter
	return o
}

func (o *office) must(err error) { o.Helper(); resolverstest.Must(o, err) }

// play stores a play of an account.
func (o *office) play(of, moment string, seconds int64, user string, change ...func(*event.Event)) {
	o.Helper()
	at, err := time.Parse(time.RFC3339, moment)
	o.must(err)
	o.events++
	e := event.Event{
		ID: event.ID{6: 0x70, 15: byte(o.events)}, Kind: event.Playback, At: event.InstantOf(at), Received: event.InstantOf(o.now), Account: of, Client: of + "-lms",
		Video: string(resolverstest.Floating), End: seconds * 1000, Counted: seconds * 1000, ExternalUser: user,
	}
	for _, change := range change {
		change(&e)
	}
	_, err = o.log.Append(o.Context(), []event.Submission{{Events: []event.Event{e}}})
	o.must(err)
	o.must(o.counter.CatchUp(o.Context()))
}

func (o *office) ask(caller *account.Caller, query string) resolverstest.ParsedAnswer {
	o.Helper()
	return resolverstest.Read(o, resolverstest.Post(o, o.handler, caller, resolverstest.RequestBody(query, nil)))
}

// do returns the value of the one field of an answer, as JSON.
func (o *office) do(query string) string {
	o.Helper()
	answer := o.ask(console, query)
	if len(answer.Errors) > 0 {
		o.Fatalf("%s: %+v", query, answer.Errors)
	}
	var data map[string]json.RawMessage
	o.must(json.Unmarshal(answer.Data, &data))
	for _, value := range data {
		return string(value)
	}
	return ""
}

func (o *office) want(query, want string) {
	o.Helper()
	if got := o.do(query); got != want {
		o.Errorf("%s:\ngot  %s\nwant %s", query, got, want)
	}
}

func (o *office) refuse(caller *account.Caller, code fault.Code, says, query string) {
	o.Helper()
	answer := o.ask(caller, query)
	if len(answer.Errors) == 0 || answer.Errors[0].Extensions["code"] != string(code) ||
		!strings.Contains(fmt.Sprint(answer.Errors[0].Message, answer.Errors[0].Extensions["reasons"]), says) {
		o.Errorf("%s: got %+v, want %s and %q", query, answer.Errors, code, says)
	}
}

// plan puts a plan with 10 free minutes, then 0.50 for each of 10 minutes, then 0.25; 1.00 for a user, and a fee of 20.
func (o *office) plan(id, currency string) {
	o.Helper()
	o.do(`mutation { putPricePlan(input: {id: "` + id + `", name: "Plan ` + id + `", currency: "` + currency + `", monthlyFee: "20", components: [
		{unit: MINUTE, allowance: 10, steps: [{upTo: 10, price: "0.5"}, {price: "0.25"}]}, {unit: ACTIVE_USER, steps: [{price: "1"}]}]}) { id } }`)
}

func (o *office) give(of, plan string) {
	o.Helper()
	o.do(`mutation { updateAccount(id: "` + of + `", input: {pricePlan: "` + plan + `", billingAddress: "2 School Street\nRiverside", billingEmail: "bills@school.example"}) { id } }`)
}

func (o *office) seal(month string) {
	o.Helper()
	o.do(`mutation { sealMonth(month: "` + month + `", force: true) { account } }`)
}

func monthOf(t testing.TB, text string) usage.Month {
	t.Helper()
	month, err := usage.ParseMonth(text)
	resolverstest.Must(t, err)
	return month
}

const shown = `{ nodes { account state number currency total lines { kind unit month quantity amount } } }`

func TestPricePlans(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.want(`{ pricePlans { nodes { id name currency monthlyFee minimum components { unit allowance steps { upTo price } } } } }`,
		`{"nodes":[{"id":"std","name":"Plan std","currency":"EUR","monthlyFee":"20","minimum":"0","components":[`+
			`{"unit":"MINUTE","allowance":10,"steps":[{"upTo":10,"price":"0.5"},{"upTo":null,"price":"0.25"}]},{"unit":"ACTIVE_USER","allowance":0,"steps":[{"upTo":null,"price":"1"}]}]}]}`)
	for input, says := range map[string]string{
		`{id: "x", name: "X", currency: "EURO"}`:                                       "currency",
		`{id: "x", name: "X", currency: "EUR", monthlyFee: "1e9"}`:                     `"1e9" is not a decimal number`,
		`{id: "x", name: "X", currency: "EUR", monthlyFee: "0.001"}`:                   "more digits",
		`{id: "x", name: "X", currency: "JPY", minimum: "0.5"}`:                        "more digits",
		`{id: "x", name: "X", currency: "EUR", components: [{unit: PLAY, steps: []}]}`: "steps: is empty",
	} {
		o.refuse(console, fault.Invalid, says, `mutation { putPricePlan(input: `+input+`) { id } }`)
		o.refuse(console, fault.Invalid, says, `{ pricePreview(plan: `+input+`) { total } }`)
	}
	o.want(`{ pricePreview(plan: {id: "x", name: "X", currency: "EUR", minimum: "9", components: [{unit: PLAY, steps: [{price: "0.333"}]}]}, plays: 2) { total lines { kind amount from to price } } }`,
		`{"total":"9.00","lines":[{"kind":"USAGE","amount":"0.67","from":0,"to":null,"price":"0.333"},{"kind":"MINIMUM","amount":"8.33","from":null,"to":null,"price":null}]}`)
	o.refuse(console, fault.Invalid, "plays: -1 is below 0", `{ pricePreview(plan: {id: "x", name: "X", currency: "EUR"}, plays: -1) { total } }`)
	o.give("school", "std")
	o.want(`{ account(id: "school") { pricePlan billingAddress billingEmail } }`, `{"pricePlan":"std","billingAddress":"2 School Street\nRiverside","billingEmail":"bills@school.example"}`)
	o.refuse(console, fault.Conflict, `is needed by account "school"`, `mutation { deletePricePlan(id: "std") }`)
	o.refuse(console, fault.Invalid, `there is no pricePlan "nope"`, `mutation { updateAccount(id: "college", input: {pricePlan: "nope"}) { id } }`)
	o.refuse(console, fault.Invalid, "pays nothing", `mutation { updateAccount(id: "house", input: {pricePlan: "std"}) { id } }`)
	o.refuse(console, fault.Invalid, "is not an e-mail address", `mutation { updateAccount(id: "college", input: {billingEmail: "x"}) { id } }`)
	o.do(`mutation { updateAccount(id: "school", input: {pricePlan: null}) { id } }`)
	o.want(`mutation { deletePricePlan(id: "std") }`, `"std"`)
	o.refuse(school, fault.Forbidden, "VIEW_BILLING", `{ pricePlans { nodes { id } } }`)
	o.refuse(school, fault.Forbidden, "VIEW_BILLING", `{ invoices { nodes { id } } }`)
	support := &account.Caller{ClientID: "console", Account: house, Permissions: account.Support.Permissions()}
	o.refuse(support, fault.Forbidden, "VIEW_BILLING", `{ auditLog(kind: pricePlan) { nodes { id } } }`)
	if log := string(o.ask(support, `{ auditLog { nodes { kind after } } }`).Data); strings.Contains(log, "monthlyFee") || !strings.Contains(log, `"pricePlan"`) {
		t.Errorf("support sees %s", log)
	}
}

// TestInvoices follows plays over three months: a draft, issue, a void and a late play, which adjust the next invoices.
func TestInvoices(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.give("school", "std")
	o.play("school", "2026-09-05T10:00:00Z", 15*60, "ann")
	o.play("school", "2026-09-06T10:00:00Z", 10*60+1, "bob")
	o.play("school", "2026-09-06T10:00:00Z", 60, "") // of no known person
	o.play("school", "2026-09-06T10:00:00Z", 3600, "cid", func(e *event.Event) { e.Sandbox = true })
	o.play("college", "2026-09-06T10:00:00Z", 60, "ann")
	o.refuse(console, fault.Conflict, "2026-09 is not sealed", `mutation { draftInvoices(month: "2026-09") { drafted } }`)
	o.seal("2026-09")
	o.refuse(console, fault.Conflict, "has no price plan", `mutation { draftInvoice(account: "college", month: "2026-09") { id } }`)
	o.want(`mutation { draftInvoices(month: "2026-09") { drafted issued skipped pageInfo { hasNextPage } } }`, `{"drafted":1,"issued":0,"skipped":0,"pageInfo":{"hasNextPage":false}}`)
	september := `{"account":"school","state":"%s","number":%s,"currency":"EUR","total":"31.00","lines":[{"kind":"FEE","unit":null,"month":"2026-09","quantity":0,"amount":"20.00"},` +
		`{"kind":"ALLOWANCE","unit":"MINUTE","month":"2026-09","quantity":600,"amount":"0.00"},{"kind":"USAGE","unit":"MINUTE","month":"2026-09","quantity":600,"amount":"5.00"},` +
		`{"kind":"USAGE","unit":"MINUTE","month":"2026-09","quantity":361,"amount":"1.50"},{"kind":"USAGE","unit":"ACTIVE_USER","month":"2026-09","quantity":2,"amount":"2.00"}]}`
	september = strings.Replace(september, `"31.00"`, `"28.50"`, 1)
	o.want(`{ invoices(month: "2026-09") `+shown+` }`, `{"nodes":[`+fmt.Sprintf(september, "DRAFT", "null")+`]}`)
	o.want(`{ invoiceMonth(month: "2026-09") { drafts issued totals { currency amount } withoutPlan { account plays } } }`,
		`{"drafts":1,"issued":0,"totals":[{"currency":"EUR","amount":"28.50"}],"withoutPlan":[{"account":"college","plays":1}]}`)
	var list struct {
		Nodes []struct {
			ID, Statement string
			Version       int
		}
	}
	o.must(json.Unmarshal([]byte(o.do(`{ invoices { nodes { id version statement } } }`)), &list))
	id, version := list.Nodes[0].ID, list.Nodes[0].Version
	o.want(`{ statement(account: "school", month: "2026-09") { checksum } }`, fmt.Sprintf(`{"checksum":%q}`, list.Nodes[0].Statement))
	o.do(`mutation { draftInvoices(month: "2026-09") { drafted } }`) // which changes nothing
	o.want(`{ invoice(id: "`+id+`") { version } }`, fmt.Sprintf(`{"version":%d}`, version))

	o.want(`mutation { issueInvoices(month: "2026-09") { issued } }`, `{"issued":1}`)
	o.want(`mutation { issueInvoices(month: "2026-09") { issued } }`, `{"issued":0}`)
	o.want(`{ invoices(account: "school", state: ISSUED) `+shown+` }`, `{"nodes":[`+fmt.Sprintf(september, "ISSUED", `"2026-0001"`)+`]}`)
	o.refuse(console, fault.Conflict, "never changes", `mutation { draftInvoice(account: "school", month: "2026-09") { id } }`)
	o.refuse(console, fault.Conflict, "never changes", `mutation { deleteInvoice(id: "`+id+`") }`)
	o.want(`mutation { draftInvoices(month: "2026-09") { drafted issued } }`, `{"drafted":0,"issued":1}`)

	// In October, somebody voids bob's play, a play of September comes late, and the plan becomes dearer.
	o.do(`mutation { voidPlays(selection: {account: "school", client: "school-lms", from: "2026-09-06T09:00:00Z", to: "2026-09-06T11:00:00Z"}, reason: "runaway") { id } }`)
	o.play("school", "2026-09-20T10:00:00Z", 120, "dan")
	o.do(`mutation { putPricePlan(input: {id: "std", name: "Dearer", currency: "EUR", monthlyFee: "30"}) { id } }`)
	o.give("college", "std")
	o.seal("2026-10")
	o.want(`mutation { draftInvoices(month: "2026-10") { drafted } }`, `{"drafted":2}`)
	// September now has 17 minutes: 7 x 0.50, instead of 5.00 and 1.50.
	october := `{"account":"school","state":"DRAFT","number":null,"currency":"EUR","total":"27.00","lines":[{"kind":"FEE","unit":null,"month":"2026-10","quantity":0,"amount":"30.00"},` +
		`{"kind":"ADJUSTMENT","unit":"MINUTE","month":"2026-09","quantity":-541,"amount":"-3.00"}]}`
	o.want(`{ invoices(account: "school", month: "2026-10") `+shown+` }`, `{"nodes":[`+october+`]}`)
	o.want(`{ invoices(account: "school", month: "2026-10") { nodes { previousTotal warnings } } }`, `{"nodes":[{"previousTotal":"28.50","warnings":[]}]}`)
	o.want(`{ invoices(account: "college") { nodes { total warnings } } }`, `{"nodes":[{"total":"30.00","warnings":[]}]}`)

	// The account has a later invoice, so that September cannot be drafted any more; a later draft does not get ahead.
	o.refuse(console, fault.Conflict, "later month", `mutation { draftInvoice(account: "college", month: "2026-09") { id } }`)
	o.want(`mutation { draftInvoices(month: "2026-09") { drafted issued skipped } }`, `{"drafted":0,"issued":0,"skipped":2}`)
	o.seal("2026-11")
	o.do(`mutation { draftInvoices(month: "2026-11") { drafted } }`)
	o.refuse(console, fault.Conflict, "has a draft for 2026-10", `mutation { issueInvoices(month: "2026-11") { issued } }`)
	o.refuse(console, fault.Invalid, "is not the id of an invoice for 2026-10", `mutation { issueInvoices(month: "2026-10", ids: ["`+id+`"]) { issued } }`)
	o.want(`mutation { issueInvoices(month: "2026-10", first: 1) { issued pageInfo { hasNextPage } } }`, `{"issued":1,"pageInfo":{"hasNextPage":true}}`)
	o.want(`mutation { issueInvoices(month: "2026-10") { issued } }`, `{"issued":1}`)
	o.now = o.now.AddDate(1, 0, 0)
	o.want(`mutation { issueInvoices(month: "2026-11") { issued } }`, `{"issued":2}`)
	if numbers := o.do(`{ invoices { nodes { number } } }`); strings.Count(numbers, "2026-0") != 3 || !strings.Contains(numbers, "2027-0001") || !strings.Contains(numbers, "2027-0002") {
		t.Errorf("the numbers are %s", numbers)
	}
}

// TestDraftsAreDeletedFromTheLast checks that no draft is deleted that a later invoice counts as charged, so that no
// invoice credits what was never charged.
func TestDraftsAreDeletedFromTheLast(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.give("school", "std")
	o.play("school", "2026-09-05T10:00:00Z", 40*60, "ann")
	draft := func(month string) string {
		t.Helper()
		o.seal(month)
		o.do(`mutation { draftInvoices(month: "` + month + `") { drafted } }`)
		return account.InvoiceID("school", monthOf(t, month))
	}
	drop := func(id string) string { return `mutation { deleteInvoice(id: "` + id + `") }` }
	september := draft("2026-09")
	o.do(`mutation { voidPlays(selection: {account: "school", client: "school-lms", from: "2026-09-01T00:00:00Z", to: "2026-10-01T00:00:00Z"}, reason: "all") { id } }`)
	october, november := draft("2026-10"), draft("2026-11")
	const ofOctober = `{ invoices(month: "2026-10") { nodes { total } } }`
	o.want(ofOctober, `{"nodes":[{"total":"10.00"}]}`) // the fee less 10 x 0.50 and 20 x 0.25

	o.refuse(console, fault.Conflict, "has a draft for 2026-09: issue it first", `mutation { issueInvoices(month: "2026-10") { issued } }`)
	for _, id := range []string{september, october} {
		o.refuse(console, fault.Conflict, `the account "school" has a draft for 2026-11, whose adjustments build on this one: delete that draft first`, drop(id))
	}
	o.do(drop(november))
	o.refuse(console, fault.Conflict, "has a draft for 2026-10", drop(september))
	o.do(drop(october))
	o.do(drop(september))
	o.do(`mutation { draftInvoices(month: "2026-10") { drafted } }`)
	o.want(`mutation { issueInvoices(month: "2026-10") { issued } }`, `{"issued":1}`)
	o.want(ofOctober, `{"nodes":[{"total":"20.00"}]}`)
}

// TestNoDraftIsDeletedBeforeAnIssuedInvoice checks that a draft stays if a later invoice is issued, and that the
// operator learns what to do.
func TestNoDraftIsDeletedBeforeAnIssuedInvoice(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.give("school", "std")
	for _, month := range []string{"2026-09", "2026-10", "2026-11"} {
		o.play("school", month+"-05T10:00:00Z", 60, "ann")
		o.seal(month)
		o.do(`mutation { draftInvoices(month: "` + month + `") { drafted } }`)
	}
	// The server issues no invoice before an earlier draft, but a store may have one.
	o.must(o.accounts.Edit(t.Context(), account.Actor{}, func(ctx context.Context, tx store.RegistryTx) error {
		key := account.KindInvoice.Key(account.InvoiceID("school", monthOf(t, "2026-10")))
		invoice, err := account.As[*account.Invoice](tx.Entity(ctx, key))
		if err != nil {
			return err
		}
		invoice.State, invoice.Number, invoice.IssuedAt = billing.Issued, "2026-0099", &o.now
		return tx.Put(ctx, invoice)
	}))
	september := account.InvoiceID("school", monthOf(t, "2026-09"))
	o.refuse(console, fault.Conflict, "the invoice 2026-0099 of the account \"school\" for 2026-10 is issued, and its adjustments build on this draft: issue this one, too",
		`mutation { deleteInvoice(id: "`+september+`") }`)
	o.want(`mutation { issueInvoices(month: "2026-09") { issued } }`, `{"issued":1}`)
}

// TestDraftsBesideOthers checks that no draft is stored that builds on an invoice that was added or deleted while it was
// composed, or on a price plan or an account that changed, and that no invoice is added or deleted behind a later draft. An
// invoice would otherwise credit plays that were never charged, or charge them twice.
func TestDraftsBesideOthers(t *testing.T) {
	const (
		draftSeptember = `mutation { draftInvoices(month: "2026-09") { drafted } }`
		draftOctober   = `mutation { draftInvoices(month: "2026-10") { drafted } }`
		list           = `{ invoices(account: "school") { nodes { month } } }`
		september      = `{"nodes":[{"month":"2026-09"}]}`
		october        = `{"nodes":[{"month":"2026-10"}]}`
		both           = `{"nodes":[{"month":"2026-09"},{"month":"2026-10"}]}`
		dearer         = `mutation { putPricePlan(input: {id: "std", name: "Dearer", currency: "EUR", monthlyFee: "30"}) { id } }`
		moved          = `mutation { updateAccount(id: "school", input: {billingAddress: "3 School Street"}) { id } }`
	)
	deleteSeptember := `mutation { deleteInvoice(id: "` + account.InvoiceID("school", monthOf(t, "2026-09")) + `") }`
	for name, c := range map[string]struct{ before, do, meanwhile, refusal, want string }{
		"delete below a new draft":     {draftSeptember, draftOctober, deleteSeptember, "changed at the same time", `{"nodes":[]}`},
		"add below a new draft":        {"", draftOctober, draftSeptember, "changed at the same time", september},
		"one below a new draft":        {"", `mutation { draftInvoice(account: "school", month: "2026-10") { id } }`, draftSeptember, "changed at the same time", september},
		"add behind a draft":           {"", draftSeptember, draftOctober, "later month", october},
		"add behind a draft to delete": {draftSeptember, deleteSeptember, draftOctober, "has a draft for 2026-10", both},
		"change prices":                {"", draftSeptember, dearer, `the price plan "std", on which a draft for 2026-09 builds, changed at the same time`, `{"nodes":[]}`},
		"change an account":            {"", draftSeptember, moved, `the account "school", on which a draft for 2026-09 builds, changed at the same time`, `{"nodes":[]}`},
	} {
		t.Run(name, func(t *testing.T) {
			beside := &resolverstest.Meanwhile{}
			o := newOffice(t, func(c *resolvers.Config) { beside.Registry, c.Registry = c.Registry, beside })
			o.plan("std", "EUR")
			o.give("school", "std")
			o.play("school", "2026-09-05T10:00:00Z", 40*60, "ann")
			o.seal("2026-09")
			o.play("school", "2026-09-06T10:00:00Z", 20*60, "bob")
			o.seal("2026-10")
			if c.before != "" {
				o.do(c.before)
			}
			beside.Do = func() { o.do(c.meanwhile) }
			o.refuse(console, fault.Conflict, c.refusal, c.do)
			o.want(list, c.want)
		})
	}
}

// TestMonthsSealedAgain checks that all invoices together charge each play once after somebody restored the log and the
// counts from an older backup and sealed an invoiced month again.
func TestMonthsSealedAgain(t *testing.T) {
	const (
		draft = `mutation { draftInvoices(month: "%s") { drafted issued } }`
		lines = `{ invoices(month: "%s") { nodes { total lines { kind unit month quantity amount } } } }`
	)
	type play = func(o *office)
	first := func(o *office) { o.play("school", "2026-10-05T10:00:00Z", 600, "ann") }
	second := func(o *office) { o.play("school", "2026-10-06T10:00:00Z", 600, "bob") }
	for name, c := range map[string]struct {
		before, restored, late []play
		want                   string
	}{
		"a play was lost and comes again": {[]play{first, second}, []play{first}, []play{second}, `{"nodes":[{"total":"0.00","lines":[]}]}`},
		"a play was lost": {[]play{first, second}, []play{first}, nil,
			`{"nodes":[{"total":"-10.00","lines":[{"kind":"ADJUSTMENT","unit":"MINUTE","month":"2026-10","quantity":-600,"amount":"-10.00"}]}]}`},
		"all plays were lost": {[]play{first, second}, nil, nil,
			`{"nodes":[{"total":"-20.00","lines":[{"kind":"ADJUSTMENT","unit":"MINUTE","month":"2026-10","quantity":-1200,"amount":"-20.00"}]}]}`},
		"a late play is sealed with the month": {[]play{first}, []play{first, second}, nil,
			`{"nodes":[{"total":"10.00","lines":[{"kind":"ADJUSTMENT","unit":"MINUTE","month":"2026-10","quantity":600,"amount":"10.00"}]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			o.do(`mutation { putPricePlan(input: {id: "std", name: "Std", currency: "EUR", components: [{unit: MINUTE, steps: [{price: "1"}]}]}) { id } }`)
			o.give("school", "std")
			seal := func(plays []play, month string) {
				t.Helper()
				for _, play := range plays {
					play(o)
				}
				o.seal(month)
			}
			seal(c.before, "2026-10")
			o.want(fmt.Sprintf(draft, "2026-10"), `{"drafted":1,"issued":0}`)
			o.want(`mutation { issueInvoices(month: "2026-10") { issued } }`, `{"issued":1}`)
			invoiced := o.accounts
			o = newOffice(t, func(config *resolvers.Config) { config.Registry = invoiced })
			seal(c.restored, "2026-10")
			o.do(fmt.Sprintf(draft, "2026-10"))
			o.now = o.now.AddDate(0, 2, 0)
			seal(c.late, "2026-11")
			o.want(fmt.Sprintf(draft, "2026-11"), `{"drafted":1,"issued":0}`)
			o.want(fmt.Sprintf(lines, "2026-11"), c.want)
			seal(nil, "2026-12")
			o.want(fmt.Sprintf(draft, "2026-12"), `{"drafted":1,"issued":0}`)
			o.want(fmt.Sprintf(lines, "2026-12"), `{"nodes":[{"total":"0.00","lines":[]}]}`)
		})
	}
}

// TestAmountsBeyondTheLimitOfInputs checks that a mistyped price breaks nothing: amounts have more digits than inputs may.
func TestAmountsBeyondTheLimitOfInputs(t *testing.T) {
	o := newOffice(t)
	o.do(`mutation { putPricePlan(input: {id: "std", name: "Std", currency: "EUR", components: [{unit: PLAY, steps: [{price: "999999999999999"}]}]}) { id } }`)
	o.give("school", "std")
	o.play("school", "2026-10-05T10:00:00Z", 60, "ann")
	o.play("school", "2026-10-06T10:00:00Z", 60, "ann")
	o.seal("2026-10")
	o.do(`mutation { draftInvoices(month: "2026-10") { drafted } }`)
	o.want(`{ invoices(month: "2026-10") { nodes { total } } }`, `{"nodes":[{"total":"1999999999999998.00"}]}`)
	o.do(`mutation { deleteInvoice(id: "` + account.InvoiceID("school", monthOf(t, "2026-10")) + `") }`)
	o.refuse(console, fault.Invalid, "at most 15 digits", `{ pricePreview(plan: {id: "x", name: "X", currency: "EUR", minimum: "1999999999999998.00"}) { total } }`)
}

// TestAccountsAreDeletedOnceTheyAreCharged checks that no account with a price plan is deleted while it has usage that no
// invoice charges, because nobody could charge it any more.
func TestAccountsAreDeletedOnceTheyAreCharged(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.give("school", "std")
	o.give("college", "std")
	refuse := func(of, month string) {
		t.Helper()
		o.refuse(console, fault.Conflict, `the account "`+of+`" has usage in `+month+` that no invoice charges: seal the month and draft its invoice (suspend the account meanwhile), or remove the price plan to charge nothing more`,
			`mutation { deleteAccount(id: "`+of+`") }`)
	}
	o.play("school", "2026-09-05T10:00:00Z", 60, "ann", func(e *event.Event) { e.Sandbox = true })
	o.play("school", "2026-10-05T10:00:00Z", 60, "ann")
	refuse("school", "2026-10")
	o.seal("2026-10")
	refuse("school", "2026-10")
	o.do(`mutation { draftInvoices(month: "2026-10") { drafted } }`)
	o.play("school", "2026-10-06T10:00:00Z", 60, "ann")
	refuse("school", "2026-11") // whose statement will have the late play
	o.seal("2026-11")
	refuse("school", "2026-11")
	o.do(`mutation { draftInvoices(month: "2026-11") { drafted } }`)
	o.want(`mutation { deleteAccount(id: "school") }`, `"school"`)
	o.want(`mutation { issueInvoices(month: "2026-10") { issued } }`, `{"issued":1}`)

	o.play("college", "2026-11-05T10:00:00Z", 60, "ann")
	refuse("college", "2026-12")
	o.do(`mutation { updateAccount(id: "college", input: {pricePlan: null}) { id } }`)
	o.want(`mutation { deleteAccount(id: "college") }`, `"college"`)
}

// TestNothingIsIssuedByAWrongClock checks that no invoice gets a date or a number of a wrong year.
func TestNothingIsIssuedByAWrongClock(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.give("school", "std")
	for _, month := range []string{"2026-09", "2026-10"} {
		o.play("school", month+"-05T10:00:00Z", 60, "ann")
		o.seal(month)
	}
	hold := func(hold *store.ClockHold) {
		t.Helper()
		o.must(o.log.EditClockRecord(t.Context(), func(record *store.ClockRecord) error { record.Hold = hold; return nil }))
	}
	issue := func(month string) string { return `mutation { issueInvoices(month: "` + month + `") { issued } }` }
	o.do(`mutation { draftInvoices(month: "2026-09") { drafted } }`)
	hold(&store.ClockHold{Reason: "it jumped"})
	o.refuse(console, fault.Conflict, "invoices cannot be issued while a wall clock is not trusted (it jumped): correct the clock and run filmstrip clock confirm", issue("2026-09"))
	hold(nil)
	o.want(issue("2026-09"), `{"issued":1}`)
	o.do(`mutation { draftInvoices(month: "2026-10") { drafted } }`)
	o.now = o.now.AddDate(-1, 0, 0)
	o.refuse(console, fault.Conflict, "the last invoice has a number of 2026, and the clock says 2025", issue("2026-10"))
	o.now = o.now.AddDate(1, 0, 0)
	o.want(issue("2026-10"), `{"issued":1}`)
}

// TestDraftsOfSkippedMonths checks that nobody is told to seal a month that cannot be sealed any more.
func TestDraftsOfSkippedMonths(t *testing.T) {
	o := newOffice(t)
	for _, month := range []string{"2026-08", "2026-10"} {
		o.seal(month)
	}
	o.refuse(console, fault.Conflict, "2026-10 was sealed without 2026-09, which therefore has no invoices: its plays are adjustments of 2026-10", `mutation { draftInvoices(month: "2026-09") { drafted } }`)
	o.refuse(console, fault.Conflict, "2026-11 is not sealed", `mutation { draftInvoices(month: "2026-11") { drafted } }`)
}

// singleRows are counts whose tables have pages of one row.
type singleRows struct{ store.Usage }

func (s singleRows) Table(ctx context.Context, query usage.Query) (usage.Table, error) {
	query.Limit = min(query.Limit, 1)
	return s.Usage.Table(ctx, query)
}

// TestDraftsReadAllPagesOfChannels checks that a draft has the time of every channel.
func TestDraftsReadAllPagesOfChannels(t *testing.T) {
	o := newOffice(t, func(c *resolvers.Config) { c.Usage = singleRows{c.Usage} })
	o.plan("std", "EUR")
	o.give("school", "std")
	o.play("school", "2026-10-05T10:00:00Z", 600, "ann", func(e *event.Event) { e.Video = "ffffffffffffffffffffffff" }) // of no channel, and so on the first page
	o.play("school", "2026-10-05T10:00:00Z", 600, "ann")
	o.seal("2026-10")
	o.do(`mutation { draftInvoices(month: "2026-10") { drafted } }`)
	invoice, err := account.As[*account.Invoice](o.accounts.Entity(t.Context(), account.KindInvoice.Key(account.InvoiceID("school", monthOf(t, "2026-10")))))
	o.must(err)
	if len(invoice.Channels) != 1 || invoice.Channels[0].Milliseconds != 600_000 {
		t.Errorf("the channels are %+v", invoice.Channels)
	}
}

// countedReads counts the reads of records outside transactions.
type countedReads struct {
	store.Registry
	reads *int
}

func (c countedReads) Entity(ctx context.Context, key account.EntityKey) (account.Entity, error) {
	*c.reads++
	return c.Registry.Entity(ctx, key)
}

func (c countedReads) Entities(ctx context.Context, kind account.Kind, owner, after string, limit int) ([]account.Entity, error) {
	*c.reads++
	return c.Registry.Entities(ctx, kind, owner, after, limit)
}

func (c countedReads) EntitiesOf(ctx context.Context, kind account.Kind, owners []string, after string, limit int) ([]account.Entity, error) {
	*c.reads++
	return c.Registry.EntitiesOf(ctx, kind, owners, after, limit)
}

func (c countedReads) EntitiesByID(ctx context.Context, kind account.Kind, ids []string) (map[string]account.Entity, error) {
	*c.reads++
	return c.Registry.EntitiesByID(ctx, kind, ids)
}

// TestReadsOfInvoices checks that the reads of a list do not grow with it.
func TestReadsOfInvoices(t *testing.T) {
	reads := 0
	o := newOffice(t, func(c *resolvers.Config) { c.Registry = countedReads{c.Registry, &reads} })
	o.plan("std", "EUR")
	read := func(query string) int {
		o.Helper()
		reads = 0
		o.do(query)
		return reads
	}
	counts := map[string][]int{}
	for _, month := range []string{"2026-08", "2026-09"} {
		if month == "2026-09" {
			later := o.now
			o.now = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC) // so that they had their plan in the month
			for i := range 30 {
				o.do(fmt.Sprintf(`mutation { createAccount(input: {id: "a%d", name: "A", tier: "basic", pricePlan: "std"}) { id } }`, i))
			}
			o.now = later
		}
		o.give("school", "std")
		o.play("school", month+"-05T10:00:00Z", 60, "ann")
		o.play("college", month+"-05T10:00:00Z", 60, "ann")
		o.seal(month)
		for name, query := range map[string]string{"list": `{ invoices(month: "%s") { nodes { previousTotal } } }`, "month": `{ invoiceMonth(month: "%s") { withoutPlan { name } } }`} {
			o.do(fmt.Sprintf(`mutation { draftInvoices(month: "%s") { drafted } }`, month))
			counts[name] = append(counts[name], read(fmt.Sprintf(query, month)))
		}
		counts["issue"] = append(counts["issue"], read(fmt.Sprintf(`mutation { issueInvoices(month: "%s") { issued } }`, month)))
	}
	for name, of := range counts {
		if of[0] != of[1] || of[0] > 4 {
			t.Errorf("%s: %v reads", name, of)
		}
	}
	o.want(`{ invoiceMonth(month: "2026-09") { issued } }`, `{"issued":31}`)
}

// TestOnlyKnownPersonsAreActiveUsers checks that anonymous callers and visitors of embeds are charged as plays, and never
// as users, even if they name somebody, and that the events of one opened embed are one play.
func TestOnlyKnownPersonsAreActiveUsers(t *testing.T) {
	o := newOffice(t)
	o.do(`mutation { putPricePlan(input: {id: "std", name: "Std", currency: "EUR", components: [
		{unit: ACTIVE_USER, steps: [{price: "1"}]}, {unit: PLAY, steps: [{price: "0.1"}]}, {unit: MINUTE, steps: [{price: "0.6"}]}]}) { id } }`)
	o.give("school", "std")
	visitor := &account.Caller{ClientID: "school-lms", Account: school.Account, User: "u9", ExternalUser: "zoe", Permissions: account.CustomerPermissions()}
	visitor.Confine(&account.Embed{Video: resolverstest.Floating, Viewing: account.Viewing{ID: "v", Opened: o.now.Add(-time.Hour)}})
	for _, caller := range []*account.Caller{school, visitor, visitor, {Permissions: account.CustomerPermissions()}} {
		body := json.RawMessage(fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":0,"segmentEndSeconds":10,"userId":"named"}`, resolverstest.Floating))
		ask := resolverstest.RequestBody(`mutation($event: PlaybackEventInput!) { recordPlayback(event: $event) }`, map[string]any{"event": body})
		if answer := resolverstest.Read(t, resolverstest.Post(t, o.handler, caller, ask)); len(answer.Errors) > 0 {
			t.Fatalf("%+v", answer.Errors)
		}
	}
	o.seal("2026-11")
	o.do(`mutation { draftInvoices(month: "2026-11") { drafted } }`)
	o.want(`{ invoices `+shown+` }`, `{"nodes":[{"account":"school","state":"DRAFT","number":null,"currency":"EUR","total":"1.50","lines":[`+
		`{"kind":"USAGE","unit":"ACTIVE_USER","month":"2026-11","quantity":1,"amount":"1.00"},{"kind":"USAGE","unit":"PLAY","month":"2026-11","quantity":2,"amount":"0.20"},`+
		`{"kind":"USAGE","unit":"MINUTE","month":"2026-11","quantity":30,"amount":"0.30"}]}]}`)
}

func TestRoyalties(t *testing.T) {
	o := newOffice(t)
	o.plan("std", "EUR")
	o.give("school", "std")
	videos, err := o.catalogue.Videos(t.Context(), []catalogue.ID{resolverstest.Floating})
	o.must(err)
	channel := string(videos[0].ChannelID)
	o.play("school", "2026-10-05T10:00:00Z", 1800, "ann")
	o.play("school", "2026-10-05T10:00:00Z", 600, "ann", func(e *event.Event) { e.Video = "ffffffffffffffffffffffff" }) // of no channel
	o.refuse(console, fault.Invalid, "there is no channel", `mutation { putRoyaltyTerms(channel: "ffffffffffffffffffffffff", input: {basis: SHARE, percent: "50"}) { channel } }`)
	o.refuse(console, fault.Invalid, "percent: is required", `mutation { putRoyaltyTerms(channel: "`+channel+`", input: {basis: SHARE}) { channel } }`)
	o.refuse(console, fault.Invalid, "100.1 is not 0 to 100", `mutation { putRoyaltyTerms(channel: "`+channel+`", input: {basis: SHARE, percent: "100.1"}) { channel } }`)
	o.refuse(console, fault.Invalid, "currency are required", `mutation { putRoyaltyTerms(channel: "`+channel+`", input: {basis: RATE, price: "1"}) { channel } }`)
	o.do(`mutation { putRoyaltyTerms(channel: "` + channel + `", input: {basis: SHARE, percent: "50"}) { channel } }`)
	o.seal("2026-10")
	o.want(`{ royaltyStatements(month: "2026-10") { channel } }`, `[]`)
	o.do(`mutation { draftInvoices(month: "2026-10") { drafted } }`)
	// 20 + 10 x 0.50 + 20 x 0.25 + 1.00 is 31.00; the channel has three quarters of the time.
	const statements = `{ royaltyStatements(month: "2026-10") { final totals { currency amount } lines { account milliseconds accountMilliseconds revenue { amount } amount { amount } } } }`
	want := `[{"final":%t,"totals":[{"currency":"EUR","amount":"11.63"}],"lines":[{"account":"school","milliseconds":1800000,"accountMilliseconds":2400000,"revenue":{"amount":"31.00"},"amount":{"amount":"11.63"}}]}]`
	o.want(statements, fmt.Sprintf(want, false))
	o.do(`mutation { issueInvoices(month: "2026-10") { issued } }`)
	// What happens after the issue does not change the statements.
	o.do(`mutation { voidPlays(selection: {account: "school", client: "school-lms", from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:00Z"}, reason: "all") { id } }`)
	o.want(statements, fmt.Sprintf(want, true))
	o.do(`mutation { putRoyaltyTerms(channel: "` + channel + `", input: {basis: RATE, price: "0.01", currency: "USD"}) { channel } }`)
	o.want(`{ royaltyStatements(month: "2026-10") { totals { currency amount } } }`, `[{"totals":[{"currency":"USD","amount":"0.30"}]}]`)
	o.want(`{ royaltyTerms { nodes { channel basis percent price currency } } }`, `{"nodes":[{"channel":"`+channel+`","basis":"RATE","percent":null,"price":"0.01","currency":"USD"}]}`)
	o.want(`mutation { deleteRoyaltyTerms(channel: "`+channel+`") }`, `"`+channel+`"`)
	o.want(`{ royaltyStatements(month: "2026-10") { channel } }`, `[]`)
}
