package catalogue

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/filmstrip/filmstrip/fault"
)

// Language is an ISO 639-2/T code: three lower-case letters.
type Language string

// languageTable lists ISO 639-2, one language a line: the terminological code, the bibliographic one where it differs, the
// ISO 639-1 one where there is one ("-" where not), and the English name. Codes and names: the Library of Congress's list,
// by way of Debian's iso-codes 4.15.0.
//
//go:embed tables/languages.txt
var languageTable string

type languages struct {
	names map[Language]string
	codes map[string]Language // all accepted codes to ISO 639-2/T codes
}

var loadLanguages = sync.OnceValue(func() languages {
	all := languages{names: map[Language]string{}, codes: map[string]Language{}}
	for line := range strings.Lines(strings.TrimSpace(languageTable)) {
		parts := strings.SplitN(strings.TrimSpace(line), " ", 4)
		language := Language(parts[0])
		all.names[language] = parts[3]
		for _, code := range parts[:3] {
			if code != "-" {
				all.codes[code] = language
			}
		}
	}
	return all
})

// ParseLanguage parses an ISO 639-2 code, terminological or bibliographic, or an ISO 639-1 code, in any case. The
// error is a *fault.Error with code Invalid that quotes the text.
func ParseLanguage(text string) (Language, error) {
	if language, ok := loadLanguages().codes[strings.ToLower(text)]; ok {
		return language, nil
	}
	return "", fault.InvalidRequest("%q is not an ISO 639-2 language code", text)
}

// Undetermined is the code under which clients see, filter and count videos of unknown language. It is never stored,
// and access rules do not accept it.
const Undetermined Language = "und"

// ParseSpokenLanguage is ParseLanguage, but also accepts Undetermined.
func ParseSpokenLanguage(text string) (Language, error) {
	if strings.EqualFold(text, string(Undetermined)) {
		return Undetermined, nil
	}
	return ParseLanguage(text)
}

// OrUndetermined returns the language, or Undetermined if it is "".
func (l Language) OrUndetermined() Language {
	if l == "" {
		return Undetermined
	}
	return l
}

// Valid reports whether l is an ISO 639-2/T code.
func (l Language) Valid() bool {
	_, ok := loadLanguages().names[l]
	return ok
}

// DisplayName returns the English name of the language, "Undetermined" for Undetermined, or "" for an unknown code.
func (l Language) DisplayName() string {
	if l == Undetermined {
		return "Undetermined"
	}
	return loadLanguages().names[l]
}
