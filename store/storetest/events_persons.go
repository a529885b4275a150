package storetest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// PersonSegment is how many positions a segment of the index of persons covers in the suite.
const PersonSegment = 256

var personTests = map[string]func(l *eventsFixture){
	"events by names":                             testEventNames,
	"names that are not valid":                    testInvalidNames,
	"random appends, erasures, drops and indexes": testPersonsModel,
}

// Indexed is a store.Events whose index of persons a test can read.
type Indexed interface {
	Damaging
	// RenameBefore renames an external user in the log as a release without the index of persons does.
	RenameBefore(ctx context.Context, from, to string) error
	// PersonRows returns the rows of the index of persons.
	PersonRows(ctx context.Context) (map[int64]string, error)
}

// PersonIndex tests the index of persons of an engine, whose opened logs implement Indexed.
func PersonIndex(t *testing.T, empty EmptyEvents) {
	runOnLogs(t, empty, map[string]func(l *eventsFixture){
		"only the person's part of the log is read": testPersonPart,
		"an erased person leaves the index":         testErasedIndex,
		"an index equals one that is made anew":     testIndexAnew,
		"a damaged event and the index":             testIndexDamaged,
		"the index follows retention":               testIndexDropped,
		"an indexed log outlives a process":         testIndexReopen,
		"erasures beside the index, two processes":  testPersonsRace,
	})
}

// indexed brings the index of persons up to date.
func (l *eventsFixture) indexed() {
	l.Helper()
	for more := true; more; {
		var err error
		more, err = l.IndexPersons(l.Context())
		l.must(err)
	}
}

// visitors returns n events of account "one": external users p0 to p9 in turn, each for 100 events.
func visitors(n int) (events []event.Event) {
	for i := range n {
		e := watched(i)
		e.Account, e.ExternalUser, e.User = "one", fmt.Sprint("p", i/100%10), ""
		events = append(events, e)
	}
	return events
}

func carries(e *event.Event, query store.EventQuery) bool {
	return len(query.Names) == 0 || e.Account == query.Account &&
		(e.ExternalUser != "" && slices.Contains(query.Names, "x"+e.ExternalUser) || e.User != "" && slices.Contains(query.Names, "u"+e.User))
}

func testEventNames(l *eventsFixture) {
	var all []event.Event
	for n := range 3*PersonSegment + 40 {
		e := watched(n)
		e.Account = []string{"one", "two", ""}[n%3]
		e.User = []string{"", "pupil", "teacher"}[n/3%3]
		e.ExternalUser = []string{"", "pupil", "upupil", ""}[n/5%4]
		e.Kind = event.Kinds()[n%7]
		all = append(all, e)
	}
	l.append(all...)
	for i := range all {
		all[i].Position = int64(i + 1)
	}
	for round := range 3 {
		for _, query := range []store.EventQuery{
			{Account: "one", Names: []string{"xpupil"}}, {Names: []string{"xpupil"}}, {Account: "two", Names: []string{"upupil", "xpupil", "xstranger"}},
			{Account: "one", Names: []string{"uupupil"}}, {Account: "nobody", Names: []string{"xpupil"}}, {Account: "one", Person: "upupil"},
			{Account: "one", Names: []string{"uteacher"}, Person: "xpupil", Kinds: event.Kinds()[:3], UpTo: 700},
		} {
			var want []event.Event
			for _, e := range all {
				if carries(&e, query) && (query.Account == "" || e.Account == query.Account) && (query.Person == "" || e.Person() == query.Person) &&
					(query.Kinds == nil || slices.Contains(query.Kinds, e.Kind)) && (query.UpTo == 0 || e.Position <= query.UpTo) {
					want = append(want, e)
				}
			}
			if diff := cmp.Diff(want, l.read(query), cmpopts.EquateEmpty()); diff != "" {
				l.Errorf("round %d: %+v (-want +got):\n%s", round, query, diff)
			}
		}
		if round == 0 { // one segment is opened, and not read
			_, err := l.IndexPersons(l.Context())
			l.must(err)
		} else {
			l.indexed()
		}
	}
}

func testInvalidNames(l *eventsFixture) {
	for says, names := range map[string][]string{"5 names are more than the 4": slices.Repeat([]string{"xa"}, 5), `"pupil"`: {"pupil"}, `"x"`: {"x"}} {
		if _, err := l.Read(l.Context(), store.EventQuery{Account: "one", Names: names}, 0, 1); fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), says) {
			l.Errorf("%v: %v", names, err)
		}
	}
}

