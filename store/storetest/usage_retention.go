package storetest

import (
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

var retentionTests = map[string]func(b *usageFixture){
	"persons are forgotten":            testForgetPersons,
	"forgotten while a recount runs":   testForgetWhileRecounting,
	"late plays of a forgotten month":  testForgetLatePersons,
	"many plays are forgotten":         testForgetMany,
	"late plays come in several parts": testForgetLateParts,
}

// applyMonths counts plays of August to October, of two accounts, of none, and of a sandbox.
func (b *usageFixture) applyMonths() {
	b.errors.Helper()
	for _, ago := range []int{2, 1, 0, 1} {
		var plays []usage.Play
		for i := range 40 {
			p := inMonth(ago, []string{"c", "d"}[i%2])
			p.At += event.Instant(i%5) * 7 * event.Hour
			p.Account = []string{"a", "a", "b", ""}[i%4]
			p.Video = fmt.Sprint("v", i%6)
			p.Channel, p.Subjects = "channel of "+p.Video, []string{"s", fmt.Sprint("t", i%3)}
			p.Excess = int64(i)
			p.Sandbox, p.Continues = i%4 == 2, i%5 == 1
			if p.Person = fmt.Sprintf("x%d of %d", i%9, ago); i%7 == 0 {
				p.Person = []string{"xstays", ""}[i%2]
			}
			plays = append(plays, p)
		}
		b.apply(plays...)
	}
}

// retained returns queries whose results do not depend on whether persons before October are known.
func retained() (queries []usage.Query) {
	september, august := monthOf(1), monthOf(2)
	day := september.Start() + 14*24*event.Hour
	only := func(d usage.Dimension, value string) (only [usage.Dimensions][]string) {
		only[d] = []string{value}
		return only
	}
	for _, q := range []usage.Query{
		{From: september.Start(), To: september.End()},
		{From: day, To: day + 24*event.Hour},
		{From: august.Start(), To: october.End(), Interval: usage.Monthly, NoTotalUsers: true, Order: usage.MostUsers},
		{From: august.Start(), To: october.End(), Interval: usage.Daily, NoTotalUsers: true},
		{From: day, To: october.End(), Interval: usage.Daily, NoTotalUsers: true},
		{From: september.Start(), To: september.End(), By: []usage.Dimension{usage.ByAccount}},
		{From: august.Start(), To: october.End(), Interval: usage.Monthly, By: []usage.Dimension{usage.ByAccount}, NoTotalUsers: true},
		{From: august.Start(), To: october.End(), NoUsers: true},
		{From: day, To: october.End(), NoUsers: true},
		{From: august.Start(), To: october.End(), By: []usage.Dimension{usage.ByVideo}, NoUsers: true, Order: usage.MostSeconds, Limit: 3},
		{From: august.Start(), To: october.End(), Interval: usage.Monthly, By: []usage.Dimension{usage.BySubject, usage.ByAccount}, NoUsers: true},
		{From: day, To: october.End(), Interval: usage.Daily, By: []usage.Dimension{usage.ByChannel}, NoUsers: true},
		{From: august.Start(), To: october.End(), Only: only(usage.ByClient, "c"), NoUsers: true},
		{From: august.Start(), To: october.End(), Only: only(usage.ByVideo, "v1"), NoUsers: true},
		{From: october.Start(), To: october.End(), By: []usage.Dimension{usage.ByUser, usage.ByVideo}},
		{From: october.Start(), To: october.Start() + 700*event.Hour, Interval: usage.Hourly, By: []usage.Dimension{usage.ByUser}},
	} {
		for _, sandbox := range []bool{false, true} {
			q.Sandbox = sandbox
			queries = append(queries, q)
		}
	}
	return queries
}

// lost returns queries that fail after persons before October are forgotten.
func lost() []usage.Query {
	september := monthOf(1)
	var ofUser [usage.Dimensions][]string
	ofUser[usage.ByUser] = []string{"xstays"}
	return []usage.Query{
		{From: september.Start(), To: october.End()},
		{From: september.Start(), To: september.Start() + 48*event.Hour},
		{From: september.Start(), To: september.Start() + event.Hour, NoUsers: true},
		{From: september.Start(), To: october.End(), Interval: usage.Monthly},
		{From: september.Start() + 24*event.Hour, To: october.End(), Interval: usage.Monthly, NoTotalUsers: true},
		{From: september.Start(), To: october.End(), Interval: usage.Hourly, NoUsers: true},
		{From: september.Start(), To: september.End(), By: []usage.Dimension{usage.ByUser}, NoUsers: true},
		{From: september.Start(), To: september.End(), Only: ofUser, NoUsers: true},
		{From: september.Start(), To: september.End(), By: []usage.Dimension{usage.ByVideo}},
		{From: september.Start(), To: september.End(), By: []usage.Dimension{usage.ByVideo, usage.ByClient}, NoUsers: true},
		{From: september.Start() + 24*event.Hour, To: september.End(), By: []usage.Dimension{usage.ByVideo}, NoUsers: true},
	}
}

// rejectsLost checks that queries about persons before October fail, and that the error states the earliest instant
// that a query can use.
func (b *usageFixture) rejectsLost() {
	b.Helper()
	for _, q := range lost() {
		q.Limit = 10
		_, err := b.Table(b.Context(), q)
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "from 2026-10-01T00:00:00.000Z on") {
			b.Errorf("%+v: got %v", q, err)
		}
	}
	curve := usage.CurveQuery{Video: "v1", From: monthOf(1).Start(), To: october.End()}
	if _, err := b.Curve(b.Context(), curve); fault.CodeOf(err) != fault.Invalid {
		b.Errorf("a curve: %v", err)
	}
	curve.From = october.Start()
	b.agreesOnCurve(curve)
}

