package captions_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/captions"
)

// TestFilesAreRead checks that Parse reads files that use every feature of the formats.
func TestFilesAreRead(t *testing.T) {
	for name, want := range map[string][]catalogue.Cue{
		"water.vtt": {
			{Start: 1_000, End: 4_500, Text: "Where does the rain go?"},
			{Start: 4_000, End: 6_000, Text: "[water runs]"},
			{Start: 5_250, End: 8_000, Text: "Into the sea,\nor into the Grundwasser."},
			{Start: 9_000, End: 10_500, Text: "2 < 3 & x<y\nNOTE is no comment here"},
			{Start: 3_600_000, End: 3_601_000, Text: "<i> is a tag.\u200f"},
		},
		"water.srt": {
			{Start: 1_000, End: 4_500, Text: "Where does the rain go?"},
			{Start: 4_000, End: 6_000, Text: "In 1802\n1802\na --> b"},
			{Start: 5_250, End: 8_000, Text: "Into the sea,\nor into the ground."},
			{Start: 9_000, End: 10_500, Text: "5"},
			{Start: 60_000, End: 62_000, Text: "Ende & Schluß"},
		},
	} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := captions.Parse(string(file))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		mustBeValid(t, got)
		for ends, other := range map[string]string{"LF": "\n", "CR": "\r"} {
			same, err := captions.Parse(strings.ReplaceAll(string(file), "\r\n", other))
			if diff := cmp.Diff(got, same); err != nil || diff != "" {
				t.Errorf("%s with %s: %v %s", name, ends, err, diff)
			}
		}
	}
}

func mustBeValid(t testing.TB, cues []catalogue.Cue) {
	t.Helper()
	c := &catalogue.Captions{VideoID: "0123456789abcdef01234567", Language: "eng", Cues: cues}
	c.ID = catalogue.CaptionsID(c.VideoID, c.Language)
	if faults := c.Validate(); len(faults) > 0 {
		t.Fatalf("%v", faults)
	}
}

