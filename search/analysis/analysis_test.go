package analysis_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search/analysis"
)

var plain = analysis.New(analysis.Synonyms{})

// render writes tokens as "position:exact/stem". It omits the stem if it equals the word.
func render(tokens []analysis.Token) string {
	var parts []string
	for _, t := range tokens {
		part := fmt.Sprintf("%d:%s", t.Position, t.Exact)
		if t.Stem != t.Exact {
			part += "/" + strings.ReplaceAll(t.Stem, "\x01", "=")
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " ")
}

func TestText(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"nothing", "  … ---", ""},
		{"case and stems", "Running DOGS", "0:running/run 1:dogs/dog"},
		{"accents", "Café Ångström naïve", "0:cafe 1:angstrom 2:naive/naiv"},
		{"letters without decomposition", "Øresund Łódź Straße Æsir", "0:oresund 1:lodz 2:strasse/strass 3:aesir"},
		{"compatibility forms", "ﬁlm x² Ⅳ ＡＢＣ", "0:film 1:x2 2:iv 3:abc"},
		{"possessive", "Green's Green’s dogs' it's", "0:green 1:green 2:dogs/dog 3:it"},
		{"contraction", "don't shouldn’t", "0:dont 1:shouldnt"},
		{"elision", "l'eau L’été d'Artagnan qu'elle", "0:eau 1:ete 2:artagnan 3:elle/ell"},
		{"initials", "U.S.A. e.g. J.R.R. Tolkien", "0:usa 0:/=usa 1:eg 2:jrr 3:tolkien"},
		{"end of a sentence", "the end.Start again.", "0:the 1:end 2:start 3:again"},
		{"numbers", "3.14 1,000,000 1,2,3 1914-1918 50%", "0:3.14 1:1000000 2:1 3:2 4:3 5:1914 6:1918 7:50"},
		{"languages of machines", "C++ and C#, #c +c", "0:c++ 1:and 2:c# 3:c 4:c"},
		{"compound", "X-ray", "0:x 0:xray 1:ray"},
		{"long compound", "state-of-the-art a-b-c-d-e", "0:state 0:stateoftheart 1:of 2:the 3:art 4:a 5:b 6:c 7:d 8:e"},
		{"ampersand", "R&B", "0:r 0:rb 1:b"},
		{"letter apart", "x ray, vitamin c", "0:x 0:xray 1:ray 2:vitamin 3:c"},
		{"dimension apart", "in 3 D", "0:in 1:3 1:3d 2:d"},
		{"Chinese", "中国历史", "0:中 0:/中国 1:国 1:/国历 2:历 2:/历史 3:史"},
		{"one character", "水 x", "0:水 1:x"},
		{"half width katakana", "ｶﾞｽ", "0:ガ 0:/ガス 1:ス"},
		{"Hangul composed", "한국", "0:한 0:/한국 1:국"},
		{"Russian letters", "Йод ёлка", "0:йод 1:елка"},
		{"Arabic vowels", "كِتَاب", "0:كتاب"},
		{"Hindi keeps its vowels", "हिन्दी", "0:हिन्दी"},
		{"invalid UTF-8", "ab\xffcd \xe2\x82", "0:ab 1:cd"},
		{"emoji", "Volcano 🌋🔥!", "0:volcano 1:🌋 2:🔥"},
		{"emoji in a word", "vol🌋cano-x", "0:vol 1:🌋 2:cano 2:canox 3:x"},
		{"emoji as text and as a picture", "❤ ❤\ufe0e ❤\ufe0f", "0:❤ 1:❤ 2:❤"},
		{"skin color", "👍 👍🏽 🏽", "0:👍 1:👍"},
		{"a joined emoji", "👩🏽\u200d🔬 ❤\ufe0f\u200d🔥", "0:👩 1:🔬 2:❤ 3:🔥"},
		{"flags", "🇫🇷🇩🇪 🇫", "0:🇫🇷 1:🇩🇪 2:🇫"},
		{"keycaps", "3\ufe0f\u20e3 #\ufe0f\u20e3", "0:3"},
		{"a compound beside emoji", "🧲 x-ray🧲-ray", "0:🧲 1:x 1:xray 2:ray 3:🧲 4:ray"},
		{"a compound behind CJK", "a-b 水-c-d", "0:a 0:ab 1:b 2:水 3:c 3:cd 4:d"},
		{"symbols of text", "© ® ™ → ∑ 20 °C", "0:20 1:c"},
		{"selectors of variants", "葛\U000e0100城 a\ufe00b", "0:葛 0:/葛城 1:城 2:ab"},
		{"joiners", "co\u00adoperate", "0:cooperate/cooper"},
		{"synonym", "World War II ended", "0:world 0:/=ww2 1:war 2:ii 3:ended/end"},
		{"synonym inside another", "second world war ii",
			"0:second 0:/=ww2 1:world 1:/=ww2 2:war 3:ii"},
		{"synonym that grows", "United States of America", "0:united/unit 0:/=usa 1:states/state 2:of 3:america"},
		{"the country", "US us U.S. Us", "0:us 0:/=usa 1:us 2:us 2:/=usa 3:us"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := render(plain.Text(test.text, "")); got != test.want {
				t.Errorf("Text(%q)\n got %s\nwant %s", test.text, got, test.want)
			}
		})
	}
}

