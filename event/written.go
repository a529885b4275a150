package event

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// details builds a JSON object member by member. The zero value is empty.
type details struct{ json []byte }

// name starts a member.
func (d *details) name(name string) {
	separator := byte(',')
	if len(d.json) == 0 {
		separator = '{'
	}
	d.json, _ = jsontext.AppendQuote(append(d.json, separator), name)
	d.json = append(d.json, ':')
}

// raw adds a JSON value, unless it is nil.
func (d *details) raw(name string, value []byte) {
	if value == nil {
		return
	}
	d.name(name)
	d.json = append(d.json, value...)
}

// text adds a string, unless it is "".
func (d *details) text(name, text string) {
	if text == "" {
		return
	}
	d.name(name)
	d.json, _ = jsontext.AppendQuote(d.json, text)
}

// seconds adds milliseconds as seconds.
func (d *details) seconds(name string, milliseconds int64) {
	d.name(name)
	d.json = AppendSeconds(d.json, milliseconds)
}

// close returns the object, or nil if it is empty.
func (d *details) close() []byte {
	if len(d.json) == 0 {
		return nil
	}
	return append(d.json, '}')
}

// appendCompact appends JSON without white space, and returns its nesting depth.
func appendCompact(b, value []byte) (compact []byte, depth int) {
	if value[0] != '{' && value[0] != '[' {
		return append(b, value...), 0
	}
	nested, quoted, escaped := 0, false, false
	for _, c := range value {
		switch {
		case quoted:
			quoted = c != '"' || escaped
			escaped = c == '\\' && !escaped
		case c == '"':
			quoted = true
		case c == '{', c == '[':
			nested++
			depth = max(depth, nested)
		case c == '}', c == ']':
			nested--
		case c == ' ', c == '\t', c == '\n', c == '\r':
			continue
		}
		b = append(b, c)
	}
	return b, depth
}

// hasControls reports whether a string within JSON contains a control character other than tab and line breaks, raw or
// escaped.
func hasControls(value []byte) bool {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == 0x7f, c == 0xc2 && value[i+1] < 0xa0: // U+007F, U+0080 to U+009F
			return true
		case c == '\\':
			if escapesControl(value[i+1:]) {
				return true
			}
			i++
		}
	}
	return false
}

// escapesControl reports whether an escape, without its backslash, stands for such a character.
func escapesControl(escape []byte) bool {
	switch escape[0] {
	case 'b', 'f':
		return true
	case 'u':
		char, _ := strconv.ParseUint(string(escape[1:5]), 16, 32)
		return prose(0).forbids(rune(char))
	}
	return false
}
