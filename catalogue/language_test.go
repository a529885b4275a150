package catalogue_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/filmstrip/filmstrip/catalogue"
)

func TestParseLanguage(t *testing.T) {
	for text, want := range map[string]catalogue.Language{
		"eng": "eng", "en": "eng", "ENG": "eng", "En": "eng",
		// The terminological code, the bibliographic code and the ISO 639-1 code.
		"deu": "deu", "ger": "deu", "de": "deu", "GER": "deu",
		"fra": "fra", "fre": "fra", "fr": "fra",
		"zho": "zho", "chi": "zho", "zh": "zho",
		"ces": "ces", "cze": "ces", "cs": "ces",
		"cym": "cym", "wel": "cym", "cy": "cym",
		"spa": "spa", "es": "spa",
		// A language without an ISO 639-1 code.
		"haw": "haw",
	} {
		got, err := catalogue.ParseLanguage(text)
		if err != nil || got != want || !got.Valid() {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-", " ", "e", "xx", "zzz", "engl", "english", "en-GB", "en_GB", " en", "en ", "eng\x00", "\xff", "日本語"} {
		if language, err := catalogue.ParseLanguage(text); err == nil {
			t.Errorf("%q: accepted as %s", text, language)
		} else {
			refused(t, err, text)
		}
	}
}

func TestLanguageNames(t *testing.T) {
	for code, want := range map[catalogue.Language]string{"eng": "English", "deu": "German", "spa": "Spanish", "zzz": "", "": "", "ger": "", "en": ""} {
		if got := code.DisplayName(); got != want {
			t.Errorf("%q is named %q, want %q", code, got, want)
		}
		if code.Valid() != (want != "") {
			t.Errorf("%q is valid: %v", code, code.Valid())
		}
	}
}

// TestLanguageTable checks that the table is consistent. It parses every possible code, so that each line of the table
// is used.
func TestLanguageTable(t *testing.T) {
	codes := map[catalogue.Language]int{}
	for _, text := range lowerCase() {
		language, err := catalogue.ParseLanguage(text)
		if err != nil {
			continue
		}
		codes[language]++
		if len(language) != 3 || !language.Valid() {
			t.Errorf("%q leads to %q", text, language)
		}
		if again, err := catalogue.ParseLanguage(string(language)); err != nil || again != language {
			t.Errorf("%q is read as %q, %v", language, again, err)
		}
		if len(text) == 3 && text != string(language) && catalogue.Language(text).Valid() {
			t.Errorf("%q is a code of its own and leads to %q", text, language)
		}
		name := language.DisplayName()
		if name == "" || strings.TrimSpace(name) != name || !unicode.IsUpper([]rune(name)[0]) && !unicode.IsPunct([]rune(name)[0]) {
			t.Errorf("%s is named %q", language, name)
		}
	}
	// ISO 639-2 has 487 entries, of which 20 have a second, bibliographic code. The reserved range qaa-qtz is not a
	// language. ISO 639-1 has 183 or 184 codes.
	if len(codes) < 480 || len(codes) > 490 {
		t.Errorf("there are %d languages", len(codes))
	}
	all := 0
	for language, n := range codes {
		if all += n; n > 3 {
			t.Errorf("%s has %d codes", language, n)
		}
	}
	if second := all - len(codes); second < 180+20 || second > 184+22 {
		t.Errorf("%d languages have %d further codes", len(codes), second)
	}
}

// lowerCase returns every text of two or three letters a to z.
func lowerCase() (texts []string) {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	for _, a := range letters {
		for _, b := range letters {
			texts = append(texts, string(a)+string(b))
			for _, c := range letters {
				texts = append(texts, string(a)+string(b)+string(c))
			}
		}
	}
	return texts
}
