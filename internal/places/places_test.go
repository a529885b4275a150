package places_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/places"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

func school(n int, name, country, state string) *catalogue.School {
	reference := fmt.Sprint(n)
	return &catalogue.School{
		Meta:       catalogue.Meta{ID: catalogue.DeriveID(catalogue.KindSchool, "test", reference), Source: "test", Reference: reference},
		ExternalID: reference, Name: name, Country: country, State: state,
	}
}

// open returns a store with the given schools, and places that follow the store.
func open(t testing.TB, schools ...catalogue.Item) (*sqlite.Catalogue, *places.Places) {
	t.Helper()
	catalogued, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, catalogued, schools...)
	found := places.New(catalogued, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { found.Run(ctx); close(ended) }()
	t.Cleanup(func() {
		stop()
		<-ended
		if err := catalogued.Close(); err != nil {
			t.Error(err)
		}
	})
	return catalogued, found
}

func put(t testing.TB, into store.Catalogue, items ...catalogue.Item) {
	t.Helper()
	err := into.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		outcomes, err := tx.Put(ctx, items)
		for i, outcome := range outcomes {
			if outcome.Status == store.Rejected {
				return fmt.Errorf("%d: %w", i, outcome.Faults)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func names(schools []*catalogue.School) []string {
	list := make([]string, len(schools))
	for i, s := range schools {
		list[i] = s.Name
	}
	return list
}

func TestOrder(t *testing.T) {
	_, found := open(t,
		school(1, "Lincoln High", "USA", "CA"), school(2, "Abraham  LINCOLN School", "USA", "CA"), school(3, "New Lincolnton", "USA", "CA"),
		school(4, "Unlincoln", "USA", "CA"), school(5, "lincoln High", "USA", "CA"), school(6, "Lincoln", "USA", "OR"),
		school(7, "Lincoln", "GBR", ""), school(8, "Éléonore", "GBR", ""))
	for _, c := range []struct {
		country, state, text string
		want                 []string
	}{
		{"USA", "CA", "lincoln", []string{"Lincoln High", "lincoln High", "Abraham  LINCOLN School", "New Lincolnton", "Unlincoln"}},
		{"USA", "CA", " LINCOLN  h", []string{"Lincoln High", "lincoln High"}},
		{"USA", "OR", "lin", []string{"Lincoln"}},
		{"GBR", "", "ncol", []string{"Lincoln"}},
		{"GBR", "", "ÉONORE", []string{"Éléonore"}},
		{"GBR", "", "eleo", nil},
		{"GBR", "", "élé", []string{"Éléonore"}},
		{"FRA", "", "lincoln", nil},
		{"USA", "CA", "  ", []string{"Abraham  LINCOLN School", "lincoln High", "Lincoln High", "New Lincolnton", "Unlincoln"}},
		{"USA", "", "lincoln", []string{"Lincoln", "Lincoln High", "lincoln High", "Abraham  LINCOLN School", "New Lincolnton", "Unlincoln"}},
		{"USA", "", "", []string{"Abraham  LINCOLN School", "Lincoln", "lincoln High", "Lincoln High", "New Lincolnton", "Unlincoln"}},
		{"FRA", "", "", nil}, {"USA", "TX", "", nil},
		{"USA", "CA", "high\nlincoln", nil},
	} {
		got, err := found.Schools(t.Context(), c.country, c.state, c.text)
		if err != nil || !sameNames(names(got), c.want) {
			t.Errorf("%s %s %q: got %q, %v; want %q", c.country, c.state, c.text, names(got), err, c.want)
		}
	}
	if got, err := found.Districts(t.Context(), "USA", "CA", "lincoln"); err != nil || len(got) > 0 {
		t.Errorf("districts: %v, %v", got, err)
	}
}

// sameNames compares lists of names but ignores the order of names that are equal after folding, because their IDs decide it.
func sameNames(a, b []string) bool {
	fold := func(list []string) []string {
		folded := make([]string, len(list))
		for i, name := range list {
			folded[i] = catalogue.FoldName(name)
		}
		return folded
	}
	return slices.Equal(fold(a), fold(b))
}

// TestAgreesWithANaiveSearch checks that searches agree with a naive search on random names of few letters, for texts
// that thousands of names contain, some, or none.
func TestAgreesWithANaiveSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		b := make([]byte, 1+random.IntN(4))
		for i := range b {
			b[i] = "abc"[random.IntN(3)]
		}
		return string(b)
	}
	var items []catalogue.Item
	for n := range 12_000 {
		items = append(items, school(n, strings.Join([]string{word(), word(), word()}[:1+random.IntN(3)], " "), "GBR", ""))
	}
	_, found := open(t, items...)
	for n := range 300 {
		text := word()
		switch n % 3 {
		case 1:
			text += " " + word()
		case 2:
			text = "abc"[n%2:1+n%2] + word() + word()
		}
		got, err := found.Schools(t.Context(), "GBR", "", text)
		if err != nil {
			t.Fatal(err)
		}
		if want := naive(items, text); !slices.Equal(idsOf(got), want) {
			t.Fatalf("%q: got %d, want %d: %v, %v", text, len(got), len(want), idsOf(got), want)
		}
	}
}

func idsOf(schools []*catalogue.School) []catalogue.ID {
	ids := make([]catalogue.ID, len(schools))
	for i, s := range schools {
		ids[i] = s.ID
	}
	return ids
}

func naive(items []catalogue.Item, text string) []catalogue.ID {
	type hit struct {
		rank int
		name string
		id   catalogue.ID
	}
	var hits []hit
	for _, item := range items {
		s := item.(*catalogue.School)
		name := catalogue.FoldName(s.Name)
		switch {
		case strings.HasPrefix(name, text):
			hits = append(hits, hit{0, name, s.ID})
		case strings.Contains(name, " "+text):
			hits = append(hits, hit{1, name, s.ID})
		case strings.Contains(name, text):
			hits = append(hits, hit{2, name, s.ID})
		}
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), strings.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
	})
	ids := []catalogue.ID{}
	for _, h := range hits[:min(len(hits), places.MaxFound)] {
		ids = append(ids, h.id)
	}
	return ids
}

