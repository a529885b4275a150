package searchtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

func (s suite) text(t *testing.T) {
	in := func(language catalogue.Language, title string) change {
		return func(d *search.Document) { d.Language, d.Title = language, title }
	}
	t.Run("every field is searched", func(t *testing.T) {
		sh := s.fill(t, videos(
			titled("volcano"),
			func(d *search.Document) { d.Keywords = []string{"lava", "volcano"} },
			func(d *search.Document) { d.SubjectNames = []string{"Volcano"} },
			func(d *search.Document) { d.ChannelName = "Volcanoes" },
			func(d *search.Document) { d.Description = "the volcano" },
			func(d *search.Document) { d.Transcript = "a volcano" },
			titled("glacier"),
		)...)
		sh.wantFound(words("volcano"), 1, 2, 3, 4, 5, 6)
	})
	t.Run("all words, wherever each is", func(t *testing.T) {
		sh := s.fill(t, videos(titled("red apple"), titled("apple"), func(d *search.Document) {
			d.Keywords, d.Transcript = []string{"apple"}, "red"
		})...)
		sh.wantFound(words("apple red"), 1, 3)
		sh.wantFound(words("apple red blue"))
	})

	tests := []struct {
		name      string
		documents []change
		query     string
		want      []int
	}{
		{"blank", []change{titled("a"), titled("")}, "  ", []int{1, 2}},
		{"nothing to look for", []change{titled("a"), titled("")}, "?! …", []int{1, 2}},
		{"emoji", []change{titled("A 🌋 erupts"), titled("a volcano"), titled("🌋🔥"), titled("🌊")}, "🌋", []int{1, 3}},
		{"emoji in any shape", []change{titled("❤\ufe0f"), titled("❤ biology"), titled("☂\ufe0f")}, "❤\ufe0e", []int{1, 2}},
		{"the parts of a joined emoji", []change{titled("👩🏽\u200d🔬 in the lab"), titled("🔬"), titled("👩")}, "👩\u200d🔬", []int{1}},
		{"emoji in quotes", []change{titled("🌋 🔥 hot"), titled("🔥 🌋 hot")}, `"🌋🔥"`, []int{1}},
		{"emoji of a video in German", []change{in("deu", "Vulkane 🌋"), in("zho", "火山🌋")}, "🌋", []int{1, 2}},
		{"case and accents", []change{titled("CAFÉ"), titled("cafe"), titled("caffe")}, "Café", []int{1, 2}},
		{"stems", []change{titled("running dogs"), titled("run, dog"), titled("runner dog")}, "runs dogs", []int{1, 2}},
		{"stop words do not decide", []change{titled("cycle of water"), titled("the of")}, "what is the cycle of the water", []int{1}},
		{"unless there is nothing else", []change{titled("the who"), titled("who")}, "the who", []int{1}},
		{"compounds", []change{titled("X-ray"), titled("xray"), titled("x ray"), titled("ray")}, "x-ray", []int{1, 2, 3}},
		{"the whole of a compound", []change{titled("X-ray"), titled("xray"), titled("x ray"), titled("ray")}, "xray", []int{1, 2, 3}},
		{"initials", []change{titled("U.S.S.R."), titled("ussr")}, "USSR", []int{1, 2}},
		{"signs of languages", []change{titled("C++"), titled("C#"), titled("C")}, "c++", []int{1}},
		{"decimals", []change{titled("3.14"), titled("3 14")}, "3.14", []int{1}},
		{
			"synonyms", []change{titled("WW2"), titled("the Second World War"), titled("World War II"), titled("world war"), titled("war 2 world")},
			"world war 2", []int{1, 2, 3},
		},
		{"the country", []change{titled("US history"), titled("tell us history"), titled("history of the U.S.A.")}, "United States history", []int{1, 3}},
		{"mathematics", []change{titled("maths"), titled("Math"), titled("mathematics"), titled("mat")}, "math", []int{1, 2, 3}},
		{"stems of the video's language", []change{in("fra", "les maisons"), in("eng", "maisons"), in("deu", "maison")}, "maison", []int{1, 2, 3}},
		{"not of another", []change{in("eng", "plan"), in("eng", "planet"), in("swe", "planeten")}, "planet", []int{2, 3}},
		{"a language without a stemmer", []change{in("pol", "dziewczyny"), in("pol", "dziewczyna")}, "dziewczyny", []int{1}},
		{"Cyrillic", []change{in("rus", "Книги о море"), in("rus", "книжка")}, "книга", []int{1}},
		{"Chinese", []change{in("zho", "中国历史"), in("zho", "历史中国"), in("", "国中史历")}, "中国", []int{1, 2}},
		{"one character", []change{in("zho", "中国历史"), in("zho", "水"), in("", "water 水 water"), in("", "火")}, "水", []int{2, 3}},
		{"one character of a run", []change{in("zho", "中国历史"), in("zho", "水")}, "史", []int{1}},
		{"Japanese in half width", []change{in("jpn", "ガスの話")}, "ｶﾞｽ", []int{1}},
		{"Korean", []change{in("kor", "한국어 수업"), in("kor", "한자")}, "한국", []int{1}},
		{"invalid UTF-8", []change{titled("a\xffb"), titled("b")}, "\xffb\xc3", []int{1, 2}},
		{"signs of query languages", []change{titled("apple"), titled("pear")}, "+apple -pear* (title:apple~2", nil},
		{"a very long word", []change{titled(strings.Repeat("longest", 50)), titled("longest")}, strings.Repeat("longest", 50), []int{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s.fill(t, videos(test.documents...)...).wantFound(words(test.query), test.want...)
		})
	}
}

