package event

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// faults collects the faults of one input. Its methods check one field each, and return its value, or the zero value if it
// is invalid.
type faults fault.FieldErrors

func (f *faults) add(field, format string, args ...any) {
	*f = append(*f, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// rule defines which texts a field accepts.
type rule struct {
	// most is the maximum length in characters.
	most int
	// lines: the text may contain tabs and line breaks.
	lines bool
	// needed: the text must not be empty.
	needed bool
}

// identifier accepts texts without control characters.
func identifier(most int) rule { return rule{most: most} }

// prose also accepts several lines.
func prose(most int) rule { return rule{most: most, lines: true} }

func (r rule) required() rule {
	r.needed = true
	return r
}

func (r rule) forbids(char rune) bool {
	return unicode.IsControl(char) && (!r.lines || char != '\t' && char != '\n' && char != '\r')
}

// text accepts a text that follows a rule.
func (f *faults) text(name, text string, rule rule) string {
	switch {
	case text == "" && rule.needed:
		f.add(name, "must not be empty")
	case !utf8.ValidString(text):
		f.add(name, "is not UTF-8")
	case len(text) > rule.most && utf8.RuneCountInString(text) > rule.most:
		f.add(name, "has %d characters, at most %d are allowed: %s",
			utf8.RuneCountInString(text), rule.most, quoted(text))
	case strings.ContainsFunc(text, rule.forbids):
		f.add(name, "holds a control character: %s", quoted(text))
	default:
		return text
	}
	return ""
}

// video accepts a video ID and returns it in lower case. It does not check whether the video exists.
func (f *faults) video(name, given string) string {
	text := f.text(name, given, identifier(MaxUser).required())
	if text == "" || catalogue.IsLegacyAlias(text) {
		return text
	}
	id := strings.ToLower(text)
	if !catalogue.ID(id).Valid() {
		f.add(name, "%s is not the id of a video", quoted(text))
		return ""
	}
	return id
}

// moment accepts the time of an event; "" is 0.
func (f *faults) moment(name, given string, received Instant) Instant {
	text := f.text(name, given, rule{most: maxMoment})
	if text == "" {
		return 0
	}
	at, err := momentOf(text, received)
	if err != nil {
		f.add(name, "%s %v", quoted(text), err)
	}
	return at
}

// maxMoment is the maximum length of a time in characters, most of them digits of the second.
const maxMoment = 64

// payload accepts the player's own object, and returns it without white space.
func (f *faults) payload(name string, value jsontext.Value) []byte {
	if value.Kind() != '{' {
		f.add(name, "must be an object, not %s", shortened(value))
		return nil
	}
	compact, depth := appendCompact(nil, value)
	switch {
	case len(compact) > MaxPayload:
		f.add(name, "has %d bytes, at most %d are allowed", len(compact), MaxPayload)
	case depth > MaxPayloadDepth:
		f.add(name, "is nested %d deep, at most %d are allowed", depth, MaxPayloadDepth)
	case hasControls(value):
		f.add(name, "holds a control character")
	}
	return compact
}

// viewport returns {"width":…,"height":…} with the sides that are given, or nil if there are none.
func (f *faults) viewport(name string, given *ViewportInput) []byte {
	var sides details
	for _, side := range []struct {
		name   string
		pixels *int
	}{{"width", given.Width}, {"height", given.Height}} {
		switch {
		case side.pixels == nil:
		case *side.pixels < 0 || *side.pixels > MaxPixels:
			f.add(name+"."+side.name, "must be a whole number from 0 to %d, not %d", MaxPixels, *side.pixels)
		default:
			sides.raw(side.name, strconv.AppendInt(nil, int64(*side.pixels), 10))
		}
	}
	return sides.close()
}

// impressions accepts the completions that the client showed, and returns them as a list.
func (f *faults) impressions(name string, given []string) []byte {
	if len(given) == 0 || len(given) > MaxImpressions {
		f.add(name, "has %d elements, 1 to %d are allowed", len(given), MaxImpressions)
		return nil
	}
	list := []byte{'['}
	for i, text := range given {
		if i > 0 {
			list = append(list, ',')
		}
		list, _ = jsontext.AppendQuote(list, f.text(name+"["+strconv.Itoa(i)+"]", text, prose(MaxQuery)))
	}
	return append(list, ']')
}
