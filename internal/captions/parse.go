package captions

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// MaxSize is the maximum size in bytes of a file that Parse reads.
const MaxSize = 8 << 20

// Parse reads a WebVTT file, which starts with WEBVTT, or else a SubRip file. It keeps the times and the plain text of
// each cue: without tags, with entities decoded, without blank lines and without spaces at line ends. It omits cues
// without text. It returns at least one cue, in the order of catalogue.Captions; the cues pass Validate.
//
// The error has code Invalid and names the first line, counted from 1, that does not belong to a cue.
func Parse(file string) ([]catalogue.Cue, error) {
	if len(file) > MaxSize {
		return nil, fault.InvalidRequest("the captions have %d bytes, at most %d are allowed", len(file), MaxSize)
	}
	r := &reader{lines: linesOf(file)}
	read := r.subRip
	if r.startsWebVTT() {
		read = r.webVTT
	}
	if err := read(); err != nil {
		return nil, err
	}
	if len(r.cues) == 0 {
		return nil, fault.InvalidRequest("the captions hold no cue with a text")
	}
	slices.SortStableFunc(r.cues, func(a, b catalogue.Cue) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	return r.cues, nil
}

// linesOf splits a file into lines with any line endings, and removes the byte order mark.
func linesOf(file string) []string {
	file = strings.TrimPrefix(file, "\ufeff")
	file = strings.ReplaceAll(file, "\r\n", "\n")
	return strings.Split(strings.ReplaceAll(file, "\r", "\n"), "\n")
}

// reader reads the lines of a file.
type reader struct {
	lines []string
	// next is the index of the next line.
	next int
	cues []catalogue.Cue
}

func (r *reader) ended() bool { return r.next >= len(r.lines) }

// line returns the next line, or "" at the end.
func (r *reader) line() string { return r.ahead(0) }

func (r *reader) ahead(by int) string {
	if r.next+by >= len(r.lines) {
		return ""
	}
	return r.lines[r.next+by]
}

func blank(line string) bool { return strings.TrimSpace(line) == "" }

// skipBlank moves to the next line that is not blank.
func (r *reader) skipBlank() {
	for !r.ended() && blank(r.line()) {
		r.next++
	}
}

// skipBlock moves past the next blank line.
func (r *reader) skipBlock() {
	for !r.ended() && !blank(r.line()) {
		r.next++
	}
	r.skipBlank()
}

// fault returns an error for the next line.
func (r *reader) fault(format string, args ...any) error {
	return faultOf(r.next, format, args...)
}

// faultOf returns an error for the line with an index.
func faultOf(place int, format string, args ...any) error {
	return fault.InvalidRequest("line %d: "+format, append([]any{place + 1}, args...)...)
}

// cue reads a cue whose times are on the next line. Its text ends at a blank line, or at a line that opens another cue.
func (r *reader) cue(opens func() bool) error {
	start, end, err := r.times()
	if err != nil {
		return err
	}
	at := r.next
	r.next++
	first := r.next
	for !r.ended() && !blank(r.line()) && !opens() {
		if !utf8.ValidString(r.line()) {
			return r.fault("is not valid UTF-8")
		}
		r.next++
	}
	text := plain(strings.Join(r.lines[first:r.next], "\n"))
	switch {
	case text == "":
		return nil
	case len(r.cues) == catalogue.MaxCues:
		return faultOf(at, "is one more cue than the %d that are allowed", catalogue.MaxCues)
	case utf8.RuneCountInString(text) > catalogue.MaxTextLength:
		return faultOf(at, "the text of the cue has more than %d characters", catalogue.MaxTextLength)
	}
	r.cues = append(r.cues, catalogue.Cue{Start: start, End: end, Text: text})
	return nil
}

// times reads the next line as the times of a cue: "00:01.000 --> 00:04.500", with or without settings.
func (r *reader) times() (start, end catalogue.Millis, err error) {
	from, rest, found := strings.Cut(r.line(), arrow)
	if !found {
		return 0, 0, r.fault("%s is not the times of a cue, as 00:01.000 --> 00:04.500", quote(r.line()))
	}
	to, _, _ := strings.Cut(strings.TrimSpace(strings.ReplaceAll(rest, "\t", " ")), " ")
	for _, time := range []struct {
		text string
		into *catalogue.Millis
	}{{strings.TrimSpace(from), &start}, {to, &end}} {
		at, ok := parseClock(time.text)
		if !ok {
			return 0, 0, r.fault("%s is not a time of up to 24 hours, as 00:01.000 or 01:02:03,004", quote(time.text))
		}
		*time.into = at
	}
	if end <= start {
		return 0, 0, r.fault("the cue does not end behind its start")
	}
	return start, end, nil
}

const arrow = "-->"