func (s suite) levels(t *testing.T) {
	if s.strict {
		t.Run("all words only", func(t *testing.T) {
			s.fill(t, videos(titled("history"), titled("histroy"))...).wantFound(words("history"), 1)
		})
		return
	}
	forgiving := func(text string, missing int) search.Query {
		query := words(text)
		query.Level = search.MatchLevel{Typos: true, OptionalWords: missing}
		return query
	}
	tests := []struct {
		name, query string
		titles      []string
		missing     int
		want        []int
	}{
		{"one letter wrong, missing, added, swapped", "planet", []string{"planrt", "plnet", "plannet", "palnet", "planet", "plnaet", "plent"}, 0, []int{1, 2, 3, 4, 5, 6}},
		{"none in three letters", "cat", []string{"cat", "car", "cats", "cta"}, 0, []int{1, 3}},
		{"one in four to seven", "history", []string{"histroy", "hsitroy", "histor", "hstry"}, 0, []int{1, 3}},
		{"two in eight and more", "dinosaur", []string{"dinosuar", "dniosuar", "dinoasurus", "dnsr"}, 0, []int{1, 2}},
		{"of the first letter too", "planet", []string{"blanet", "lanet", "lpanet"}, 0, []int{1, 2, 3}},
		{"none in words with digits", "covid19", []string{"covid19", "covid18", "covd19"}, 0, []int{1}},
		{"by letters, not bytes", "книга", []string{"кника", "кинга", "кнникка"}, 0, []int{1, 2}},
		{"against the word, not its stem", "running", []string{"runing", "run", "runnin", "runner"}, 0, []int{1, 2, 3}},
		{"one word missing", "red green blue", []string{"red green blue", "red blue", "blue", "green bleu red"}, 1, []int{1, 2, 4}},
		{"down to one", "red green blue", []string{"red", "blue sky", "sky"}, 2, []int{1, 2}},
		{"never all", "red green", []string{"red", "sky"}, 9, []int{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var changes []change
			for _, title := range test.titles {
				changes = append(changes, titled(title))
			}
			s.fill(t, videos(changes...)...).wantFound(forgiving(test.query, test.missing), test.want...)
		})
	}
	t.Run("words may miss without typos", func(t *testing.T) {
		query := words("planet earth")
		query.Level.OptionalWords = 1
		s.fill(t, videos(titled("planet"), titled("planrt"), titled("earth planet"))...).wantFound(query, 1, 3)
	})
	t.Run("not in a word that enough videos have", func(t *testing.T) {
		changes := []change{titled("mantel")}
		var all []int
		for n := range search.KnownWord {
			changes = append(changes, titled("mantle"))
			all = append(all, n+2)
		}
		s.fill(t, videos(changes...)...).wantFound(forgiving("mantle", 0), all...)
		fewer := changes[:search.KnownWord]
		s.fill(t, videos(fewer...)...).wantFound(forgiving("mantle", 0), append([]int{1}, all[:search.KnownWord-1]...)...)
	})
	t.Run("matches of each level", s.matches)
	t.Run("however the documents came", s.history)
}

