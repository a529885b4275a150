package captions

import (
	"fmt"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// WebVTT returns cues as a WebVTT file. It omits blank lines within a text, because they would end the cue.
func WebVTT(cues []catalogue.Cue) string {
	var file strings.Builder
	file.WriteString("WEBVTT\n")
	for _, cue := range cues {
		fmt.Fprintf(&file, "\n%s --> %s\n%s\n", clock(cue.Start, '.'), clock(cue.End, '.'), escaped.Replace(lines(cue.Text)))
	}
	return file.String()
}

// escaped escapes everything that WebVTT would read as a tag, an entity or an arrow.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// SubRip returns cues as a SubRip file. It omits blank lines within a text, and shortens an arrow that would look like
// a line of times. The format has no escapes, so players may read text that looks like a tag as one.
func SubRip(cues []catalogue.Cue) string {
	var file strings.Builder
	for i, cue := range cues {
		if i > 0 {
			file.WriteByte('\n')
		}
		text := strings.ReplaceAll(lines(cue.Text), "-->", "->")
		fmt.Fprintf(&file, "%d\n%s --> %s\n%s\n", i+1, clock(cue.Start, ','), clock(cue.End, ','), text)
	}
	return file.String()
}

// clock formats a time within a video, such as 00:01:02.345.
func clock(at catalogue.Millis, point byte) string {
	seconds := at / 1000
	return fmt.Sprintf("%02d:%02d:%02d%c%03d", seconds/3600, seconds/60%60, seconds%60, point, at%1000)
}

// lines returns the lines of a text that are not blank, without spaces at their ends.
func lines(text string) string {
	var kept []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
