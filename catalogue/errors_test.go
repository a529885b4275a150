package catalogue_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

func TestErrors(t *testing.T) {
	below := errors.New("below")
	conflict := &catalogue.Error{Code: catalogue.Conflict, Message: "there is one", Cause: below}
	for _, c := range []struct {
		err  error
		code catalogue.Code
		text string
	}{
		{catalogue.Errorf(catalogue.NotFound, "no video %q", "x"), catalogue.NotFound, `no video "x"`},
		{catalogue.InvalidRequest("size %d", 7), catalogue.Invalid, "size 7"},
		{conflict, catalogue.Conflict, "there is one: below"},
		{fmt.Errorf("above: %w", conflict), catalogue.Conflict, "above: there is one: below"},
		{errors.Join(below, conflict), catalogue.Conflict, "below\nthere is one: below"},
		{below, catalogue.Internal, "below"},
		{catalogue.FieldErrors{{Field: "title", Problem: "is required"}}, catalogue.Internal, "title: is required"},
	} {
		if got := catalogue.CodeOf(c.err); got != c.code || c.err.Error() != c.text {
			t.Errorf("got %s, %q, want %s, %q", got, c.err, c.code, c.text)
		}
	}
	if !errors.Is(conflict, below) {
		t.Error("the cause is lost")
	}
	if got := catalogue.CodeOf(nil); got != "" {
		t.Errorf("no error has the code %q", got)
	}
	if label := catalogue.InvalidRequest("x").Label; label != "Invalid request" {
		t.Errorf("the label is %q", label)
	}
}