// history checks that the results depend on the content of the index and not on its history. Many documents contain the
// word, many others contain a similar word, and each document is written more than once.
func (s suite) history(t *testing.T) {
	var documents []search.Document
	for n := 1; n <= 200; n++ {
		title := "photograph"
		if n > 40 {
			title = fmt.Sprintf("photograph%c%c", 'a'+n%26, 'a'+n/26)
		}
		documents = append(documents, video(n, titled(title)))
	}
	built := s.fill(t)
	if err := built.index.Rebuild(t.Context(), 1, sequence(documents)); err != nil {
		t.Fatal(err)
	}
	grown := s.fill(t)
	for i := range documents {
		for version := range int64(3) {
			d := documents[i]
			d.Version = version + 1
			grown.apply(search.Batch{Put: []search.Document{d}, Position: 3*int64(i) + version + 1})
		}
	}
	query := words("photograph")
	query.Level.Typos = true
	for name, sh := range map[string]filledIndex{"built": built, "grown": grown} {
		if got := sh.search(query).Total; got != len(documents) {
			t.Errorf("the index that was %s finds %d, want %d", name, got, len(documents))
		}
	}
}

func (s suite) matches(t *testing.T) {
	sh := s.fill(t, videos(
		titled("green planet earth"), titled("planet earth"), titled("planrt earth"), titled("green"), titled("sky"),
		func(d *search.Document) { d.Title, d.Private = "planet earth", true },
	)...)
	text := search.ParseText("planet earth")
	levels := search.MatchLevels(2)
	counts, err := sh.index.Matches(t.Context(), text, levels, catalogue.Access{}, today, 10)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "matches", counts, []int{2, 3, 3})

	counts, err = sh.index.Matches(t.Context(), text, levels, catalogue.Access{}, today, 2)
	if err != nil {
		t.Fatal(err)
	}
	if len(counts) != 3 || counts[0] < 2 || search.Choose(counts, 2) != 0 {
		t.Errorf("matches with two enough: %v", counts)
	}
	counts, err = sh.index.Matches(t.Context(), text, nil, catalogue.Access{}, today, 2)
	if err != nil || len(counts) != 0 {
		t.Errorf("matches of no level: %v, %v", counts, err)
	}
}

