package storetest

import (
	"fmt"
	"hash/fnv"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

var listTests = map[string]func(b *usageFixture){
	"lists of videos":      testLists,
	"lists of many videos": testListsOfMany,
}

// weigh returns a distinct weight for each video.
func weigh(video string) usage.Weight {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(video))
	play := hash.Sum64()
	_, _ = hash.Write([]byte{0})
	millisecond := hash.Sum64()
	_, _ = hash.Write([]byte{1})
	return usage.Weight{Play: play, Millisecond: millisecond, Excess: hash.Sum64()}
}

// agreesOnLists compares the lists of videos and the single plays with the model.
func (b *usageFixture) agreesOnLists() {
	b.errors.Helper()
	b.agreesOnListsFrom(0)
}

// agreesOnListsFrom is agreesOnLists if persons before an instant were forgotten.
func (b *usageFixture) agreesOnListsFrom(horizon event.Instant) {
	b.errors.Helper()
	got, err := b.Lists(b.Context(), weigh)
	b.must(err)
	want := usage.Lists{Videos: b.model.lists(), Horizon: horizon, Progress: b.model.progress}
	for _, list := range want.Videos {
		if list.Month.Start() >= horizon {
			want.Plays = append(want.Plays, list)
		}
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		b.errors.Errorf("lists (-want +got):\n%s", diff)
	}
}

// testLists counts plays of several accounts and of none, of several videos and of none, inside and outside a sandbox.
func testLists(b *usageFixture) {
	b.agreesOnLists()
	for _, months := range []int{0, 1, 1, 13, 0} {
		for i, account := range []string{"a", "", "b", "a"} {
			first, second := inMonth(months, "c"), inMonth(months, "d")
			first.Account, first.Video = account, []string{"v", "", "日 \x00ü"}[(months+i)%3]
			second.Account, second.Sandbox, second.End = account, i == 3, second.End+int64(i)
			second.Continues = i < 2
			second.Excess = int64(1+i) * second.Milliseconds() / 4
			b.apply(first, second)
		}
		b.agreesOnLists()
	}
	b.seal(monthOf(1))
	b.apply(inMonth(1, "c"))
	b.agreesOnLists()
}

// testListsOfMany creates lists that engines store in several parts, and one with more videos than an engine looks up
// at a time.
func testListsOfMany(b *usageFixture) {
	number := 0
	for _, size := range []int{10_500, 1, 200, 30, 1, 1} {
		var plays []usage.Play
		for range size {
			number++
			p := play(0, "a", "c", "xp", fmt.Sprint("v", number*31%10_601))
			p.End += int64(number % 1000)
			p.Excess = int64(number % 7)
			plays = append(plays, p)
		}
		b.apply(plays...)
	}
	b.agreesOnLists()
}
