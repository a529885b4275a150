package typesense

import (
	"context"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

const (
	// maxSuggested is the maximum number of videos that suggestions read.
	maxSuggested = maxPerPage
	// maxCounted is the maximum number of phrases, and of spellings, that facets count if more videos match. The server
	// reads a document for each of them, which takes about 0.1 ms.
	maxCounted = 100
	// spelledAtOnce is the maximum number of spellings of one search, which reads at most twice as many documents.
	spelledAtOnce = 25
)

// Phrases implements search.Index. If at most maxSuggested videos have a title or keyword that may contain the text,
// Phrases reads them all and the result is exact. Otherwise facets count the most common phrases, and Phrases adds
// those of the newest videos with the counts that it knows.
func (x *Index) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	typed := x.analyzer.Fold(text)
	return consult(ctx, x, func(ctx context.Context, at *build) ([]search.Phrase, error) {
		if typed == "" || limit <= 0 || at.collection == "" {
			return nil, nil
		}
		return x.suggest(ctx, at, typed, and(x.visible(access, today), holding(typed)), limit)
	})
}

// holding returns the filter for documents whose grams include all substrings of three characters of a folded text, or the
// whole text if it is shorter.
func holding(typed string) string {
	runes := []rune(typed)
	var tokens tokenSet
	for i := range max(1, len(runes)-2) {
		tokens.add(encode(string(runes[i:min(len(runes), i+3)])))
	}
	return allOf(fieldGrams, tokens.tokens)
}

func (x *Index) suggest(ctx context.Context, at *build, typed, filter string, limit int) ([]search.Phrase, error) {
	f := finder{index: x, typed: typed, folded: map[string]*phrase{}, spelt: map[string]bool{}}
	answer, err := x.server.searchOne(ctx, at.collection, searchRequest{
		Q: "*", FilterBy: filter, SortBy: byDate, Page: 1, PerPage: maxSuggested, IncludeFields: fieldSpellings,
	})
	if err != nil {
		return nil, err
	}
	if err := f.read(answer, true); err != nil {
		return nil, err
	}
	if answer.Found > maxSuggested {
		if err := x.countPhrases(ctx, at, filter, &f); err != nil {
			return nil, err
		}
	}
	return f.best(limit), nil
}

// countPhrases counts the most common phrases with facets, and reads the spellings that f does not know yet.
func (x *Index) countPhrases(ctx context.Context, at *build, filter string, f *finder) error {
	answer, err := x.server.searchOne(ctx, at.collection, searchRequest{
		Q: "*", FilterBy: filter, FacetBy: fieldFolded + "," + fieldSpelled, MaxFacetValues: maxCounted,
	})
	if err != nil {
		return err
	}
	var unknown []string
	folded, spelled := map[string]int{}, map[string]int{} // by token; a text may be its own folded form
	for _, facet := range answer.Facets {
		for _, c := range facet.Counts {
			if facet.Field == fieldFolded {
				folded[c.Value] = c.Count
				continue
			}
			spelled[c.Value] = c.Count
			if !f.spelt[c.Value] {
				unknown = append(unknown, c.Value)
			}
		}
	}
	var behind round
	for chunk := range slices.Chunk(unknown, spelledAtOnce) {
		behind.ask(searchRequest{
			Q: "*", FilterBy: and(filter, oneOf(fieldSpelled, chunk)), PerPage: 2 * spelledAtOnce, Page: 1,
			IncludeFields: fieldSpellings, SortBy: byDate,
		}, func(answer *searchAnswer) error { return f.read(answer, false) })
	}
	if err := x.run(ctx, at, &behind); err != nil {
		return err
	}
	f.correct(folded, spelled)
	return nil
}

// finder collects the phrases that contain the typed text.
type finder struct {
	index  *Index
	typed  string
	folded map[string]*phrase
	spelt  map[string]bool // tokens of the spellings read
}

// phrase is a set of spellings with the same folded form.
type phrase struct {
	folded    string
	videos    int
	spellings map[string]int // number of videos with each spelling
}

// read adds the titles and keywords of the hits. If counted is set, each video counts once per phrase and once per
// spelling; otherwise read only ensures that the phrase and the spelling have a count of at least 1.
func (f *finder) read(answer *searchAnswer, counted bool) error {
	videos, err := documentsOf[struct{ Spellings []string }](answer.Hits)
	for _, video := range videos {
		carried := map[string]bool{}
		for _, stored := range video.Spellings {
			text, ok := readStoredText(stored)
			if !ok {
				continue
			}
			f.spelt[spellingToken(text)] = true
			folded := f.index.analyzer.Fold(text)
			if !strings.Contains(folded, f.typed) {
				continue
			}
			p := f.folded[folded]
			if p == nil {
				p = &phrase{folded: folded, spellings: map[string]int{}}
				f.folded[folded] = p
			}
			if counted {
				p.spellings[text]++
				if !carried[folded] {
					carried[folded] = true
					p.videos++
				}
			} else if p.spellings[text] == 0 {
				p.spellings[text], p.videos = 1, max(1, p.videos)
			}
		}
	}
	return err
}

// correct replaces the counts over the videos read by the facet counts over all videos, where those exist.
func (f *finder) correct(folded, spelled map[string]int) {
	for _, p := range f.folded {
		if n := folded[spellingToken(p.folded)]; n > 0 {
			p.videos = n
		}
		for text := range p.spellings {
			if n := spelled[spellingToken(text)]; n > 0 {
				p.spellings[text] = n
			}
		}
	}
}

// best returns at most limit phrases, in the order that search.Index specifies.
func (f *finder) best(limit int) []search.Phrase {
	var ranked [3][]search.Phrase
	for _, p := range f.folded {
		rank := search.PhraseRank(p.folded, f.typed)
		ranked[rank] = append(ranked[rank], search.Phrase{Text: p.commonest(), Videos: p.videos})
	}
	for _, phrases := range ranked {
		slices.SortFunc(phrases, search.Phrase.Compare)
	}
	all := slices.Concat(ranked[:]...)
	return all[:min(limit, len(all))]
}

// commonest returns the spelling that most videos use. Ties go to the first in binary order.
func (p *phrase) commonest() string {
	best, videos := "", 0
	for text, n := range p.spellings {
		if n > videos || n == videos && text < best {
			best, videos = text, n
		}
	}
	return best
}
