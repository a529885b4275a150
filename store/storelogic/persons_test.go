package storelogic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
)

// TestPersonRows compares rows with the blocks from which they were made, before and after random changes, and checks
// that every prefix of a row is either shorter or damaged.
func TestPersonRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	hasher := NewPersonHasher([]byte("secret"))
	model := PersonBlocks{}
	const segment event.Position = 12_345
	for position := segment + 1; position <= segment+PersonSegment; position += 1 + rng.Int64N(90) {
		name := []byte(fmt.Sprint("p", rng.IntN(3000)))
		model.Add(hasher, segment, position, []byte("account"), name, name)
	}
	rows := map[int64][]byte{}
	first, last := PersonRows(segment)
	for id, body := range model.Rows(segment) {
		if id < first || id > last || rows[id] != nil {
			t.Fatalf("row %d is not one of %d to %d", id, first, last)
		}
		rows[id] = body
	}
	keys := func() (all []PersonKey) {
		for key := range model {
			all = append(all, key)
		}
		return append(all, 0, 1<<48-1, PersonKey(rng.Uint64()>>16))
	}
	check := func(what string) {
		t.Helper()
		for _, key := range keys() {
			if got, err := blocksIn(rows[key.Row(segment)], key); err != nil || !slices.Equal(got, model[key]) {
				t.Fatalf("%s: key %x has %v, want %v (%v)", what, key, got, model[key], err)
			}
		}
	}
	check("new")
	for _, key := range keys() {
		before, after := PersonBlocks{key: model[key]}, PersonBlocks{}
		for block := range uint32(100) {
			if rng.IntN(3) == 0 {
				after.add(key, block)
			}
		}
		for changed, change := range ChangesOf(before, after) {
			body, err := change.Apply(rows[key.Row(segment)], changed)
			if err != nil {
				t.Fatal(err)
			}
			rows[key.Row(segment)] = body
		}
		if model[key] = after[key]; len(after[key]) == 0 {
			delete(model, key)
		}
	}
	check("changed")
	for _, body := range rows {
		for cut := range len(body) {
			entries := 0
			err := persons(body[:cut], func(uint64, []byte, []uint32) bool { entries++; return true })
			if err == nil && entries == 0 && cut > 0 {
				t.Fatalf("%d bytes of a row are no entry and no error", cut)
			}
		}
		break
	}
	if _, err := blocksIn([]byte{1, 2, 3, 4, 5, 200, 200, 200, 200, 200, 200}, 1<<40-1); err == nil {
		t.Error("a damaged row is read")
	}
}

// TestPersonKeys checks that keys depend on the secret, the account, the kind and the name.
func TestPersonKeys(t *testing.T) {
	seen := map[PersonKey]string{}
	for _, secret := range []string{"a", "b"} {
		hasher := NewPersonHasher([]byte(secret))
		for _, who := range [][3]string{{"x", "one", "pupil"}, {"u", "one", "pupil"}, {"x", "two", "pupil"}, {"x", "", "onepupil"}, {"x", "onep", "upil"}} {
			key := hasher.keyOf(who[0][0], []byte(who[1]), []byte(who[2]))
			if what := fmt.Sprint(secret, who); seen[key] != "" || key >= 1<<48 {
				t.Errorf("%s and %s have the key %x", seen[key], what, key)
			} else {
				seen[key] = what
			}
		}
	}
}

// TestPersonRuns checks which positions are examined: blocks of current segments, all of the others, and what no segment
// covers.
func TestPersonRuns(t *testing.T) {
	hasher := NewPersonHasher(nil)
	blocks := PersonBlocks{}
	for _, position := range []event.Position{1001, 1002, 1063, 1065, 1200, 1256} {
		blocks.Add(hasher, 1000, position, nil, nil, []byte("p"))
	}
	rows := map[int64][]byte{}
	for id, body := range blocks.Rows(1000) {
		rows[id] = body
	}
	keys := []PersonKey{hasher.keyOf('x', nil, []byte("p"))}
	collect := func(after, upTo event.Position) (runs []PersonRun) {
		r := PersonRuns{At: after, UpTo: upTo}
		for _, segment := range []Segment{{500, 1000, false}, {1000, 1256, true}, {1300, 1556, true}} {
			if err := r.Add(segment, keys, rows); err != nil {
				t.Fatal(err)
			}
		}
		r.End()
		if r.At != upTo {
			t.Errorf("the runs behind %d end at %d, not at %d", after, r.At, upTo)
		}
		return r.Runs
	}
	hits := []PersonRun{{1000, 1128, true, 1000}, {1192, 1256, true, 1000}}
	for _, one := range []struct {
		after, upTo event.Position
		want        []PersonRun
	}{
		{0, 2000, slices.Concat([]PersonRun{{After: 0, Last: 1000}}, hits, []PersonRun{{After: 1256, Last: 1300}, {After: 1556, Last: 2000}})},
		{1100, 1250, []PersonRun{{1064, 1128, true, 1000}, {1192, 1256, true, 1000}}},
		{1130, 1190, nil}, {700, 900, []PersonRun{{After: 700, Last: 900}}}, {1600, 1601, []PersonRun{{After: 1600, Last: 1601}}},
	} {
		if diff := cmp.Diff(one.want, collect(one.after, one.upTo)); diff != "" {
			t.Errorf("behind %d, up to %d (-want +got):\n%s", one.after, one.upTo, diff)
		}
	}
	var pieces []event.Position
	for piece := range (PersonRun{After: 10, Last: 300}).Pieces(128) {
		pieces = append(pieces, piece.Last)
	}
	if !slices.Equal(pieces, []event.Position{138, 266, 300}) {
		t.Errorf("the pieces end at %v", pieces)
	}
}
