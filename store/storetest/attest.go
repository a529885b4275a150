package storetest

import (
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var attestTests = map[string]func(h *catalogueFixture){
	"for a token with its position":   testAttest,
	"for the last tokens":             testAttestForTheLast,
	"for no position beyond the head": testAttestAhead,
}

// wantAttested checks whether the store has attested a token at a position.
func (h *catalogueFixture) wantAttested(token string, position store.Position, want bool) {
	h.Helper()
	got, err := h.Attested(h.ctx, token, position)
	h.must(err)
	if got != want {
		h.Errorf("the store attests %q at %d: %t, want %t", token, position, got, want)
	}
}

func testAttest(h *catalogueFixture) {
	h.wantAttested("a", 0, false)
	h.must(h.Attest(h.ctx, "empty", 0))
	h.wantAttested("empty", 0, true)
	h.put(channel(1), video(1))
	first := h.head()
	h.must(h.Attest(h.ctx, "a", first))
	h.put(video(2))
	h.must(h.Attest(h.ctx, "b", h.head()))
	for range 2 {
		h.wantAttested("a", first, true)
		h.wantAttested("a", h.head(), false)
		h.wantAttested("b", h.head(), true)
		h.wantAttested("b", first, false)
		h.wantAttested("c", first, false)
		h.wantAttested("A", first, false)
		h.wantAttested("", 0, false)
		h.reopen()
	}
	h.must(h.Attest(h.ctx, "a", h.head()))
	h.wantAttested("a", h.head(), true)
	h.wantAttested("a", first, false)
	if len(h.changes(0)) != 3 {
		h.Error("attesting is no change of the catalogue, and has an entry in the log")
	}
}

func testAttestForTheLast(h *catalogueFixture) {
	token := func(n int) string { return fmt.Sprint("token ", n) }
	for n := range store.AttestedTokens {
		h.must(h.Attest(h.ctx, token(n), 0))
	}
	h.must(h.Attest(h.ctx, token(0), 0)) // counts as new
	for n := range store.AttestedTokens {
		h.wantAttested(token(n), 0, true)
	}
	h.must(h.Attest(h.ctx, "another", 0))
	h.wantAttested("another", 0, true)
	for n := range store.AttestedTokens {
		h.wantAttested(token(n), 0, n != 1)
	}
}

func testAttestAhead(h *catalogueFixture) {
	h.put(channel(1))
	err := h.Attest(h.ctx, "ahead", h.head()+1)
	if fault.CodeOf(err) != fault.Conflict {
		h.Errorf("beyond the head: %v", err)
	}
	h.put(channel(2))
	h.wantAttested("ahead", h.head(), false)
}
