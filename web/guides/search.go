package guides

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark/ast"
)

// section is a heading with the text up to the next heading.
type section struct {
	level     int
	id, title string
	text      string
	folded    string // title and text in lower case
}

// sectionsOf returns the sections of a document in order.
func sectionsOf(document ast.Node, source []byte) (sections []section) {
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok {
			id, _ := heading.AttributeString("id")
			name, _ := id.([]byte)
			sections = append(sections, section{level: heading.Level, id: string(name), title: plain(n, source)})
		} else if len(sections) > 0 {
			last := &sections[len(sections)-1]
			last.text = strings.TrimSpace(last.text + " " + plain(n, source))
		}
	}
	for i := range sections {
		sections[i].folded = strings.ToLower(sections[i].title + " " + sections[i].text)
	}
	return sections
}

// plain returns the text within a node, with single spaces.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.AutoLink:
			b.Write(n.URL(source))
		case *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// Result is a section that a search has found.
type Result struct {
	// Name and ID are those of the page and of the heading. Page and Title are their texts.
	Name, ID, Page, Title string
	// Excerpt is the text around the first word that was found.
	Excerpt string
}

const (
	maxResults = 25
	maxWords   = 8
)

// Search returns the sections that contain all words of a query, also as beginnings of words: those with words in their
// titles first, then those that come first in the documentation.
func (s *Site) Search(query string) []Result {
	words := strings.FieldsFunc(strings.ToLower(query), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' })
	if len(words) == 0 || len(words) > maxWords {
		return nil
	}
	type hit struct {
		Result
		inTitle int
	}
	var hits []hit
	for _, name := range s.order {
		page := s.pages[name]
		for _, section := range page.sections {
			if !containsAll(section.folded, words) {
				continue
			}
			found := hit{Result: Result{name, section.id, page.Title, section.title, excerpt(section.text, words)}}
			for _, word := range words {
				if at(strings.ToLower(section.title), word) >= 0 {
					found.inTitle++
				}
			}
			hits = append(hits, found)
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.inTitle, a.inTitle) })
	results := make([]Result, min(len(hits), maxResults))
	for i := range results {
		results[i] = hits[i].Result
	}
	return results
}

func containsAll(text string, words []string) bool {
	for _, word := range words {
		if at(text, word) < 0 {
			return false
		}
	}
	return true
}

// at returns where a word of text begins with a prefix, or -1.
func at(text, prefix string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], prefix)
		if i < 0 {
			return -1
		}
		if i += from; i == 0 || !isWordByte(text[i-1]) {
			return i
		}
		from = i + 1
	}
}

func isWordByte(b byte) bool { return b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || b >= 0x80 }

// excerpt returns the part of a text around the first of the words in it.
func excerpt(text string, words []string) string {
	const before, length = 60, 200 // in bytes
	first := 0
	for _, word := range words {
		if first = max(0, at(strings.ToLower(text), word)); first > 0 {
			break
		}
	}
	from := max(0, min(first, len(text))-before)
	to := min(len(text), from+length)
	cut := strings.ToValidUTF8(text[from:to], "")
	if from > 0 {
		_, cut, _ = strings.Cut(cut, " ")
		cut = "… " + cut
	}
	if to < len(text) {
		cut += " …"
	}
	return cut
}