// testPersonPart damages events of others. Once the log is indexed, they do not matter.
func testPersonPart(l *eventsFixture) {
	l.append(visitors(4*PersonSegment + 10)...)
	p3 := store.EventQuery{Account: "one", Names: []string{"xp3"}}
	for _, position := range []event.Position{20, 700, 800} { // p3 has 301 to 400
		l.must(l.Events.(Damaging).Damage(l.Context(), position))
	}
	l.indexed()
	for query, want := range map[*store.EventQuery]int{&p3: 100, {Account: "one", Person: "xp3"}: 100, {Account: "one", Names: []string{"xnobody"}}: 0} {
		if events, err := l.Read(l.Context(), *query, 0, 10_000); err != nil || len(events) != want {
			l.Errorf("%+v: %d events (%v)", query, len(events), err)
		}
	}
	if events, err := l.Read(l.Context(), p3, 350, 10); err != nil || len(events) != 10 || events[0].Position != 351 {
		l.Errorf("a later page has %d events (%v)", len(events), err)
	}
	for _, query := range []store.EventQuery{{}, {Account: "one"}, {Account: "one", Names: []string{"xp7"}}} {
		if _, err := l.Read(l.Context(), query, 0, 10_000); fault.CodeOf(err) != fault.Internal {
			l.Errorf("%+v: %v", query, err)
		}
	}
	if n, err := l.Erase(l.Context(), "one", "xp3", "alias", math.MaxInt64); n != 100 || err != nil {
		l.Errorf("%d are erased (%v)", n, err)
	}
	p3.Names = []string{"xalias"}
	if events, err := l.Read(l.Context(), p3, 0, 10_000); err != nil || len(events) != 100 {
		l.Errorf("the alias has %d events (%v)", len(events), err)
	}
}

// testErasedIndex checks that an erasure moves exactly the erased events in the index: those before its limit, and not
// those of another person in the same blocks. Damaged events show where the log is read.
func testErasedIndex(l *eventsFixture) {
	events := visitors(2 * PersonSegment)
	for i := range events {
		events[i].ExternalUser, events[i].User = []string{"often", "seldom", ""}[i%3], []string{"device", ""}[i/64%2]
	}
	l.append(events...)
	l.indexed()
	count := func(name string) int {
		l.Helper()
		return len(l.read(store.EventQuery{Account: "one", Names: []string{name}}))
	}
	seldom, device := count("xseldom"), count("udevice")
	n, err := l.Erase(l.Context(), "one", "xoften", "alias", 300) // in the middle of a block
	l.must(err)
	if n != 100 || count("xalias") != 100 || count("xoften") != 71 || count("xseldom") != seldom || count("udevice") >= device {
		l.Errorf("%d of 100 are erased; then %d, %d, %d, %d", n, count("xalias"), count("xoften"), count("xseldom"), count("udevice"))
	}
	l.must(l.Events.(Damaging).Damage(l.Context(), 130))
	if got := count("xoften"); got != 71 { // the first segment no longer contains the name before position 257
		l.Errorf("the others are %d", got)
	}
	if _, err := l.Read(l.Context(), store.EventQuery{Account: "one", Names: []string{"xalias"}}, 0, 1000); fault.CodeOf(err) != fault.Internal {
		l.Errorf("the alias is not in the block of event 130: %v", err)
	}
}

// testIndexAnew checks that an erasure leaves no more in the index than a log in which the person never was, and that
// erasures of a release without the index are not overlooked.
func testIndexAnew(l *eventsFixture) {
	events := visitors(2 * PersonSegment)
	for i := range events {
		events[i].ExternalUser, events[i].User = []string{"often", "seldom", ""}[i%3], []string{"device", ""}[i/64%2]
	}
	l.append(events...)
	l.indexed()
	rows := func() map[int64]string {
		l.Helper()
		rows, err := l.Events.(Indexed).PersonRows(l.Context())
		l.must(err)
		return rows
	}
	full := rows()
	for _, name := range []string{"xoften", "udevice"} {
		_, err := l.Erase(l.Context(), "one", name, "alias", math.MaxInt64)
		l.must(err)
		changed := rows()
		l.must(l.Events.(Indexed).RenameBefore(l.Context(), "seldom", "seldom")) // nothing but the trigger
		l.indexed()
		if diff := cmp.Diff(rows(), changed); diff != "" || len(changed) == 0 || cmp.Equal(full, changed) {
			l.Errorf("%s is erased: %d rows (-anew +changed):\n%s", name, len(changed), diff)
		}
	}
	seldom := store.EventQuery{Account: "one", Names: []string{"xseldom"}}
	renamed := store.EventQuery{Account: "one", Names: []string{"xrenamed"}}
	want := len(l.read(seldom))
	l.must(l.Events.(Indexed).RenameBefore(l.Context(), "seldom", "renamed"))
	for range 2 {
		if n, left := len(l.read(renamed)), len(l.read(seldom)); n != want || left != 0 || want == 0 {
			l.Errorf("renamed are %d of %d, %d are left", n, want, left)
		}
		l.indexed()
	}
}

