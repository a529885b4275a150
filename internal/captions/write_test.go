package captions_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/captions"
)

var written = []catalogue.Cue{
	{Start: 0, End: 1_500, Text: "Boats float."},
	{Start: 1_250, End: 3_723_004, Text: " 2 < 3 & <i>so on</i> \r\n\r\n&amp; --> then\t"},
	{Start: catalogue.MaxMillis - 1, End: catalogue.MaxMillis, Text: "Ende"},
}

func TestWebVTT(t *testing.T) {
	want := "WEBVTT\n" +
		"\n00:00:00.000 --> 00:00:01.500\nBoats float.\n" +
		"\n00:00:01.250 --> 01:02:03.004\n2 &lt; 3 &amp; &lt;i&gt;so on&lt;/i&gt;\n&amp;amp; --&gt; then\n" +
		"\n23:59:59.999 --> 24:00:00.000\nEnde\n"
	if got := captions.WebVTT(written); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := captions.WebVTT(nil); got != "WEBVTT\n" {
		t.Errorf("no cues are %q", got)
	}
}

func TestSubRip(t *testing.T) {
	want := "1\n00:00:00,000 --> 00:00:01,500\nBoats float.\n" +
		"\n2\n00:00:01,250 --> 01:02:03,004\n2 < 3 & <i>so on</i>\n&amp; -> then\n" +
		"\n3\n23:59:59,999 --> 24:00:00,000\nEnde\n"
	if got := captions.SubRip(written); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestWrittenIsRead checks that written cues are read as the same cues, except for what the formats cannot express.
func TestWrittenIsRead(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab é日\n\t<>&;/-'\"1:.,{}")), 1, 40, -1)
	rapid.Check(t, func(t *rapid.T) {
		cues := make([]catalogue.Cue, rapid.IntRange(1, 5).Draw(t, "cues"))
		plain := make([]catalogue.Cue, len(cues))
		var at catalogue.Millis
		for i := range cues {
			at += catalogue.Millis(rapid.IntRange(0, 5_000_000).Draw(t, "later"))
			cues[i] = catalogue.Cue{Start: at, End: at + catalogue.Millis(rapid.IntRange(1, 70_000).Draw(t, "long")), Text: "x" + text.Draw(t, "text")}
			var kept []string
			for line := range strings.SplitSeq(cues[i].Text, "\n") {
				if line = strings.TrimSpace(line); line != "" {
					kept = append(kept, line)
				}
			}
			cues[i].Text = strings.Join(kept, "\n")
			plain[i] = cues[i]
			plain[i].Text = strings.Map(func(r rune) rune {
				if strings.ContainsRune("<>&{}", r) {
					return 'o'
				}
				return r
			}, cues[i].Text)
		}
		for _, written := range []struct {
			file string
			cues []catalogue.Cue
		}{{captions.WebVTT(cues), cues}, {captions.SubRip(plain), plain}} {
			read, err := captions.Parse(written.file)
			if err != nil {
				t.Fatalf("%v in\n%s", err, written.file)
			}
			slices.SortStableFunc(written.cues, func(a, b catalogue.Cue) int {
				return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
			})
			if !slices.Equal(read, written.cues) {
				t.Fatalf("%+v is read as %+v from\n%s", written.cues, read, written.file)
			}
		}
	})
}
