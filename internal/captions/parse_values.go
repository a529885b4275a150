package captions

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

var clockForm = regexp.MustCompile(`^(?:([0-9]{1,2}):)?([0-5]?[0-9]):([0-5][0-9])[.,]([0-9]{3})$`)

// parseClock parses a time within a video, such as 00:01:02.345, up to 24 hours.
func parseClock(text string) (catalogue.Millis, bool) {
	parts := clockForm.FindStringSubmatch(text)
	if parts == nil {
		return 0, false
	}
	var numbers [5]int64 // the first remains 0
	for i, part := range parts[1:] {
		numbers[i+1], _ = strconv.ParseInt(part, 10, 64) // missing hours are 0
	}
	at := catalogue.Millis(((numbers[1]*60+numbers[2])*60+numbers[3])*1000 + numbers[4])
	return at, at <= catalogue.MaxMillis
}

// tags are only the tags of the two formats and, because they occur in SubRip files, those of ASS: "x<y and z>2" is
// spoken text.
var (
	tags = regexp.MustCompile(`(?i)</?(?:c|i|b|u|s|v|ruby|rt|lang|font|span)(?:[.\s][^<>]*)?>` +
		`|<(?:[0-9]+:)?[0-9]{2}:[0-9]{2}\.[0-9]{3}>|\{\\[^{}]*\}`)
	breaks   = regexp.MustCompile(`(?i)<br\s*/?>`)
	entities = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)
)

// plain returns the plain text of a cue.
func plain(text string) string {
	text = breaks.ReplaceAllString(text, "\n")
	text = tags.ReplaceAllString(text, "")
	text = entities.ReplaceAllStringFunc(text, html.UnescapeString)
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
	return lines(text)
}

// quote quotes a part of the file for a message.
func quote(text string) string {
	return strconv.Quote(strings.ToValidUTF8(fault.Shorten(strings.TrimSpace(text)), "�"))
}
