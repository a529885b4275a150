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

// Faults collects validation errors of a record. The zero value is ready to use.
type Faults struct{ list fault.FieldErrors }

// List returns the collected errors in the order in which they were added, or nil.
func (f *Faults) List() fault.FieldErrors { return f.list }

// Add adds an error of a field.
func (f *Faults) Add(field, format string, args ...any) {
	f.list = append(f.list, fault.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

// Append adds errors collected elsewhere.
func (f *Faults) Append(faults fault.FieldErrors) { f.list = append(f.list, faults...) }

// Text checks that value is valid UTF-8, has between least and most characters, and contains no control characters
// except line breaks and tabs. If least is above 0, a blank value is reported as missing.
func (f *Faults) Text(field, value string, least, most int) {
	f.written(field, value, least, most, forbiddenControl)
}

// Line is Text for single-line values: it allows no control characters.
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

// Length checks that a list of n elements has at most most elements.
func (f *Faults) Length(field string, n, most int) {
	if n > most {
		f.Add(field, "has %d elements, at most %d are allowed", n, most)
	}
}

// Listed checks that value is one of the allowed values.
func Listed[T ~string](f *Faults, field string, value T, allowed []T) {
	if !slices.Contains(allowed, value) {
		f.Add(field, "%s", fault.NotOneOf(string(value), allowed))
	}
}

// lacks reports whether a required value is blank, and adds an error if so.
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

// filledIn replaces the parameters of a stream URL, which are not valid in URLs.
var filledIn = strings.NewReplacer("{thumbnailWidth}", "1", "{thumbnailCount}", "1")

func (f *Faults) url(field, value string) {
	if f.lacks(field, value) {
		return
	}
	plain := filledIn.Replace(value)
	u, err := url.Parse(plain)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil ||
		len(value) > MaxURLLength || !utf8.ValidString(value) {
		f.Add(field, "%q is not an absolute http or https address", fault.Shorten(value))
	}
}

func (f *Faults) optionalURL(field, value string) {
	if value != "" {
		f.url(field, value)
	}
}

// addresses checks the length of a list of URLs and each URL.
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
		f.Add(field, "%q is not a Thema code", fault.Shorten(code))
	}
}