// find reports whether a document of one text contains all words of a query.
func find(a *analysis.Analyzer, text string, language catalogue.Language, query string) bool {
	stems := map[string]bool{}
	for _, token := range a.Text(text, language) {
		stems[token.Stem] = true
	}
	for _, word := range a.Query(query) {
		if !slices.ContainsFunc(word.Stems, func(stem string) bool { return stems[stem] }) {
			return false
		}
	}
	return true
}

func TestWhatFindsWhat(t *testing.T) {
	tests := []struct {
		text     string
		language catalogue.Language
		query    string
		want     bool
	}{
		{"The running dog", "", "dogs run", true},
		{"X-ray", "eng", "xray", true},
		{"X-ray", "eng", "x ray", true},
		{"x ray", "eng", "xray", true},
		{"xray", "eng", "x-ray", true},
		{"xray", "eng", "X rays", true},
		{"covid-19", "eng", "covid19", true},
		{"Visit the U.S.A.", "eng", "united states of america", true},
		{"US history", "eng", "usa", true},
		{"tell us more", "eng", "usa", false},
		{"WW2", "eng", "World War II", true},
		{"maths", "eng", "mathematics", true},
		{"Les maisons françaises", "fra", "maison francaise", true},
		{"Die Häuser", "deu", "haus", true},
		{"canciones populares", "spa", "canción", true},
		{"Книги о море", "rus", "книга", true},
		{"новый год", "rus", "НОВЫЙ", true},
		{"maison", "fra", "maisons", true},
		{"new plans", "eng", "news planet", false},
		{"a plan", "eng", "planet", false},
		{"dziewczyny", "pol", "dziewczyny", true},
		{"中国历史", "zho", "国历", true},
		{"中国历史", "zho", "史", true},
		{"中国历史", "zho", "中史", false},
		{"ガスの話", "jpn", "ｶﾞｽ", true},
		{"❤ biology", "", "❤\ufe0f", true},
		{"the lab 👩🏽\u200d🔬", "deu", "🔬", true},
		{"the lab 👩🏽\u200d🔬", "deu", "👩\u200d🔬", true},
		{"🌋", "", "🔥", false},
		{"☂\ufe0f", "", "❤\ufe0f", false},
		{"a-b 水-c-d", "", "水-c-d", true},
	}
	for _, test := range tests {
		if got := find(plain, test.text, test.language, test.query); got != test.want {
			t.Errorf("%q finds %q (%s): %t, want %t", test.query, test.text, test.language, got, test.want)
		}
	}
}

