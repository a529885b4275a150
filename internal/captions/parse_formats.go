package captions

import "strings"

// webVTTMark starts every WebVTT file.
const webVTTMark = "WEBVTT"

func (r *reader) startsWebVTT() bool { return opensWith(r.line(), webVTTMark) }

// opensWith reports whether a line is a word, or starts with it and a space or tab.
func opensWith(line, word string) bool {
	rest, found := strings.CutPrefix(line, word)
	return found && (rest == "" || rest[0] == ' ' || rest[0] == '\t')
}

// webVTT reads a WebVTT file: blocks between blank lines, of which it keeps the cues.
func (r *reader) webVTT() error {
	for !r.ended() && !blank(r.line()) && !r.atArrow() {
		r.next++ // the header
	}
	for r.skipBlank(); !r.ended(); r.skipBlank() {
		if r.isAside() {
			r.skipBlock()
			continue
		}
		if !r.atArrow() {
			if !strings.Contains(r.ahead(1), arrow) {
				return r.fault("%s belongs to no cue: expected its times, or its name and then its times", quote(r.line()))
			}
			r.next++
		}
		if err := r.cue(r.atArrow); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) atArrow() bool { return strings.Contains(r.line(), arrow) }

// isAside reports whether a WebVTT block that starts here is a comment, a style or a region.
func (r *reader) isAside() bool {
	if r.atArrow() {
		return false
	}
	return opensWith(r.line(), "NOTE") || opensWith(r.line(), "STYLE") || opensWith(r.line(), "REGION")
}

// subRip reads a SubRip file: cues, with or without numbers. Within a text, an arrow is part of the text unless times
// surround it.
func (r *reader) subRip() error {
	for r.skipBlank(); !r.ended(); r.skipBlank() {
		if isNumber(r.line()) {
			r.next++
		} else if !r.atArrow() {
			return r.fault("%s belongs to no cue: expected its number or its times", quote(r.line()))
		}
		if err := r.cue(r.opensSubRip); err != nil {
			return err
		}
	}
	return nil
}

// opensSubRip reports whether a cue starts here without a blank line before it.
func (r *reader) opensSubRip() bool {
	return areTimes(r.line()) || isNumber(r.line()) && areTimes(r.ahead(1))
}

func areTimes(line string) bool {
	from, _, found := strings.Cut(line, arrow)
	return found && strings.Trim(from, "0123456789:,. \t") == "" && strings.Contains(from, ":")
}

func isNumber(line string) bool {
	number := strings.TrimSpace(line)
	return number != "" && strings.Trim(number, "0123456789") == ""
}