// testIndexDamaged checks that events that cannot be read are left out of the index, and that erasures find a person
// around them.
func testIndexDamaged(l *eventsFixture) {
	l.append(visitors(2 * PersonSegment)...)
	for _, position := range []event.Position{130, 131, 180} {
		l.must(l.Events.(Damaging).Damage(l.Context(), position))
	}
	l.indexed()
	p1 := store.EventQuery{Account: "one", Names: []string{"xp1"}}
	if _, err := l.Read(l.Context(), p1, 0, 1000); fault.CodeOf(err) != fault.Internal {
		l.Errorf("a damaged event is not noticed: %v", err)
	}
	_, err := l.SkipDamaged(l.Context(), skips(130, 131, 180))
	l.must(err)
	l.indexed()
	if n := len(l.read(p1)); n != 97 {
		l.Errorf("%d of 97 are left", n)
	}
	_, err = l.Erase(l.Context(), "one", "xp1", "alias", math.MaxInt64)
	l.must(err)
	p1.Names = []string{"xalias"}
	for range 2 {
		if n := len(l.read(p1)); n != 97 {
			l.Errorf("%d of 97 are the alias's", n)
		}
		l.indexed()
	}
}

func testIndexDropped(l *eventsFixture) {
	events := visitors(3*PersonSegment + 100)
	for i := range events {
		events[i].Received = monthsAgo(2 - min(2, i/300))
	}
	l.append(events...)
	l.indexed()
	dropped, err := l.Drop(l.Context(), monthOf(1))
	l.must(err)
	for name, want := range map[string]int{"xp0": 0, "xp2": 0, "xp3": 100, "xp8": 68} {
		if n := len(l.read(store.EventQuery{Account: "one", Names: []string{name}, Dropped: dropped})); n != want {
			l.Errorf("%s has %d events, want %d", name, n, want)
		}
	}
	if _, err := l.Read(l.Context(), store.EventQuery{Account: "one", Names: []string{"xp8"}}, 0, 1); fault.CodeOf(err) != fault.Conflict {
		l.Errorf("dropped events are skipped silently: %v", err)
	}
	l.append(visitors(2 * PersonSegment)...)
	l.indexed()
	dropped, err = l.Drop(l.Context(), monthOf(-1))
	l.must(err)
	l.append(visitors(3 * PersonSegment)...)
	l.indexed()
	if n := len(l.read(store.EventQuery{Account: "one", Names: []string{"xp3"}, Dropped: dropped})); n != 100 {
		l.Errorf("behind everything that was dropped: %d", n)
	}
}

func testIndexReopen(l *eventsFixture) {
	l.append(visitors(3 * PersonSegment)...)
	for range 3 {
		_, err := l.IndexPersons(l.Context())
		l.must(err)
	}
	l.must(l.Close())
	l.Events = l.another()
	for range 2 {
		if n := len(l.read(store.EventQuery{Account: "one", Names: []string{"xp3"}})); n != 100 {
			l.Errorf("%d events", n)
		}
		l.indexed()
	}
}

