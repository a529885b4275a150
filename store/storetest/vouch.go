package storetest

import (
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var vouchTests = map[string]func(h *house){
	"for a token with its position":   testVouch,
	"for the last tokens":             testVouchForTheLast,
	"for nothing that is yet to come": testVouchAhead,
}

// vouches asserts what the store knows of a token.
func (h *house) vouches(token string, position store.Position, want bool) {
	h.Helper()
	got, err := h.Attested(h.ctx, token, position)
	h.must(err)
	if got != want {
		h.Errorf("the store vouches for %q at %d: %t, want %t", token, position, got, want)
	}
}

func testVouch(h *house) {
	h.vouches("a", 0, false)
	h.must(h.Attest(h.ctx, "empty", 0))
	h.vouches("empty", 0, true)
	h.put(channel(1), video(1))
	first := h.head()
	h.must(h.Attest(h.ctx, "a", first))
	h.put(video(2))
	h.must(h.Attest(h.ctx, "b", h.head()))
	for range 2 {
		h.vouches("a", first, true)
		h.vouches("a", h.head(), false)
		h.vouches("b", h.head(), true)
		h.vouches("b", first, false)
		h.vouches("c", first, false)
		h.vouches("A", first, false)
		h.vouches("", 0, false)
		h.reopen()
	}
	h.must(h.Attest(h.ctx, "a", h.head()))
	h.vouches("a", h.head(), true)
	h.vouches("a", first, false)
	if len(h.changes(0)) != 3 {
		h.Error("vouching is no change of the catalogue, and has an entry in the log")
	}
}

func testVouchForTheLast(h *house) {
	token := func(n int) string { return fmt.Sprint("token ", n) }
	for n := range store.VouchedTokens {
		h.must(h.Attest(h.ctx, token(n), 0))
	}
	h.must(h.Attest(h.ctx, token(0), 0)) // counts as new
	for n := range store.VouchedTokens {
		h.vouches(token(n), 0, true)
	}
	h.must(h.Attest(h.ctx, "another", 0))
	h.vouches("another", 0, true)
	for n := range store.VouchedTokens {
		h.vouches(token(n), 0, n != 1)
	}
}

func testVouchAhead(h *house) {
	h.put(channel(1))
	err := h.Attest(h.ctx, "ahead", h.head()+1)
	if fault.CodeOf(err) != fault.Conflict {
		h.Errorf("beyond the head: %v", err)
	}
	h.put(channel(2))
	h.vouches("ahead", h.head(), false)
}
