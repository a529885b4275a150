package storetest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// CheckConverted compares the plays of xpupil of the account school with those of 20,000 rows that an earlier release stored.
// Row n, from 1, has the position 30,000 - n and the instant start + 250 s * n. Each engine's test inserts these rows.
func CheckConverted(t testing.TB, start event.Instant, got []usage.Play) {
	t.Helper()
	videos := map[int64]string{1: "moon", 3: "sun"}
	var want []usage.Play
	for n := int64(20_000); n > 0; n-- {
		if n%2 == 1 && n%5 == 0 {
			want = append(want, usage.Play{
				Position: 30_000 - n, At: start + event.Instant(n)*250_000, Account: "school", Client: "lms", Person: "xpupil", Video: videos[1+n%7],
				Start: n, End: n + 1000, Excess: n % 4, Sandbox: n%3 == 0, Continues: n%11 == 0,
			})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}
