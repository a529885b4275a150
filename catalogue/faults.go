package catalogue

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/fault"
)

// Faults gathers what is wrong with a record. The zero Faults is empty and ready for use.
type Faults struct{ list fault.FieldErrors }

// List returns what was gathered, in the order in which it was added; nil: nothing is wrong.
func (f *Faults) List() fault.FieldErrors { return f.list }

// Add notes a fault of a field.
func (f *Faults) Add(field, format string, args ...any) {
	f.list = append(f.list, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// Append notes faults that somebody else has gathered.
func (f *Faults) Append(faults fault.FieldErrors) { f.list = append(f.list, faults...) }

// Text holds a text to valid UTF-8, to its least and most characters, and to no control characters but line
// breaks and tabs. Where least is above 0 a blank text is missing.
func (f *Faults) Text(field, value string, least, most int) {
	f.written(field, value, least, most, forbiddenControl)
}

// Line is Text for what stands in one line: it allows no control character at all.
func (f *Faults) Line(field, value string, least, most int) {
	f.written(field, value, least, most, unicode.IsControl)
}

func (f *Faults) written(field, value string, least, most int, forbidden func(rune) bool) {
	switch n := utf8.RuneCountInString(value); {
	case !utf8.ValidString(value):
		f.Add(field, "is not valid UTF-8")
	case least > 0 && f.lacks(field, value):
	case n < least:
		f.Add(field, "has %d characters, at least %d are needed", n, least)
	case n > most:
		f.Add(field, "has %d characters, at most %d are allowed", n, most)
	case strings.ContainsFunc(value, forbidden):
		f.Add(field, "holds a control character")
	}
}

func forbiddenControl(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r'
}

// Length holds a list of n elements to the most that it may have.
func (f *Faults) Length(field string, n, most int) {
	if n > most {
		f.Add(field, "has %d elements, at most %d are allowed", n, most)
	}
}

// Listed holds a value to those that are allowed.
func Listed[T ~string](f *Faults, field string, value T, allowed []T) {
	if !slices.Contains(allowed, value) {
		f.Add(field, "%q is not one of %v", Shorten(string(value)), allowed)
	}
}

// Shorten cuts what somebody sent to 100 bytes, whole characters, so that it fills no message; what was cut off
// is an ellipsis.
func Shorten(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}

// lacks notes and reports that a value, which must be given, is blank.
func (f *Faults) lacks(field, value string) bool {
	blank := strings.TrimSpace(value) == ""
	if blank {
		f.Add(field, "is required")
	}
	return blank
}

func (f *Faults) optional(field string, value *string, most int) {
	if value != nil {
		f.Text(field, *value, 0, most)
	}
}

// filledIn stands in for the parameters of a stream address, which are no part of an address.
var filledIn = strings.NewReplacer("{thumbnailWidth}", "1", "{thumbnailCount}", "1")

func (f *Faults) url(field, value string) {
	if f.lacks(field, value) {
		return
	}
	plain := filledIn.Replace(value)
	u, err := url.Parse(plain)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		len(value) > MaxURLLength || !utf8.ValidString(value) {
		f.Add(field, "%q is not an absolute http or https address", Shorten(value))
	}
}

func (f *Faults) optionalURL(field, value string) {
	if value != "" {
		f.url(field, value)
	}
}

// addresses holds a list of addresses to its length and each of them to url.
func (f *Faults) addresses(field string, list []string) {
	f.Length(field, len(list), MaxListLength)
	for i, address := range list {
		f.url(fmt.Sprintf("%s[%d]", field, i), address)
	}
}

func checkThema(f *Faults, field string, codes []string) {
	f.Length(field, len(codes), MaxListLength)
	for i, code := range codes {
		f.thema(fmt.Sprintf("%s[%d]", field, i), code)
	}
}

func (f *Faults) thema(field, code string) {
	if f.lacks(field, code) {
		return
	}
	if len(code) > 12 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") != "" {
		f.Add(field, "%q is not a Thema code", Shorten(code))
	}
}