// testPersonsModel compares the log with a list of events while events come, persons are forgotten, months are dropped
// and two processes do steps of the index, some of which are interrupted.
func testPersonsModel(l *eventsFixture) {
	const seed = 11
	rng := rand.New(rand.NewPCG(seed, 1))
	var (
		all     []event.Event
		dropped event.Position
		aliases []string
		logs    = []store.Events{l.Events, l.another()}
	)
	for step := range 120 {
		log := logs[rng.IntN(2)]
		switch what := rng.IntN(12); {
		case what < 3:
			var fresh []event.Event
			for range rng.IntN(400) {
				e := watched(len(all) + len(fresh))
				e.Received = monthsAgo(12-min(12, step/10)) + event.Instant(rng.IntN(1000))
				e.Account = []string{"one", "two", ""}[rng.IntN(3)]
				e.ExternalUser = []string{"", "a", "b", fmt.Sprint("c", (len(all)+len(fresh))/50)}[rng.IntN(4)]
				e.User = []string{"", "", "a", "t"}[rng.IntN(4)]
				fresh = append(fresh, e)
			}
			l.append(fresh...)
			for _, e := range fresh {
				e.Position = int64(len(all) + 1)
				all = append(all, e)
			}
		case what < 7:
			_, err := log.IndexPersons(l.Context())
			l.must(err)
		case what < 8:
			ended, cancel := context.WithCancel(l.Context())
			stopping := &sync.WaitGroup{}
			stopping.Go(cancel)
			_, _ = log.IndexPersons(ended)
			stopping.Wait()
		case what < 10:
			account, name := []string{"one", "two", ""}[rng.IntN(3)], []string{"xa", "xb", "ua", "ut", fmt.Sprint("xc", rng.IntN(40))}[rng.IntN(5)]
			if len(aliases) > 0 && rng.IntN(5) == 0 {
				name = aliases[rng.IntN(len(aliases))]
			}
			alias, upTo := fmt.Sprint("alias-", step), rng.Int64N(int64(len(all))+2)
			aliases = append(aliases, name[:1]+alias)
			isInterrupted := rng.IntN(3) == 0
			if isInterrupted { // as by a crash between two of its transactions
				ended, cancel := context.WithCancel(l.Context())
				stopping := &sync.WaitGroup{}
				stopping.Go(cancel)
				_, _ = log.Erase(ended, account, name, alias, upTo)
				stopping.Wait()
			}
			got, err := log.Erase(l.Context(), account, name, alias, upTo)
			l.must(err)
			want := int64(0)
			for i := range all {
				if e := &all[i]; e.Account == account && e.Person() == name && e.Position <= upTo {
					want++
					if name[0] == 'x' {
						e.ExternalUser, e.User = alias, ""
					} else {
						e.User = alias
					}
				}
			}
			if got > want || got < want && !isInterrupted {
				l.Errorf("step %d: %d of %q of %q are erased up to %d, want %d", step, got, name, account, upTo, want)
			}
		case what < 11 && rng.IntN(3) == 0:
			before := monthOf(12 - min(12, step/10-rng.IntN(3)))
			var err error
			dropped, err = log.Drop(l.Context(), before)
			l.must(err)
			all = slices.Clone(all)
			for i := range all {
				if all[i].Received < before.Start() {
					all[i] = event.Event{}
				}
			}
		default:
			for _, name := range append([]string{"xa", "ua", "xb", "ut", "xc3"}, aliases...) {
				query := store.EventQuery{Account: []string{"one", "two", ""}[rng.IntN(3)], Names: []string{name}, Dropped: dropped}
				if rng.IntN(3) == 0 {
					query.Names = append(query.Names, "xb", "ua")
				}
				after := rng.Int64N(int64(len(all)) + 1)
				var want []event.Position
				for _, e := range all {
					if e.Position > after && carries(&e, query) {
						want = append(want, e.Position)
					}
				}
				limit := 1 + rng.IntN(200)
				want = want[:min(len(want), limit)]
				if got, err := positionsOf(l.Context(), log, query, after, limit); err != nil || !slices.Equal(got, want) {
					l.Fatalf("seed %d, step %d: %+v behind %d: got %v, want %v (%v)", seed, step, query, after, got, want, err)
				}
			}
		}
	}
	l.indexed()
}

// testPersonsRace erases persons in one process while another indexes. No erased event may be lost to its alias.
func testPersonsRace(l *eventsFixture) {
	l.append(visitors(8 * PersonSegment)...)
	other := l.another()
	var running sync.WaitGroup
	running.Go(func() {
		for more, err := true, error(nil); more; {
			if more, err = other.IndexPersons(l.Context()); err != nil {
				l.Error(err)
			}
		}
	})
	for n := range 10 {
		if _, err := l.Erase(l.Context(), "one", fmt.Sprint("xp", n), fmt.Sprint("alias", n), math.MaxInt64); err != nil {
			l.Error(err)
		}
	}
	running.Wait()
	l.indexed()
	total := 0
	for n := range 10 {
		total += len(l.read(store.EventQuery{Account: "one", Names: []string{fmt.Sprint("xalias", n)}}))
		if left := l.read(store.EventQuery{Account: "one", Names: []string{fmt.Sprint("xp", n)}}); len(left) > 0 {
			l.Errorf("%d events of p%d are left", len(left), n)
		}
	}
	if total != 8*PersonSegment {
		l.Errorf("the aliases have %d events", total)
	}
}