// finds checks that each text is searched separately, in any order.
func (s suite) finds(t *testing.T) {
	yesterday := today - 1
	sh := s.fill(t, videos(
		titled("green planet earth"), titled("sky of stars"),
		func(d *search.Document) { d.Title, d.Private = "hidden moon", true },
		func(d *search.Document) { d.Title, d.AvailableUntil = "late comet", &yesterday },
	)...)
	texts := []search.Text{
		search.ParseText("earth green"), search.ParseText("green sky"), search.ParseText("planrt"), search.ParseText(`"planet earth"`),
		search.ParseText(`"earth planet"`), search.ParseText("moon"), search.ParseText("comet"), search.ParseText("stars"), search.ParseText("earth green"),
	}
	want := []bool{true, false, false, true, false, false, false, true, true}
	seen := func(texts []search.Text, access catalogue.Access, today catalogue.Date) []bool {
		t.Helper()
		found, err := sh.index.Finds(t.Context(), texts, access, today)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	same(t, "texts that find something", seen(texts, catalogue.Access{}, today), want)
	want[5], want[6] = true, true
	same(t, "to callers who see more, earlier", seen(texts, catalogue.Access{PrivateChannels: true}, today-1), want)
	slices.Reverse(texts)
	slices.Reverse(want)
	same(t, "the other way round", seen(texts, catalogue.Access{PrivateChannels: true}, today-1), want)
	if found := seen(nil, catalogue.Access{}, today); len(found) > 0 {
		t.Errorf("of no text: %v", found)
	}
	many := slices.Repeat([]search.Text{search.ParseText("moon"), search.ParseText("sky")}, 40)
	same(t, "of many texts", seen(many, catalogue.Access{}, today), slices.Repeat([]bool{false, true}, 40))
}

func (s suite) phrases(t *testing.T) {
	t.Run("of a long text", func(t *testing.T) {
		sh := s.fill(t, videos(titled("rivers carve valleys"), titled("glaciers carve broad valleys"))...)
		query := search.Query{Text: search.ParseText(`how rivers and glaciers slowly "carve broad" mountains`), Level: search.MatchLevel{Typos: true, OptionalWords: 50}}
		sh.wantFound(query, 2)
	})
	sh := s.fill(t, videos(
		titled("The origin of species"),
		titled("species of the origin"),
		func(d *search.Document) { d.Keywords = []string{"origin of species"} },
		func(d *search.Document) { d.Keywords = []string{"origin", "of species"} },
		func(d *search.Document) { d.Description = "On the Origin, of «Species»." },
		func(d *search.Document) { d.Transcript = "so origin of species it is" },
		func(d *search.Document) {
			d.SubjectNames, d.ChannelName = []string{"origin of species"}, "origin of species"
		},
		func(d *search.Document) { d.Title, d.Description = "the origin of", "species" },
		titled("origins of species"),
		titled("日本語の話"),
	)...)
	tests := []struct {
		query string
		want  []int
	}{
		{`"origin of species"`, []int{1, 3, 5, 6}},
		{`“ORIGIN of spécies”`, []int{1, 3, 5, 6}},
		{`"species of"`, []int{2}},
		{`"origin" "of the"`, []int{2}},
		{`species "the origin"`, []int{1, 2, 5, 8}},
		{`"origins of"`, []int{9}},
		{`"origin of species`, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{`origin "" "?!"`, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{`"本語"`, []int{10}},
		{`"語本"`, nil},
	}
	for _, test := range tests {
		t.Run(test.query, func(t *testing.T) { sh.in(t).wantFound(words(test.query), test.want...) })
	}
	if s.strict {
		return
	}
	t.Run("in every level", func(t *testing.T) {
		sh := sh.in(t)
		for _, level := range []search.MatchLevel{{Typos: true}, {Typos: true, OptionalWords: 1}, {Typos: true, OptionalWords: 9}} {
			query := words(`"origin of species" spicies`)
			query.Level = level
			sh.wantFound(query, 1, 3, 5, 6)
			query = words(`"orign of species" origin`)
			query.Level = level
			sh.wantFound(query)
		}
	})
}

func (s suite) suggestions(t *testing.T) {
	sh := s.fill(t, videos(
		titled("plant cells"),
		titled("plants"),
		titled("power plant"),
		titled("power plant"),
		titled("implants"),
		func(d *search.Document) { d.Title, d.Keywords = "x", []string{"Plantain"} },
		func(d *search.Document) { d.Title, d.Private = "plant a spy", true },
		func(d *search.Document) { d.Title, d.Retired = "plant a tree", true },
		func(d *search.Document) { d.Title, d.AvailableUntil = "plant a seed", new(today-1) },
		func(d *search.Document) { d.Title, d.Description = "sky", "plant" },
	)...)
	ask := func(text string, access catalogue.Access, limit int) []string {
		t.Helper()
		phrases, err := sh.index.Phrases(t.Context(), text, access, today, limit)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, p := range phrases {
			texts = append(texts, p.Text)
			if want := 1 + count(p.Text == "power plant"); p.Videos != want {
				t.Errorf("%q: %d videos, want %d", p.Text, p.Videos, want)
			}
		}
		return texts
	}
	public := catalogue.Access{}
	same(t, "starting with it, a word starting with it, holding it; shorter ones first",
		ask("PLÁNT", public, 10), []string{"plants", "Plantain", "plant cells", "power plant", "implants"})
	same(t, "the most of them", ask("plant", public, 2), []string{"plants", "Plantain"})
	same(t, "with private channels", ask("plant a", catalogue.Access{PrivateChannels: true}, 10), []string{"plant a spy"})
	same(t, "over words", ask("r pl", public, 10), []string{"power plant"})
	same(t, "nothing like it", ask("plantx", public, 10), []string(nil))
	same(t, "none wanted", ask("plant", public, 0), []string(nil))
	same(t, "no letter", ask(" ?", public, 10), []string(nil))
}

func (s suite) spellings(t *testing.T) {
	with := func(title string, keywords ...string) func(*search.Document) {
		return func(d *search.Document) { d.Title, d.Keywords = title, keywords }
	}
	sh := s.fill(t, videos(
		with("atom"),
		with("Atom", "atom", "ATOM"), // one video, regardless of spellings
		with("ATOM"),
		with("x", "Atóm"),
		with("Atom", "Bohr Atom"),
		func(d *search.Document) { d.Title, d.Private = "Atom", true },
		with("atom", "bohr ATOM"),
		with("atomic"),
	)...)
	for _, test := range []struct {
		name   string
		typed  string
		access catalogue.Access
		want   []search.Phrase
	}{
		{"the commonest spelling", "ató", catalogue.Access{}, []search.Phrase{{Text: "atom", Videos: 6}, {Text: "atomic", Videos: 1}, {Text: "Bohr Atom", Videos: 2}}},
		{"of equals the first", "bohr", catalogue.Access{}, []search.Phrase{{Text: "Bohr Atom", Videos: 2}}},
		{"by what may be found", "atom", catalogue.Access{PrivateChannels: true}, []search.Phrase{{Text: "Atom", Videos: 7}, {Text: "atomic", Videos: 1}, {Text: "Bohr Atom", Videos: 2}}},
	} {
		phrases, err := sh.index.Phrases(t.Context(), test.typed, test.access, today, 10)
		if err != nil {
			t.Fatal(err)
		}
		same(t, test.name, phrases, test.want)
	}
}
