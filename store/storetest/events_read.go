package storetest

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
)

var eventReadTests = map[string]func(l *eventsFixture){
	"every field survives":    testEventFields,
	"pages":                   testEventPages,
	"the filters of a query":  testEventQuery,
	"values are the caller's": testEventValues,
}

func testEventFields(l *eventsFixture) {
	full := fullEvent()
	want := []event.Event{full, {Kind: event.AccessExpired, At: 1, Received: 2}}
	for _, kind := range event.Kinds() {
		e := full
		e.Kind, e.At = kind, e.Received
		want = append(want, e)
	}
	// Each field is set alone, so that no field depends on another.
	for _, set := range []func(e *event.Event){
		func(e *event.Event) { e.Account = full.Account }, func(e *event.Event) { e.Client = full.Client },
		func(e *event.Event) { e.User = full.User }, func(e *event.Event) { e.ExternalUser = full.ExternalUser },
		func(e *event.Event) { e.Sandbox = true }, func(e *event.Event) { e.Continues = true }, func(e *event.Event) { e.Video = full.Video },
		func(e *event.Event) { e.Start = full.Start }, func(e *event.Event) { e.End = full.End },
		func(e *event.Event) { e.Subtype = full.Subtype }, func(e *event.Event) { e.Trace = full.Trace },
		func(e *event.Event) { e.Referer = full.Referer }, func(e *event.Event) { e.Address = full.Address },
		func(e *event.Event) { e.Details = full.Details }, func(e *event.Event) { e.Metadata = full.Metadata },
	} {
		e := event.Event{Kind: event.PageRender, At: morning - 1, Received: morning}
		set(&e)
		want = append(want, e)
	}
	l.append(want...)
	for i := range want {
		want[i].Position = int64(i + 1)
	}
	if diff := cmp.Diff(want, l.read(store.EventQuery{})); diff != "" {
		l.Error("(-want +got):\n", diff)
	}
}

func testEventPages(l *eventsFixture) {
	var want []int
	for n := 1; n <= 40; n++ {
		l.append(watched(n))
		want = append(want, n)
	}
	l.holds("in pages of seven", want...)
	for _, page := range []struct {
		after       event.Position
		limit       int
		first, size int
	}{{0, 1, 1, 1}, {0, 40, 1, 40}, {0, 10_000, 1, 40}, {39, 5, 40, 1}, {40, 5, 0, 0}, {41, 5, 0, 0}, {17, 3, 18, 3}} {
		events, err := l.Read(l.Context(), store.EventQuery{}, page.after, page.limit)
		l.must(err)
		if len(events) != page.size || (page.size > 0 && events[0].Position != int64(page.first)) {
			l.Errorf("%+v: got %d events", page, len(events))
		}
	}
}

func testEventQuery(l *eventsFixture) {
	var all []event.Event
	for n := range 240 {
		e := watched(n)
		e.Kind = event.Kinds()[n%7]
		e.Account = []string{"one", "two", ""}[n%3]
		e.User = []string{"", "pupil", "teacher"}[n/3%3]
		e.ExternalUser = []string{"", "pupil", "upupil", ""}[n/5%4]
		e.Received = morning + event.Instant((n*37)%100)
		e.Position = int64(n + 1)
		all = append(all, e)
	}
	stored := slices.Clone(all)
	for i := range stored {
		stored[i].Position = 0
	}
	l.append(stored...)
	for _, query := range []store.EventQuery{
		{}, {Account: "one"}, {Account: "nobody"}, {Person: "xpupil"}, {Person: "upupil"}, {Person: "xupupil"}, {Person: "uteacher"},
		{Account: "two", Person: "upupil"},
		{Kinds: []event.Kind{event.Playback}},
		{Kinds: []event.Kind{event.AccessExpired, event.PageRender}}, {Kinds: event.Kinds()},
		{From: morning + 50}, {To: morning + 50}, {From: morning + 10, To: morning + 11}, {From: morning + 11, To: morning + 11},
		{UpTo: 100}, {UpTo: 1}, {UpTo: 1000}, {UpTo: 240, From: morning + 1, Account: "one", Person: "xpupil", Kinds: event.Kinds()[:4]},
	} {
		var want []event.Event
		for _, e := range all {
			if (query.Account == "" || e.Account == query.Account) && (query.Person == "" || e.Person() == query.Person) &&
				(query.Kinds == nil || slices.Contains(query.Kinds, e.Kind)) && e.Received >= query.From &&
				(query.To == 0 || e.Received < query.To) && (query.UpTo == 0 || e.Position <= query.UpTo) {
				want = append(want, e)
			}
		}
		if diff := cmp.Diff(want, l.read(query), cmpopts.EquateEmpty()); diff != "" {
			l.Errorf("%+v (-want +got):\n%s", query, diff)
		}
	}
}

func testEventValues(l *eventsFixture) {
	given := fullEvent()
	l.append(given, given)
	if diff := cmp.Diff(fullEvent(), given); diff != "" {
		l.Error("Append changed its argument (-want +got):\n", diff)
	}
	first := l.read(store.EventQuery{})
	clear(first[0].Details)
	clear(first[0].Metadata)
	if again := l.read(store.EventQuery{}); string(again[0].Details) != string(given.Details) || string(again[1].Metadata) != string(given.Metadata) {
		l.Error("a change of a returned event changes the stored event")
	}
}
