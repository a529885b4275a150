package storetest

import (
	"fmt"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var attestTests = map[string]func(h *house){
	"for a token with its position":   testAttest,
	"for the last tokens":             testAttestForTheLast,
	"for no position beyond the head": testAttestAhead,
}

// attested checks whether the store has attested a token at a position.
func (h *house) attested(token string, position store.Position, want bool) {
	h.Helper()
	got, err := h.Attested(h.ctx, token, position)
	h.must(err)
	if got != want {
		h.Errorf("the store attests %q at %d: %t, want %t", token, position, got, want)
	}
}

func testAttest(h *house) {
	h.attested("a", 0, false)
	h.must(h.Attest(h.ctx, "empty", 0))
	h.attested("empty", 0, true)
	h.put(channel(1), video(1))
	first := h.head()
	h.must(h.Attest(h.ctx, "a", first))
	h.put(video(2))
	h.must(h.Attest(h.ctx, "b", h.head()))
	for range 2 {
		h.attested("a", first, true)
		h.attested("a", h.head(), false)
		h.attested("b", h.head(), true)
		h.attested("b", first, false)
		h.attested("c", first, false)
		h.attested("A", first, false)
		h.attested("", 0, false)
		h.reopen()
	}
	h.must(h.Attest(h.ctx, "a", h.head()))
	h.attested("a", h.head(), true)
	h.attested("a", first, false)
	if len(h.changes(0)) != 3 {
		h.Error("attesting is no change of the catalogue, and has an entry in the log")
	}
}

func testAttestForTheLast(h *house) {
	token := func(n int) string { return fmt.Sprint("token ", n) }
	for n := range store.AttestedTokens {
		h.must(h.Attest(h.ctx, token(n), 0))
	}
	h.must(h.Attest(h.ctx, token(0), 0)) // counts as new
	for n := range store.AttestedTokens {
		h.attested(token(n), 0, true)
	}
	h.must(h.Attest(h.ctx, "another", 0))
	h.attested("another", 0, true)
	for n := range store.AttestedTokens {
		h.attested(token(n), 0, n != 1)
	}
}

func testAttestAhead(h *house) {
	h.put(channel(1))
	err := h.Attest(h.ctx, "ahead", h.head()+1)
	if fault.CodeOf(err) != fault.Conflict {
		h.Errorf("beyond the head: %v", err)
	}
	h.put(channel(2))
	h.attested("ahead", h.head(), false)
}
