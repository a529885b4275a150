package searchtest

import (
	"testing"

	"github.com/filmstrip/filmstrip/search"
)

func (s suite) corrections(t *testing.T) {
	sh := s.fill(t, videos(titled("photosynthesis of plants"), titled("plantation"), titled("plates"), titled("glacier"))...)
	for text, want := range map[string][][]string{
		"fotosynthesis plant": {{"photosynthesis"}, {"plants"}},
		"plaets":              {{"plants", "plates"}},
		"glacier":             {nil},
		"ice":                 {nil},
		"":                    nil,
	} {
		got, err := sh.index.Corrections(t.Context(), search.ParseText(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) {
			t.Errorf("%q has corrections of %d words, want %d", text, len(got), len(want))
			continue
		}
		for i := range want {
			same(t, "corrections of "+text, append([]string{}, got[i]...), append([]string{}, want[i]...))
		}
	}
}
