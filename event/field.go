package event

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/catalogue"
)

// rule defines which texts a field accepts.
type rule struct {
	// most is the maximum length in characters.
	most int
	// lines: the text may contain tabs and line breaks.
	lines bool
	// needed: the text is required and must not be empty.
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

// text takes the string member with this name, or "" if it is absent.
func (o *object) text(name string, rule rule) string {
	raw := o.take(name)
	if raw == nil {
		if rule.needed {
			o.faults.add(name, "is required")
		}
		return ""
	}
	if raw[0] != '"' {
		o.faults.add(name, "must be a string, not %s", shortened(raw))
		return ""
	}
	return o.held(name, unquoted(raw), rule)
}

// beside checks a text from outside the body.
func (o *object) beside(name, text string, rule rule) string {
	if !utf8.ValidString(text) {
		o.faults.add(name, "is not UTF-8")
		return ""
	}
	return o.held(name, text, rule)
}

// held returns the text if the rule accepts it.
func (o *object) held(name, text string, rule rule) string {
	switch {
	case text == "" && rule.needed:
		o.faults.add(name, "must not be empty")
	case len(text) > rule.most && utf8.RuneCountInString(text) > rule.most:
		o.faults.add(name, "has %d characters, at most %d are allowed: %s",
			utf8.RuneCountInString(text), rule.most, quoted(text))
	case strings.ContainsFunc(text, rule.forbids):
		o.faults.add(name, "holds a control character: %s", quoted(text))
	default:
		return text
	}
	return ""
}

func (r rule) forbids(char rune) bool {
	return unicode.IsControl(char) && (!r.lines || char != '\t' && char != '\n' && char != '\r')
}

// unquoted decodes a valid JSON string.
func unquoted(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw[1 : len(raw)-1])
	}
	text, _ := jsontext.AppendUnquote(nil, raw)
	return string(text)
}

// video takes a video ID in lower case. It does not check whether the video exists.
func (o *object) video(name string) string {
	text := o.text(name, identifier(MaxUser).required())
	if text == "" || catalogue.IsLegacyAlias(text) {
		return text
	}
	id := strings.ToLower(text)
	if !catalogue.ID(id).Valid() {
		o.faults.add(name, "%s is not the id of a video", quoted(text))
		return ""
	}
	return id
}

// seconds takes a time in seconds and returns milliseconds.
func (o *object) seconds(name string) int64 {
	raw := o.take(name)
	switch {
	case raw == nil:
		o.faults.add(name, "is required")
		return 0
	case !isNumber(raw):
		o.faults.add(name, "must be a number, not %s", shortened(raw))
		return 0
	}
	milliseconds, err := millisecondsOf(raw)
	if err != nil {
		o.faults.add(name, "%s %v", shortened(raw), err)
	}
	return milliseconds
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

// moment takes the time of the event, or 0 if it is absent. If it is not needed, a value that is not a string stays a
// member.
func (o *object) moment(name string, received Instant, needed bool) Instant {
	if !needed && o.holdsNoText(name) {
		return 0
	}
	text := o.text(name, rule{most: maxMoment, needed: needed})
	if text == "" {
		return 0
	}
	at, err := momentOf(text, received)
	if err != nil {
		o.faults.add(name, "%s %v", quoted(text), err)
	}
	return at
}

func (o *object) holdsNoText(name string) bool {
	return slices.ContainsFunc(o.members, func(m member) bool {
		return string(m.name) == name && m.value[0] != '"' && m.value[0] != 'n'
	})
}

// maxMoment is the maximum length of a time in characters, most of them digits of the second.
const maxMoment = 64

// boolean takes true or false as written, or nil if it is absent.
func (o *object) boolean(name string) []byte {
	raw := o.take(name)
	if raw != nil && raw[0] != 't' && raw[0] != 'f' {
		o.faults.add(name, "must be true or false, not %s", shortened(raw))
		return nil
	}
	return raw
}

// payload takes the player's own object, without white space.
func (o *object) payload(name string) []byte {
	raw := o.take(name)
	switch {
	case raw == nil:
		o.faults.add(name, "is required")
		return nil
	case raw[0] != '{':
		o.faults.add(name, "must be an object, not %s", shortened(raw))
		return nil
	}
	compact, depth := appendCompact(nil, raw)
	switch {
	case len(compact) > MaxPayload:
		o.faults.add(name, "has %d bytes, at most %d are allowed", len(compact), MaxPayload)
	case depth > MaxPayloadDepth:
		o.faults.add(name, "is nested %d deep, at most %d are allowed", depth, MaxPayloadDepth)
	case hasControls(raw):
		o.faults.add(name, "holds a control character")
	}
	return compact
}

// viewport takes {"width":…,"height":…}, or nil if it is absent.
func (o *object) viewport(name string) []byte {
	raw := o.take(name)
	if raw == nil {
		return nil
	}
	if raw[0] != '{' {
		o.faults.add(name, "must be an object, not %s", shortened(raw))
		return nil
	}
	inner := openObject(raw)
	defer inner.close()
	var sides details
	for _, side := range []string{"width", "height"} {
		value := inner.take(side)
		if value == nil {
			continue
		}
		if pixels, err := strconv.Atoi(string(value)); err != nil || pixels < 0 || pixels > MaxPixels {
			o.faults.add(name+"."+side, "must be a whole number from 0 to %d, not %s", MaxPixels, shortened(value))
			continue
		}
		sides.raw(side, value)
	}
	return sides.close()
}

// impressions takes the list of completions that the client showed.
func (o *object) impressions(name string) []byte {
	raw := o.take(name)
	switch {
	case raw == nil:
		o.faults.add(name, "is required")
		return nil
	case raw[0] != '[':
		o.faults.add(name, "must be a list, not %s", shortened(raw))
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(raw))
	_, _ = decoder.ReadToken() // the list has been read before, so it has no faults of syntax
	list := []byte{'['}
	n := 0
	for ; decoder.PeekKind() != ']'; n++ {
		value, _ := decoder.ReadValue()
		if n == MaxImpressions {
			o.faults.add(name, "has more than %d elements", MaxImpressions)
			return nil
		}
		list = o.appendImpression(list, name+"["+strconv.Itoa(n)+"]", value)
	}
	if n == 0 {
		o.faults.add(name, "must not be empty")
	}
	return append(list, ']')
}

func (o *object) appendImpression(list []byte, name string, value []byte) []byte {
	if value[0] != '"' {
		o.faults.add(name, "must be a string, not %s", shortened(value))
		return list
	}
	if len(list) > 1 {
		list = append(list, ',')
	}
	list, _ = jsontext.AppendQuote(list, o.held(name, unquoted(value), prose(MaxQuery)))
	return list
}
