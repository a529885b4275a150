package typesense

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

const (
	// maxSuggested is how many videos are read for suggestions.
	maxSuggested = maxPerPage
	// maxCounted is how many phrases, and spellings, are counted where more videos would have to be read:
	// for each the server reads a document, which takes it some 0.1 ms.
	maxCounted = 100
	// spelledAtOnce is how many spellings one search looks for, in twice as many documents.
	spelledAtOnce = 25
)

// Phrases is that of search.Index. As long as no more than maxSuggested videos have a title or keyword
// that may hold the text, these are read and the answer is exact. Of more, the commonest phrases are
// counted by facets, and those of the newest videos are added with what is known of them.
func (x *Index) Phrases(
	ctx context.Context, text string, access catalogue.Access, today catalogue.Date, limit int,
) ([]search.Phrase, error) {
	typed := x.analyzer.Fold(text)
	var phrases []search.Phrase
	err := x.consult(ctx, func(ctx context.Context, at *build) (err error) {
		if typed == "" || limit <= 0 || at.collection == "" {
			return nil
		}
		phrases, err = x.suggest(ctx, at, typed, and(x.visible(access, today), holding(typed)), limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return phrases, nil
}

// holding is the condition that titles and keywords have all runs of three characters of a text, or the
// whole of a shorter one.
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
	var r round
	read := searchRequest{
		Q: "*", FilterBy: filter, SortBy: byDate, Page: 1, PerPage: maxSuggested, IncludeFields: fieldSpellings,
	}
	found := 0
	r.ask(read, func(answer *searchAnswer) error {
		found = answer.Found
		return f.read(answer, true)
	})
	if err := x.run(ctx, at, &r); err != nil {
		return nil, err
	}
	if found > maxSuggested {
		if err := x.countPhrases(ctx, at, filter, &f); err != nil {
			return nil, err
		}
	}
	return f.best(limit), nil
}

// countPhrases counts the commonest phrases and reads how those are written that are not known yet.
func (x *Index) countPhrases(ctx context.Context, at *build, filter string, f *finder) error {
	var r round
	request := searchRequest{
		Q: "*", FilterBy: filter, FacetBy: fieldFolded + "," + fieldSpelled, MaxFacetValues: maxCounted,
	}
	var unknown []string
	folded, spelled := map[string]int{}, map[string]int{} // by token; a text may be its own folded form
	r.ask(request, func(answer *searchAnswer) error {
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
		return nil
	})
	if err := x.run(ctx, at, &r); err != nil {
		return err
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

// finder gathers phrases that hold what was typed.
type finder struct {
	index  *Index
	typed  string
	folded map[string]*phrase
	spelt  map[string]bool // tokens of the spellings that were read
}

// phrase is what is written alike when folded.
type phrase struct {
	folded    string
	videos    int
	spellings map[string]int // how many videos carry each
}

// read takes in the titles and keywords of videos. Where they are counted each video counts once.
func (f *finder) read(answer *searchAnswer, counted bool) error {
	for _, found := range answer.Hits {
		var video struct {
			Spellings []string `json:"spellings"`
		}
		if err := json.Unmarshal(found.Document, &video); err != nil {
			return unavailable("answered what is no video", err)
		}
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
				p.videos += countOnce(carried, folded)
			} else if p.spellings[text] == 0 {
				p.spellings[text], p.videos = 1, max(1, p.videos)
			}
		}
	}
	return nil
}

// countOnce is 1 where a key is new.
func countOnce(seen map[string]bool, key string) int {
	if seen[key] {
		return 0
	}
	seen[key] = true
	return 1
}

// correct replaces what was counted over the videos that were read by what is known of all.
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

// best returns the best phrases, in the order of the port.
func (f *finder) best(limit int) []search.Phrase {
	type ranked struct {
		search.Phrase
		rank int
	}
	var all []ranked
	for _, p := range f.folded {
		all = append(all, ranked{search.Phrase{Text: p.commonest(), Videos: p.videos}, f.rank(p.folded)})
	}
	slices.SortFunc(all, func(a, b ranked) int {
		return cmp.Or(
			cmp.Compare(a.rank, b.rank),
			cmp.Compare(b.Videos, a.Videos),
			cmp.Compare(utf8.RuneCountInString(a.Text), utf8.RuneCountInString(b.Text)),
			cmp.Compare(a.Text, b.Text),
		)
	})
	var phrases []search.Phrase
	for _, p := range all[:min(limit, len(all))] {
		phrases = append(phrases, p.Phrase)
	}
	return phrases
}

// rank: 0 starts with what was typed, 1 has a word that does, 2 holds it anywhere.
func (f *finder) rank(folded string) int {
	switch {
	case strings.HasPrefix(folded, f.typed):
		return 0
	case strings.Contains(folded, " "+f.typed):
		return 1
	}
	return 2
}

// commonest is the spelling of the most videos, of equals the first in binary order.
func (p *phrase) commonest() string {
	best, videos := "", 0
	for text, n := range p.spellings {
		if n > videos || n == videos && text < best {
			best, videos = text, n
		}
	}
	return best
}