// playsOf checks that the plays of a person of an account are those of the model from an instant on.
func (b *usageFixture) playsOf(account, person string, from event.Instant) {
	b.Helper()
	var want []usage.Play
	for _, p := range b.model.plays {
		if p.Account == account && p.Person == person && person != "" && p.At >= from {
			p.Channel, p.Subjects = "", nil
			want = append(want, p)
		}
	}
	got, err := b.PlaysOf(b.Context(), account, person)
	b.must(err)
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		b.Errorf("%s of %q (-want +got):\n%s", person, account, diff)
	}
}

func testForgetPersons(b *usageFixture) {
	b.applyMonths()
	b.seal(monthOf(2))
	check := func(from event.Instant) {
		b.Helper()
		for _, q := range retained() {
			b.agrees(q)
		}
		for _, account := range []string{"a", "b", "", "nobody"} {
			for _, person := range []string{"xstays", "x1 of 1", "x1 of 0", "x8 of 2", ""} {
				b.playsOf(account, person, from)
			}
		}
		b.agreesOnLedger()
		b.agreesOnListsFrom(from)
	}
	check(0)
	other := b.another()
	b.must(other.ForgetPersons(b.Context(), monthOf(1)))
	check(monthOf(1).Start())
	for range 2 { // the second run has nothing to do
		b.must(other.ForgetPersons(b.Context(), october))
		b.rejectsLost()
		check(october.Start())
	}
	b.must(b.ForgetPersons(b.Context(), monthOf(2))) // a forgotten month does not return
	b.rejectsLost()
	check(october.Start())
	b.renames("a", "xstays", "xalias")
	check(october.Start())
	b.recounts(monthOf(1), 7) // the log still contains the plays
	b.rejectsLost()
	b.must(b.ForgetPersons(b.Context(), october))
	check(october.Start())
	recount := b.begins(monthOf(1), 0)
	late := inMonth(1, "c")
	late.Person = "xstays"
	b.apply(late)
	b.must(b.ForgetPersons(b.Context(), october))
	if _, err := b.ApplyRecount(b.Context(), recount, b.model.progress, b.model.plays); fault.CodeOf(err) != fault.Conflict {
		b.Errorf("a recount continues with removed users: %v", err)
	}
}

// testForgetWhileRecounting checks that a recount of months without persons is correct, or begins again, if persons are
// forgotten between its stages. The log still contains the plays, so the recount brings users back until the next call.
func testForgetWhileRecounting(b *usageFixture) {
	b.applyMonths()
	b.must(b.ForgetPersons(b.Context(), october))
	for stage := range 4 {
		forget := func(at int) {
			if at == stage {
				b.must(b.ForgetPersons(b.Context(), october))
			}
		}
		run := func() error {
			recount := b.begins(monthOf(1), 0)
			forget(0)
			recount, err := b.ApplyRecount(b.Context(), recount, b.model.progress, b.model.plays)
			forget(1)
			for err == nil && recount.Stage != usage.Following {
				recount, err = b.GatherRecount(b.Context(), recount)
				forget(2)
			}
			forget(3)
			if err == nil {
				err = b.EndRecount(b.Context(), recount, b.model.progress)
			}
			return err
		}
		if err := run(); fault.CodeOf(err) == fault.Conflict {
			b.recounts(monthOf(1), 7)
		} else {
			b.must(err)
		}
		b.rejectsLost()
		b.must(b.ForgetPersons(b.Context(), october))
		for _, q := range retained() {
			b.agrees(q)
		}
		for _, person := range []string{"xstays", "x1 of 1", "x1 of 0", "x8 of 2"} {
			b.playsOf("a", person, october.Start())
		}
		b.agreesOnLedger()
		b.agreesOnListsFrom(october.Start())
	}
}

