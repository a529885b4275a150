package captions_test

import (
	"testing"

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
