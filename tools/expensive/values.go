package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// pools are values of the catalogue that requests can use.
type pools struct {
	common, rare []string            // words of titles and descriptions
	texts        []string            // descriptions
	ids          map[string][]string // by the last part of the list's path
	kinds        []string            // the keys of ids
	every        []string            // all ids
}

// lists are the paths of lists that contain IDs, each with the relation that contains the resources.
var lists = []string{
	"/v1/videos?size=500", "/v1/videos?size=500&page=3&sort_by=RELEASE_DATE", "/v1/channels?size=1000", "/v1/subjects?visibility=ALL",
	"/v1/tags", "/v1/collections", "/v1/education-levels", "/v1/disciplines?visibility=ALL", "/v1/highlights?query=energy&size=100",
	"/v1/alignments/providers", "/v1/countries",
}

// gather reads the values.
func gather(s *program.Server) (*pools, error) {
	p := &pools{ids: map[string][]string{}}
	counts := map[string]int{}
	for _, list := range lists {
		var document any
		if err := get(s, list, &document); err != nil {
			return nil, err
		}
		where, _ := url.Parse(list)
		name := strings.TrimSuffix(where.Path[strings.LastIndexByte(where.Path, '/')+1:], "s")
		p.walk(document, name, counts)
	}
	for word, n := range counts {
		if n > 20 {
			p.common = append(p.common, word)
		} else {
			p.rare = append(p.rare, word)
		}
	}
	// The values are sorted, so that the same seed generates the same requests.
	slices.Sort(p.common)
	slices.Sort(p.rare)
	slices.Sort(p.texts)
	p.kinds = slices.Sorted(maps.Keys(p.ids))
	for _, kind := range p.kinds {
		slices.Sort(p.ids[kind])
		p.every = append(p.every, p.ids[kind]...)
	}
	return p, nil
}

func (p *pools) walk(node any, name string, counts map[string]int) {
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			p.walk(one, name, counts)
		}
	case map[string]any:
		for key, value := range node {
			text, isText := value.(string)
			switch {
			case isText && (key == "id" || key == "code"):
				p.ids[name] = append(p.ids[name], text)
			case isText && (key == "title" || key == "description"):
				p.texts = append(p.texts, text)
				for _, word := range strings.Fields(text) {
					counts[strings.ToLower(strings.Trim(word, ".,:;!?'\"()"))]++
				}
			case !isText && key != "_links":
				p.walk(value, name, counts)
			}
		}
	}
}

// The kinds of texts.
const (
	someWords = iota
	manyWords
	rareWords
	typos
	phrases
	realPhrases
	longPhrases
	longWord
	letters
	symbols
	ideographs
	someID
	someName
	textKinds
)

// text returns a text of a kind, a different one each time.
func (p *pools) text(r *rand.Rand, kind, size int, name string) string {
	words := func(n int, of []string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = of[r.IntN(len(of))]
		}
		return strings.Join(list, " ")
	}
	switch kind % textKinds {
	case someWords:
		return words(1+size%8, p.common)
	case manyWords:
		return truncate(words(10+size%300, p.common), 1990)
	case rareWords:
		return truncate(words(1+size%80, p.rare), 1990)
	case typos:
		list := strings.Fields(words(1+size%70, p.rare))
		for i, word := range list {
			if len(word) > 3 {
				at := 1 + r.IntN(len(word)-2)
				list[i] = word[:at] + string(rune('a'+r.IntN(26))) + word[at+1:]
			}
		}
		return strings.Join(list, " ")
	case phrases:
		var b strings.Builder
		for range 1 + size%6 {
			fmt.Fprintf(&b, `"%s" `, words(1+size%4, p.common))
		}
		return truncate(b.String(), 1990)
	case realPhrases: // of adjacent words
		var b strings.Builder
		for range 1 + size%5 {
			words := strings.Fields(p.texts[r.IntN(len(p.texts))])
			from := r.IntN(len(words))
			fmt.Fprintf(&b, `"%s" `, strings.Join(words[from:min(len(words), from+1+size/7%8)], " "))
		}
		return b.String()
	case longPhrases:
		return `"` + truncate(words(1+size%50, p.common), 1900) + `"`
	case longWord:
		return strings.Repeat(string(rune('a'+r.IntN(26))), 1+size%1990)
	case letters:
		return strings.Repeat("e ", 1+size%100) + string(rune('a'+r.IntN(26)))
	case symbols:
		return strings.Repeat(`!?"(“„.,-_%*`, 1+size%80)
	case ideographs:
		list := make([]rune, 1+size%300)
		for i := range list {
			list[i] = rune(0x4e00 + r.IntN(3000))
		}
		return string(list)
	case someID:
		return p.every[r.IntN(len(p.every))]
	}
	for _, kind := range p.kinds {
		if strings.Contains(strings.ToLower(name), kind) {
			return p.ids[kind][r.IntN(len(p.ids[kind]))]
		}
	}
	return p.ids["video"][r.IntN(len(p.ids["video"]))]
}

func truncate(text string, most int) string { return text[:min(len(text), most)] }

// counts are lengths of lists.
var counts = []int{1, 1, 2, 5, 20, 100, 500, 1000}