// testForgetLatePersons checks that sums and videos of late plays are correct, and that the number of users does not
// fall below the known number.
func testForgetLatePersons(b *usageFixture) {
	early := []usage.Play{inMonth(1, "c"), inMonth(1, "c"), inMonth(1, "c")}
	for i := range early {
		early[i].Person = fmt.Sprint("x", i)
	}
	b.apply(early...)
	b.must(b.ForgetPersons(b.Context(), october))
	users := func(want int64) {
		b.Helper()
		september := monthOf(1)
		table, err := b.Table(b.Context(), usage.Query{From: september.Start(), To: september.End(), Limit: 1})
		b.must(err)
		if m := table.Total; m.Users != want || m.Plays != int64(len(b.model.plays)) || table.Rows[0].Measures != m {
			b.Errorf("%d users, want %d: %+v", m.Users, want, table)
		}
	}
	users(3)
	late := []usage.Play{inMonth(1, "c"), inMonth(1, "d")}
	late[0].Person, late[1].Person, late[1].Video = "x0", "xlate", "w"
	b.apply(late...)
	users(3)
	b.renames("a", "xlate", "x0") // unites two persons
	users(3)
	b.must(b.ForgetPersons(b.Context(), october))
	users(3)
	b.playsOf("a", "xlate", october.Start())
	for n := range 3 {
		p := inMonth(1, "c")
		p.Person = fmt.Sprint("xlater ", n)
		b.apply(p)
	}
	var many []usage.Play
	for n := range 5 {
		p := inMonth(1, "c")
		p.Person = fmt.Sprint("xlast ", n)
		many = append(many, p)
	}
	b.apply(many...)
	users(5) // until they are merged
	b.must(b.ForgetPersons(b.Context(), october))
	users(8)
	for _, q := range retained() {
		if q.NoUsers {
			b.agrees(q)
		}
	}
	b.agreesOnLedger()
	b.agreesOnListsFrom(october.Start())
}

// testForgetMany deletes cells with several parts, and more rows than one transaction deletes.
func testForgetMany(b *usageFixture) {
	for round := range 3 {
		var plays []usage.Play
		for i := range 12_000 / (1 + round*round*30) {
			p := inMonth(1, fmt.Sprint("c", i%3))
			p.At += event.Instant(i%300) * event.Hour
			p.Person, p.Video = fmt.Sprint("x", i%6000), fmt.Sprint("v", i%1500)
			plays = append(plays, p)
		}
		b.apply(plays...)
	}
	b.must(b.ForgetPersons(b.Context(), october))
	for _, q := range retained() {
		b.agrees(q)
	}
	b.playsOf("a", "x77", october.Start())
	b.rejectsLost()
	b.agreesOnListsFrom(october.Start())
}

// testForgetLateParts checks that several parts of a cell count as one cell, also if parts of another cell were stored
// between them.
func testForgetLateParts(b *usageFixture) {
	const persons = 2000
	for round := range 3 {
		for _, sandbox := range []bool{false, true} {
			var plays []usage.Play
			for i := range persons {
				p := inMonth(1, "c")
				p.Sandbox, p.Person = sandbox, fmt.Sprint("x", round, " ", i)
				plays = append(plays, p)
			}
			b.apply(plays...)
		}
		if round == 0 {
			b.must(b.ForgetPersons(b.Context(), october))
		}
	}
	september := monthOf(1)
	table, err := b.Table(b.Context(), usage.Query{From: september.Start(), To: september.End(), Sandbox: true, Limit: 1})
	b.must(err)
	if users := table.Total.Users; users < 2*persons || users > 4*persons {
		b.Errorf("%d users of two cells, each of whose parts has %d to %d", users, persons, 2*persons)
	}
}
