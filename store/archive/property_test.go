package archive

import (
	"flag"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// TestModel compares a log and its archive with a list of events, after random appends (some of events that were received
// long ago), moves, erasures, drops, crashes and restarts.
func TestModel(t *testing.T) {
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue { // each check syncs many files
		must(0, checks.Value.Set("8"))(t)
		defer func() { must(0, checks.Value.Set(checks.DefValue))(t) }()
	}
	for name, where := range everywhere {
		t.Run(name, func(t *testing.T) {
			files := where(t)()
			rapid.Check(t, func(r *rapid.T) {
				ctx := t.Context()
				if name == "directory" { // each run has an empty one
					files = NewDirectory(filepath.Join(t.TempDir(), "archive"))
				} else {
					files = bucket(t)()
				}
				p := newPlace(t, files)
				e := p.open(t, nil)
				defer func() { _ = e.Close() }()
				var model []event.Event
				dropped, number, head := event.Position(0), 0, event.Position(0)
				newest := january
				month := func(label string) usage.Month {
					return usage.MonthNumber(january.Number() + rapid.IntRange(0, newest.Number()-january.Number()+1).Draw(r, label))
				}
				// attempt runs a call that may be stopped by a crash, and then repeats it.
				attempt := func(call func() error) {
					if step := rapid.IntRange(0, 12).Draw(r, "crash at"); step > 0 {
						_ = e.Close()
						e = p.open(t, &crash{left: step, after: rapid.Bool().Draw(r, "after")})
						_ = call()
						_ = e.Close()
						e = p.open(t, nil)
					}
					must(0, call())(t)
				}
				r.Repeat(map[string]func(*rapid.T){
					"append": func(r *rapid.T) {
						if rapid.Bool().Draw(r, "month ends") {
							newest = newest.Next()
						}
						var events []event.Event
						for range rapid.IntRange(1, 30).Draw(r, "events") {
							ago := min(rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 0, 1, 1, 3}).Draw(r, "ago"), newest.Number()-january.Number())
							events = append(events, played(number%600, usage.MonthNumber(newest.Number()-ago)))
							number++
						}
						must(e.Append(ctx, []event.Submission{{Events: events}}))(t)
						for _, one := range events {
							head++
							one.Position = head
							model = append(model, one)
						}
					},
					"move": func(r *rapid.T) {
						kept, seals := month("kept"), sealed(ctx, e)
						seals[0].Position = rapid.Int64Range(0, head).Draw(r, "sealed")
						attempt(func() error {
							_, err := e.Move(ctx, seals, kept)
							return err
						})
					},
					"erase": func(r *rapid.T) {
						account := rapid.SampledFrom([]string{"one", "two", ""}).Draw(r, "account")
						person := rapid.SampledFrom([]string{"xpupil 1", "xpupil 2", "xpupil 3", "uuser 0", "uuser 1"}).Draw(r, "person")
						upTo := rapid.Int64Range(0, head+1).Draw(r, "up to")
						attempt(func() error {
							_, err := e.Erase(ctx, account, person, "nobody", upTo)
							return err
						})
						for i := range model {
							one := &model[i]
							if one.Account != account || one.Person() != person || one.Position > upTo {
								continue
							}
							if person[0] == 'x' {
								one.ExternalUser, one.User = "nobody", ""
							} else {
								one.User = "nobody"
							}
							one.Trace, one.Referer, one.Address, one.Details, one.Metadata = "", "", "", nil, nil
						}
					},
					"forget addresses": func(r *rapid.T) {
						before := month("before").Start() + 24*event.Hour
						attempt(func() error { return e.ForgetAddresses(ctx, before) })
						for i := range model {
							if model[i].Received < before {
								model[i].Address = ""
							}
						}
					},
					"drop": func(r *rapid.T) {
						before := month("before")
						attempt(func() error {
							_, err := e.Drop(ctx, before)
							return err
						})
						model = slices.DeleteFunc(model, func(one event.Event) bool {
							gone := one.Received < before.Start()
							if gone {
								dropped = max(dropped, one.Position)
							}
							return gone
						})
					},
					"": func(*rapid.T) {
						if got := must(e.Dropped(ctx))(t); got != dropped {
							r.Fatalf("dropped up to %d, want %d", got, dropped)
						}
						same(failing{t, r}, "all", model, all(ctx, t, e, store.EventQuery{}))
						query := store.EventQuery{Account: "one", Person: "xpupil 2", Kinds: event.Kinds()[:4], From: january.Next().Start(), UpTo: head - 5}
						same(failing{t, r}, "some", slices.DeleteFunc(slices.Clone(model), func(one event.Event) bool {
							return one.Account != "one" || one.Person() != "xpupil 2" || !slices.Contains(query.Kinds, one.Kind) || one.Received < query.From ||
								query.UpTo > 0 && one.Position > query.UpTo
						}), all(ctx, t, e, query))
					},
				})
			})
		})
	}
}

// failing lets rapid shrink the history that led to a failure, and print it.
type failing struct {
	testing.TB
	r *rapid.T
}

func (f failing) Fatalf(format string, args ...any) { f.r.Fatalf(format, args...) }