func TestQuery(t *testing.T) {
	tests := []struct {
		name, query string
		want        []string // want contains the words' Exact, "=" and the canonical token, or the bigram.
	}{
		{"nothing", " ?! ", nil},
		{"emoji", "🌋 the 🔥🌋", []string{"🌋", "🔥"}},
		{"stop words go", "what is the water cycle", []string{"water", "cycle"}},
		{"unless all are", "to be or", []string{"to", "be", "or"}},
		{"distinct", "dog Dog DOG cat", []string{"dog", "cat"}},
		{"a synonym is one word", "causes of World War 2", []string{"causes", "=ww2"}},
		{"its variants are the same word", "ww2 wwii second world war", []string{"=ww2"}},
		{"the country", "US history", []string{"=usa", "history"}},
		{"not the pronoun", "tell us", []string{"tell", "us"}},
		{"bigrams", "中国历史", []string{"中国", "国历", "历史"}},
		{"one character", "水", []string{"水"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, word := range plain.Query(test.query) {
				if word.Exact != "" {
					got = append(got, word.Exact)
				} else {
					got = append(got, strings.ReplaceAll(word.Stems[0], "\x01", "="))
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Query(%q): %s", test.query, diff)
			}
		})
	}
	t.Run("the English stem leads", func(t *testing.T) {
		if got := plain.Query("organisations")[0].Stems[0]; got != "organis" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("bounded", func(t *testing.T) {
		var text strings.Builder
		for i := range 2 * analysis.MaxQueryWords {
			fmt.Fprintf(&text, "w%d ", i)
		}
		if got := len(plain.Query(text.String())); got != analysis.MaxQueryWords {
			t.Errorf("%d words, want %d", got, analysis.MaxQueryWords)
		}
	})
}

func TestPhrase(t *testing.T) {
	tests := []struct {
		phrase string
		want   []string
	}{
		{"", nil},
		{"?!", nil},
		{"The Origin of Species", []string{"the", "origin", "of", "species"}},
		{"X-ray’s U.S.A.", []string{"x", "ray", "usa"}},
		{"日本語 a", []string{"日", "本", "語", "a"}},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, plain.Phrase(test.phrase)); diff != "" {
			t.Errorf("Phrase(%q): %s", test.phrase, diff)
		}
	}
}

func TestEdits(t *testing.T) {
	for exact, want := range map[string]int{
		"": 0, "cat": 0, "cats": 1, "history": 1, "historic": 2, "covid19": 0, "école": 1, "книг": 1,
	} {
		if got := analysis.Edits(exact); got != want {
			t.Errorf("Edits(%q) = %d, want %d", exact, got, want)
		}
	}
}

func TestLongWordsAreCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 5000), strings.Repeat("é", 5000), strings.Repeat("я", 5000)} {
		tokens := plain.Text(text, "eng")
		if len(tokens) != 1 || len(tokens[0].Exact) > analysis.MaxWordLength || len(tokens[0].Exact) < analysis.MaxWordLength-4 {
			t.Errorf("%.10s…: %d tokens, the first of %d bytes", text, len(tokens), len(tokens[0].Exact))
		}
		if !find(plain, text, "eng", text) {
			t.Errorf("%.10s… does not find itself", text)
		}
	}
}

var languages = []catalogue.Language{
	"", "eng", "ara", "dan", "nld", "fin", "fra", "deu", "hun", "gle", "ita", "nor", "por", "ron", "rus", "spa",
	"swe", "tam", "tur", "zho", "pol", "xxx",
}

