package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/fault"
)

func TestErrors(t *testing.T) {
	below := errors.New("below")
	conflict := &fault.Error{Code: fault.Conflict, Message: "there is one", Cause: below}
	for _, c := range []struct {
		err  error
		code fault.Code
		text string
	}{
		{fault.Errorf(fault.NotFound, "no video %q", "x"), fault.NotFound, `no video "x"`},
		{fault.InvalidRequest("size %d", 7), fault.Invalid, "size 7"},
		{conflict, fault.Conflict, "there is one: below"},
		{fmt.Errorf("above: %w", conflict), fault.Conflict, "above: there is one: below"},
		{errors.Join(below, conflict), fault.Conflict, "below\nthere is one: below"},
		{below, fault.Internal, "below"},
		{fault.FieldErrors{{Field: "title", Problem: "is required"}}, fault.Internal, "title is required"},
		{fault.FieldErrors{{Field: "tier", Problem: `"GOLD" is not one of BASIC`}, {Problem: "the file is empty"}}, fault.Internal, `tier: "GOLD" is not one of BASIC; the file is empty`},
	} {
		if got := fault.CodeOf(c.err); got != c.code || c.err.Error() != c.text {
			t.Errorf("got %s, %q, want %s, %q", got, c.err, c.code, c.text)
		}
	}
	if !errors.Is(conflict, below) {
		t.Error("the cause is lost")
	}
	if got := fault.CodeOf(nil); got != "" {
		t.Errorf("no error has the code %q", got)
	}
	if text := fault.NotOneOf(strings.Repeat("é", 60), []fault.Code{fault.Invalid, fault.Moved}); text != `"`+strings.Repeat("é", 50)+`…" is not one of INVALID, MOVED` {
		t.Errorf("the problem is %s", text)
	}
	if label := fault.InvalidRequest("x").Label; label != "Invalid request" {
		t.Errorf("the label is %q", label)
	}
}
