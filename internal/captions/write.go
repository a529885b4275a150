package captions

import (
	"fmt"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// WebVTT writes cues as a WebVTT file. A text keeps its lines, but no empty ones: these would end it.
func WebVTT(cues []catalogue.Cue) string {
	var file strings.Builder
	file.WriteString("WEBVTT\n")
	for _, cue := range cues {
		fmt.Fprintf(&file, "\n%s --> %s\n%s\n", clock(cue.Start, '.'), clock(cue.End, '.'), escaped.Replace(lines(cue.Text)))
	}
	return file.String()
}

// escaped leaves nothing in a text that WebVTT would read as a tag, an entity or an arrow of times.
var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// SubRip writes cues as a SubRip file. A text keeps its lines, but no empty ones. The format escapes
// nothing: players may read as a tag what looks like one. An arrow as it stands between times is made
// shorter.
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

// clock writes a place in a video, such as 00:01:02.345.
func clock(at catalogue.Millis, point byte) string {
	seconds := at / 1000
	return fmt.Sprintf("%02d:%02d:%02d%c%03d", seconds/3600, seconds/60%60, seconds%60, point, at%1000)
}

// lines are those of a text that are not blank, each without spaces at its ends.
func lines(text string) string {
	var kept []string
	for line := range strings.Lines(strings.ReplaceAll(text, "\r", "\n")) {
		if line = strings.TrimSpace(line); line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}