// TestFollows checks that searches soon reflect places that are added, changed and deleted.
func TestFollows(t *testing.T) {
	catalogued, found := open(t, school(1, "Old", "GBR", ""))
	becomes := func(want ...string) {
		t.Helper()
		var got []string
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			schools, err := found.Schools(t.Context(), "GBR", "", "o")
			if err != nil {
				t.Fatal(err)
			}
			if got = names(schools); slices.Equal(got, want) {
				return
			}
		}
		t.Fatalf("got %q, want %q", got, want)
	}
	becomes("Old")
	put(t, catalogued, school(2, "Other", "GBR", ""))
	becomes("Old", "Other")
	put(t, catalogued, school(1, "Olderer", "GBR", ""))
	becomes("Olderer", "Other")
	err := catalogued.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		if _, err := tx.Put(ctx, []catalogue.Item{school(3, "Only", "GBR", "")}); err != nil {
			return err
		}
		_, err := tx.Delete(ctx, catalogue.KindSchool, []catalogue.ID{school(2, "", "", "").ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	becomes("Olderer", "Only")
}

// away is a store whose first three reads fail.
type away struct {
	places.Source
	calls int
}

var errAway = errors.New("away")

func (a *away) OwnedItemsSince(context.Context, catalogue.Kind, store.Position, int) ([]catalogue.OwnedItem, error) {
	a.calls++
	if a.calls < 4 {
		return nil, errAway
	}
	s := school(1, "There", "GBR", "")
	s.Version = 1
	if a.calls == 4 {
		return []catalogue.OwnedItem{s}, nil
	}
	return nil, nil
}

func (a *away) CountOwnedItems(context.Context, catalogue.Kind) (int, store.Position, error) {
	return 1, 1, nil
}
func (a *away) Head(context.Context) (store.Position, error) { return 1, nil }

// TestWaitsForTheStore checks that searches wait until the places have been read, or until their callers cancel them.
func TestWaitsForTheStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		found := places.New(&away{}, slog.New(slog.DiscardHandler))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go found.Run(ctx)
		impatient, giveUp := context.WithTimeout(ctx, time.Millisecond)
		defer giveUp()
		if _, err := found.Schools(impatient, "GBR", "", "t"); fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("a caller who gives up gets %v", err)
		}
		if got, err := found.Schools(ctx, "GBR", "", "t"); err != nil || len(got) != 1 {
			t.Errorf("after the store has answered: %v, %v", got, err)
		}
	})
}

// held is a read-only store in memory. Versions are positions in the list.
type held []catalogue.OwnedItem

func (h held) Head(context.Context) (store.Position, error) { return store.Position(len(h)), nil }

func (h held) OwnedItemsSince(_ context.Context, kind catalogue.Kind, after store.Position, limit int) ([]catalogue.OwnedItem, error) {
	if kind != catalogue.KindSchool {
		return nil, nil
	}
	return slices.Clone(h[after:min(len(h), int(after)+limit)]), nil
}

func (h held) CountOwnedItems(_ context.Context, kind catalogue.Kind) (int, store.Position, error) {
	if kind != catalogue.KindSchool {
		return 0, 0, nil
	}
	return len(h), store.Position(len(h)), nil
}

// BenchmarkSchools measures searches of 130,000 schools: a tenth of them in one state, and as many in a country without
// states.
func BenchmarkSchools(b *testing.B) {
	words := strings.Fields("north south east west lincoln washington jefferson roosevelt river hill valley oak pine cedar lake spring union central community grove park view creek bridge meadow")
	random := rand.New(rand.NewPCG(3, 4))
	var items []catalogue.Item
	for n := range 2 * 130_000 {
		name := fmt.Sprintf("%s %s %d elementary school", words[random.IntN(len(words))], words[random.IntN(len(words))], n)
		switch {
		case n%2 == 0:
			items = append(items, school(n, name, "GBR", ""))
		case n%20 == 1:
			items = append(items, school(n, name, "USA", "CA"))
		default:
			items = append(items, school(n, name, "USA", "TX"))
		}
	}
	source := make(held, len(items))
	for n, item := range items {
		source[n] = item.(*catalogue.School)
		source[n].Head().Version = int64(n + 1)
	}
	found := places.New(source, slog.New(slog.DiscardHandler))
	go found.Run(b.Context())
	if _, err := found.Schools(b.Context(), "GBR", "", "l"); err != nil {
		b.Fatal(err)
	}
	b.Run("reading all", func(b *testing.B) {
		for b.Loop() {
			ctx, stop := context.WithCancel(b.Context())
			fresh := places.New(source, slog.New(slog.DiscardHandler))
			go fresh.Run(ctx)
			if _, err := fresh.Schools(ctx, "GBR", "", "l"); err != nil {
				b.Fatal(err)
			}
			stop()
		}
	})
	for _, where := range []struct{ name, country, state string }{{"state", "USA", "CA"}, {"country", "GBR", ""}} {
		if _, err := found.Schools(b.Context(), where.country, where.state, "l"); err != nil {
			b.Fatal(err)
		}
		for _, text := range []string{"l", "lincoln r", "school", "entary sch", "99999", "zzz", "school e", "y e"} {
			b.Run(where.name+"/"+text, func(b *testing.B) {
				for b.Loop() {
					if _, err := found.Schools(b.Context(), where.country, where.state, text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
