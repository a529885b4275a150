package storetest

import (
	"bytes"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

var spanTests = map[string]func(b *usageFixture){
	"verified spans":                testSpans,
	"a recount deletes spans":       testSpansOfARecount,
	"the state of the verification": testVerification,
}

// spanOf returns a span with distinct values.
func spanOf(from, to event.Position) usage.Span {
	return usage.Span{
		From: from, To: to, Counted: morning + event.Instant(from), Verified: morning + event.Instant(to), Voids: from + 1, Dropped: from + 2,
		Skipped: from + 3, Content: []byte{0, byte(from), 0xff}, Changed: map[bool][]byte{true: {0, 1}}[from == 10],
	}
}

// wantSpans compares the spans from a position on, at most limit, with the given ones.
func (b *usageFixture) wantSpans(from event.Position, limit int, want ...usage.Span) {
	b.Helper()
	spans, err := b.Spans(b.Context(), from, limit)
	b.must(err)
	if diff := differences(want, spans); diff != "" {
		b.Errorf("spans from %d (-want +got):\n%s", from, diff)
	}
}

func testSpans(b *usageFixture) {
	b.wantSpans(0, 10)
	first, second, third := spanOf(0, 10), spanOf(10, 25), spanOf(25, 1<<40)
	for _, span := range []usage.Span{third, first, second} {
		b.must(b.PutSpan(b.Context(), span))
	}
	b.wantSpans(0, 10, first, second, third)
	b.wantSpans(0, 2, first, second)
	b.wantSpans(10, 10, second, third)
	b.wantSpans(11, 10, third)
	b.wantSpans(26, 10)
	second.To, second.Changed, second.Content, second.Verified = 24, nil, bytes.Repeat([]byte{1, 0, 2}, 400_000), 0
	b.must(b.PutSpan(b.Context(), second))
	b.Usage = b.another()
	b.wantSpans(0, 10, first, second, third)
	b.must(b.DeleteSpans(b.Context(), 1, 10))
	b.wantSpans(0, 10, first, second, third)
	b.must(b.DeleteSpans(b.Context(), 0, 25))
	b.wantSpans(0, 10, third)
	b.must(b.DeleteSpans(b.Context(), 25, 26))
	b.wantSpans(0, 10)
}

// testSpansOfARecount checks that only the end of a recount deletes spans.
func testSpansOfARecount(b *usageFixture) {
	b.apply(inMonth(1, "c"), inMonth(0, "c"))
	b.must(b.PutSpan(b.Context(), spanOf(0, 2)))
	b.must(b.PutSpan(b.Context(), spanOf(2, 4)))
	b.must(b.PutVerification(b.Context(), []byte("state")))
	b.seal(monthOf(1))
	b.voids("v", usage.Selection{Video: "v"})
	recount := b.appliesAll(b.begins(usage.FirstMonth, 0), 9)
	b.wantSpans(0, 9, spanOf(0, 2), spanOf(2, 4))
	b.must(b.EndRecount(b.Context(), recount, b.model.progress))
	b.wantSpans(0, 9)
	if v, err := b.Verification(b.Context()); err != nil || string(v.State) != "state" {
		b.Errorf("got %+v (%v)", v, err)
	}
}

func testVerification(b *usageFixture) {
	first, err := b.Verification(b.Context())
	b.must(err)
	if len(first.Seed) < 16 || first.State != nil {
		b.Errorf("got %+v", first)
	}
	for _, state := range [][]byte{{0, 1, 0xff}, []byte("another")} {
		b.must(b.PutVerification(b.Context(), state))
		b.Usage = b.another()
		if v, err := b.Verification(b.Context()); err != nil || !bytes.Equal(v.State, state) || !bytes.Equal(v.Seed, first.Seed) {
			b.Errorf("got %+v (%v), want the seed %x and the state %x", v, err, first.Seed, state)
		}
	}
}