func TestFaultsNameTheirLine(t *testing.T) {
	const long = "1\n00:00:01,000 --> 00:00:02,000\n"
	for name, test := range map[string]struct{ file, want string }{
		"nothing":              {"", "the captions hold no cue with a text"},
		"a mark alone":         {"\ufeffWEBVTT", "the captions hold no cue with a text"},
		"comments alone":       {"WEBVTT\n\nNOTE nothing yet\n", "the captions hold no cue with a text"},
		"empty cues alone":     {"WEBVTT\n\n00:01.000 --> 00:02.000\n<i></i>\n", "the captions hold no cue with a text"},
		"another file":         {"<html>\n<p>Not found</p>", `line 1: "<html>" belongs to no cue: expected its number or its times`},
		"no mark":              {"\nWEBVTT\n\n00:01.000 --> 00:02.000\nx", `line 2: "WEBVTT" belongs to no cue: expected its number or its times`},
		"a longer word":        {"WEBVTTX\n\n00:01.000 --> 00:02.000\nx", `line 1: "WEBVTTX" belongs to no cue: expected its number or its times`},
		"a text alone":         {"WEBVTT\n\n00:01.000 --> 00:02.000\nx\n\nlost\nwords\n", `line 6: "lost" belongs to no cue: expected its times, or its name and then its times`},
		"a name at the end":    {"WEBVTT\r\n\r\n00:01.000 --> 00:02.000\r\nx\r\n\r\n2", `line 6: "2" belongs to no cue: expected its times, or its name and then its times`},
		"a gap in a text":      {"1\n00:00:01,000 --> 00:00:02,000\nx\n\nlost\n", `line 5: "lost" belongs to no cue: expected its number or its times`},
		"no times":             {"1\nx\n", `line 2: "x" is not the times of a cue, as 00:01.000 --> 00:04.500`},
		"a number at the end":  {"1\n00:00:01,000 --> 00:00:02,000\nx\n\n2", `line 6: "" is not the times of a cue, as 00:01.000 --> 00:04.500`},
		"no decimals":          {"WEBVTT\n\n00:01 --> 00:02\nx", `line 3: "00:01" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"minutes above 59":     {"WEBVTT\n\n00:01.000 --> 60:00.000\nx", `line 3: "60:00.000" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"seconds above 59":     {"WEBVTT\n\n00:60.000 --> 01:01.000\nx", `line 3: "00:60.000" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"more than a day":      {"1\n24:00:00,000 --> 24:00:00,001\nx", `line 2: "24:00:00,001" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"a negative time":      {"1\n-00:00:01,000 --> 00:00:01,000\nx", `line 2: "-00:00:01,000" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"no end":               {"1\n00:00:01,000 -->\nx", `line 2: "" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"a joined setting":     {"WEBVTT\n\n00:01.000 --> 00:02.000align:end\nx", `line 3: "00:02.000align:end" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"an arrow in a text":   {"WEBVTT\n\n00:01.000 --> 00:02.000\na --> b", `line 4: "a" is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004`},
		"backwards":            {"WEBVTT\n\n00:03.000 --> 00:02.000\nx", "line 3: the cue does not end behind its start"},
		"of no length":         {"WEBVTT\n\n00:03.000 --> 00:03.000\nx", "line 3: the cue does not end behind its start"},
		"invalid UTF-8":        {"WEBVTT\n\n00:01.000 --> 00:02.000\nok\na\xffb", "line 5: is not valid UTF-8"},
		"a long text":          {long + strings.Repeat("ä", 20_001), "line 2: the text of the cue has more than 20000 characters"},
		"too many":             {many(50_001), fmt.Sprintf("line %d: is one more cue than the 50000 that are allowed", 50_000*3+1)},
		"too large":            {strings.Repeat("\n", captions.MaxSize+1), "the captions have 8388609 bytes, at most 8388608 are allowed"},
		"a long line is short": {strings.Repeat("ß", 100), `line 1: "` + strings.Repeat("ß", 50) + `…" belongs to no cue: expected its number or its times`},
	} {
		t.Run(name, func(t *testing.T) {
			cues, err := captions.Parse(test.file)
			if err == nil {
				t.Fatalf("read as %v", cues)
			}
			if diff := cmp.Diff(test.want, err.Error()); diff != "" || fault.CodeOf(err) != fault.Invalid {
				t.Errorf("%v %s", fault.CodeOf(err), diff)
			}
		})
	}
}

func many(cues int) string { return strings.Repeat("00:00:01,000 --> 00:00:02,000\nx\n\n", cues) }

func TestAsManyAsAreAllowed(t *testing.T) {
	cues, err := captions.Parse(many(catalogue.MaxCues))
	if err != nil || len(cues) != catalogue.MaxCues {
		t.Fatalf("%d cues, %v", len(cues), err)
	}
	mustBeValid(t, cues)
}

func TestTextIsKept(t *testing.T) {
	for text, want := range map[string]string{
		"x<y and z>2": "x<y and z>2",
		"AT&T &copy; R&D &unknown; &#x2014; &amp;lt;": "AT&T © R&D &unknown; — &lt;",
		"a\u0007b&#8;c\td":                            "abc\td",
		"<b>bold</b><u>under</u> <s>x</s>":            "boldunder x",
		"<ruby>漢<rt>kan</rt></ruby>":                  "漢kan",
		"{an ordinary brace}":                         "{an ordinary brace}",
		"<cat>":                                       "<cat>",
		"one<br>two<BR />three":                       "one\ntwo\nthree",
	} {
		cues, err := captions.Parse("WEBVTT\n\n00:01.000 --> 00:02.000\n" + text)
		if err != nil || len(cues) != 1 || cues[0].Text != want {
			t.Errorf("%q is %+v, %v, want %q", text, cues, err, want)
		}
	}
}

// TestRoundTrip checks that written cues are read unchanged. WebVTT preserves every text; SubRip preserves
// every text that does not look like its tags or entities.
func TestRoundTrip(t *testing.T) {
	cues := []catalogue.Cue{
		{Start: 0, End: 1, Text: "5"},
		{Start: 0, End: 2, Text: "x<y & 2 < 3\n7"},
		{Start: 1_500, End: catalogue.MaxMillis, Text: "NOTE\nSTYLE"},
	}
	for name, file := range map[string]string{"WebVTT": captions.WebVTT(cues), "SubRip": captions.SubRip(cues)} {
		got, err := captions.Parse(file)
		if diff := cmp.Diff(cues, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	marked := []catalogue.Cue{{Start: 1, End: 2, Text: "<i>a</i> --> &amp; <00:00:01.000>"}}
	got, err := captions.Parse(captions.WebVTT(marked))
	if diff := cmp.Diff(marked, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

// FuzzParse checks that no file makes Parse panic, that the cues are valid, and that they stay the same after they are
// written as WebVTT and read again.
func FuzzParse(f *testing.F) {
	for _, name := range []string{"water.vtt", "water.srt"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(file))
	}
	f.Add("WEBVTT\n\n00:01.000 --> 00:02.000\n<i>&lt;&#0;&#xd800;&#133;</i>\u2028\u0085x\n")
	f.Add("1\n0:00:01,000 --> 00:02,000\n<b\n>x</b\n>\n\n2\n00:00:00.000 --> 24:00:00,000\n{\\an8}y&#10;&#13;z")
	f.Fuzz(func(t *testing.T, file string) {
		cues, err := captions.Parse(file)
		if err != nil {
			if fault.CodeOf(err) != fault.Invalid {
				t.Fatalf("%v has code %s", err, fault.CodeOf(err))
			}
			return
		}
		mustBeValid(t, cues)
		again, err := captions.Parse(captions.WebVTT(cues))
		if diff := cmp.Diff(cues, again); err != nil || diff != "" {
			t.Fatalf("%v %s", err, diff)
		}
	})
}
