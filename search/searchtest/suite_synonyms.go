package searchtest

import (
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// withSynonyms returns a query for all words of a text, with groups of synonyms.
func withSynonyms(text string, groups ...[]string) search.Query {
	query := words(text)
	query.Text.SynonymGroups = plain.Thesaurus(groups).SynonymGroups(query.Text.Words)
	return query
}

// synonyms checks the synonyms of a query, which the index does not know.
func (s suite) synonyms(t *testing.T) {
	heart := []string{"heart attack", "myocardial infarction", "MI"}
	car := []string{"car", "automobile", "motor car"}
	tests := []struct {
		name      string
		documents []change
		query     search.Query
		want      []int
	}{
		{"any variant finds all", []change{titled("Cars"), titled("an automobile"), titled("the motor-car"), titled("motor of a bus")}, withSynonyms("car", car), []int{1, 2, 3}},
		{"whichever is typed", []change{titled("Cars"), titled("an automobile"), titled("motor car")}, withSynonyms("Automobile", car), []int{1, 2, 3}},
		{"several words are one", []change{titled("heart attack"), titled("attack of the heart"), titled("an MI"), titled("Myocardial infarction")}, withSynonyms("heart attack", heart), []int{1, 3, 4}},
		{"beside other words", []change{titled("signs of a heart attack"), titled("MI, its signs"), titled("MI"), titled("signs")}, withSynonyms("heart attack signs", heart), []int{1, 2}},
		{
			"two of them", []change{titled("heart attack in a motor car"), titled("MI in automobiles"), titled("MI"), titled("cars")},
			withSynonyms("myocardial infarction car", heart, car), []int{1, 2},
		},
		{"as words stand in one text", []change{titled("heart attack"), func(d *search.Document) { d.Title, d.Description = "heart", "attack" }}, withSynonyms("MI", heart), []int{1}},
		{
			"in keywords, description and transcript", []change{
				func(d *search.Document) { d.Keywords = []string{"heart attack"} },
				func(d *search.Document) { d.Description = "a heart attack" },
				func(d *search.Document) { d.Transcript = "Heart attack!" },
				func(d *search.Document) { d.Keywords = []string{"heart", "attack"} },
			}, withSynonyms("MI", heart), []int{1, 2, 3},
		},
		{"four words", []change{titled("as good as gold"), titled("as good as good gold"), titled("perfect")}, withSynonyms("perfect", []string{"perfect", "as good as gold"}), []int{1, 3}},
		{"joined by a common variant", []change{titled("auto"), titled("automobile"), titled("car")}, withSynonyms("auto", car, []string{"auto", "Automobile"}), []int{1, 2, 3}},
		{"joined with the built-in", []change{titled("WW2"), titled("the second World War"), titled("1939 to 1945"), titled("global conflict")}, withSynonyms("world war II", []string{"ww2", "global conflict"}), []int{1, 2, 4}},
		{"the other way", []change{titled("WW2"), titled("the second World War"), titled("global conflict")}, withSynonyms("global conflict", []string{"wwii", "global conflict"}), []int{1, 2, 3}},
		{"quoted parts stay", []change{titled("car"), titled("automobile")}, withSynonyms(`"car"`, car), []int{1}},
		{"no typos in them", []change{titled("automobile"), titled("autmobile")}, withTypos(withSynonyms("automobile", car)), []int{1}},
		{"Chinese", []change{titled("日本"), titled("Japan"), titled("本日")}, withSynonyms("Japan", []string{"Japan", "日本"}), []int{1, 2}},
		{
			"stems of any language", []change{func(d *search.Document) { d.Title, d.Language = "les voitures", "fra" }, titled("car")},
			withSynonyms("car", []string{"car", "voiture"}), []int{1, 2},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { s.fill(t, videos(test.documents...)...).wantFound(test.query, test.want...) })
	}
	t.Run("matches of each level", func(t *testing.T) {
		sh := s.fill(t, videos(titled("automobile engine"), titled("motor car"), titled("engine"), titled("plane"))...)
		counts, err := sh.index.Matches(t.Context(), withSynonyms("car engine", car).Text, search.MatchLevels(2), catalogue.Access{}, today, 10)
		if err != nil {
			t.Fatal(err)
		}
		if s.strict {
			counts = counts[:1]
		}
		same(t, "matches", counts, []int{1, 1, 3}[:len(counts)])
	})
}

func withTypos(query search.Query) search.Query {
	query.Level.Typos = true
	return query
}
