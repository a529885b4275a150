package catalogue_test

import (
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

func TestPassageIDs(t *testing.T) {
	video := catalogue.DeriveID(catalogue.KindVideo, "test", "v")
	id := catalogue.PassageID(video, 1500, catalogue.MaxMillis)
	if v, start, end, ok := catalogue.ParsePassageID(id); !ok || v != video || start != 1500 || end != catalogue.MaxMillis {
		t.Errorf("%s is %s %d-%d %v", id, v, start, end, ok)
	}
	text := string(id)
	for _, other := range []string{"", string(video), text + "0", strings.ToUpper(text), text[:24] + "+" + text[25:], strings.Repeat("g", 40)} {
		if _, _, _, ok := catalogue.ParsePassageID(catalogue.ID(other)); ok {
			t.Errorf("%q is taken for a passage", other)
		}
	}
}