// checkText checks properties that every text has in every language.
func checkText(t interface {
	Helper()
	Errorf(string, ...any)
}, a *analysis.Analyzer, text string, language catalogue.Language) {
	t.Helper()
	tokens := a.Text(text, language)
	var words []string
	last := 0
	for _, token := range tokens {
		if token.Stem == "" || len(token.Exact) > analysis.MaxWordLength || !utf8.ValidString(token.Exact) {
			t.Errorf("%q (%s): bad token %+v", text, language, token)
		}
		if token.Position < last || token.Position > last+1 {
			t.Errorf("%q (%s): position %d behind %d", text, language, token.Position, last)
		}
		if token.Exact != "" && (token.Position == last+1 || len(words) == 0) {
			words = append(words, token.Exact) // The first token of a position is its word.
		}
		last = token.Position
	}
	if phrase := a.Phrase(text); !slices.Equal(phrase, words) {
		t.Errorf("%q (%s): phrase %q, words %q", text, language, phrase, words)
	}
	if !find(a, text, language, text) {
		t.Errorf("%q (%s) does not find itself: words %+v, tokens %+v", text, language, a.Query(text), tokens)
	}
}

func TestEveryTextFindsItself(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		" ", " ", " ", "-", "&", ".", ",", "'", "’", "'s", "x", "ray", "US", "U.S.", "World War", "2", "ii", "3.5", "1,000",
		"running", "Häuser", "中国", "ﾊﾞ", "한", "й", "c++", "#", "the", "a", "\xff", "\u0301", "\u200d", "½", "ß", "math",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 30).Draw(t, "pieces"), "")
		checkText(t, plain, text, rapid.SampledFrom(languages).Draw(t, "language"))
	})
}

func FuzzText(f *testing.F) {
	for _, text := range []string{"The dog's X-ray, U.S.A. 3.14", "World War II", "日本語 ﾊﾞ", "\xff\u0301", "l'eau C++", "ʼ ʻa Hawaiʻi"} {
		f.Add(text, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, language uint8) {
		checkText(t, plain, text, languages[int(language)%len(languages)])
	})
}

const paragraph = "We're on the second lesson: what causes the seasons? The Earth's axis is tilted by 23.5 degrees, so that " +
	"in June the northern hemisphere receives more sunlight than the southern one, and in December the reverse is true. "

func BenchmarkText(b *testing.B) {
	for name, text := range map[string]string{
		"english": strings.Repeat(paragraph, 20),
		"french":  strings.Repeat("L’été dernier, les élèves de l'école ont étudié les phénomènes météorologiques à Orléans. ", 50),
		"chinese": strings.Repeat("中国历史是世界上最古老的历史之一。", 100),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var tokens []analysis.Token
			for b.Loop() {
				tokens = plain.AppendText(tokens[:0], text, "fra")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(tokens)), "ns/token")
		})
	}
}

func BenchmarkQuery(b *testing.B) {
	for b.Loop() {
		plain.Query("what causes the seasons in the northern hemisphere of the earth")
	}
}

// TestWordsAreCounted verifies how often a query contains each word.
func TestWordsAreCounted(t *testing.T) {
	analyzer := analysis.New(analysis.Synonyms{})
	for text, want := range map[string]map[string]int{
		"ice": {"ice": 1},
		"Does ice float? Why does ICE float, if ice is solid?": {"ice": 3, "float": 2, "solid": 1},
		"水水水": {"": 2}, // bigrams have no exact form
	} {
		got := map[string]int{}
		for _, word := range analyzer.Query(text) {
			got[word.Exact] += word.Count
		}
		if !maps.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestFoldedFromTokens checks that the tokens of a text contain what Fold makes of it.
func TestFoldedFromTokens(t *testing.T) {
	a := plain
	for _, text := range []string{
		"", "...", "The water cycle", "X-ray, r&b and t shirt", "U.S.A. in World War Two", "光合作用 in plants", "Volcán: l'été 👩‍🔬 🌋", "3.14 of 1,000 words", "the 3 d printer",
	} {
		if got := string(analysis.AppendFolded(nil, a.Text(text, "eng"))); got != a.Fold(text) {
			t.Errorf("%q: %q, want %q", text, got, a.Fold(text))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if got := string(analysis.AppendFolded(nil, a.Text(text, "eng"))); got != a.Fold(text) {
			t.Errorf("%q: %q, want %q", text, got, a.Fold(text))
		}
	})
}
