package guides

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// markdown reads GitHub Flavored Markdown.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(tabRenderer{}, 100))),
)

// repository is the address of the folder docs on the code host.
const repository = "https://github.com/filmstrip/filmstrip/blob/main/docs/"

// below is the path from the start page to the other pages, which are siblings.
const below = "docs/"

// retarget turns the targets of links between files into targets between pages. name is that of the document's page.
func retarget(document ast.Node, name string) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(targetOf(string(link.Destination), name))
		}
		return ast.WalkContinue, nil
	})
}

// targetOf returns the target of a link on the page from.
func targetOf(link, from string) string {
	file, fragment, _ := strings.Cut(link, "#")
	switch {
	case strings.Contains(link, "://") || file == "" || strings.HasPrefix(link, "mailto:"):
		return link
	case !strings.HasSuffix(file, ".md") || strings.Contains(file, "/"):
		return repository + link
	}
	target := nameOf(file)
	switch {
	case target == Home && from == Home:
		target = "docs"
	case target == Home:
		target = "../docs"
	case from == Home:
		target = below + target
	}
	if fragment != "" {
		target += "#" + fragment
	}
	return target
}

// Code in several languages.

var (
	kindTabs = ast.NewNodeKind("CodeTabs")
	kindTab  = ast.NewNodeKind("CodeTab")
)

// codeTabs contains the same code in several languages.
type codeTabs struct {
	ast.BaseBlock
	number int // of the tabs on the page
}

// codeTab contains one code block.
type codeTab struct {
	ast.BaseBlock
	language string
	position int
}

func (*codeTabs) Kind() ast.NodeKind          { return kindTabs }
func (n *codeTabs) Dump(source []byte, l int) { ast.DumpHelper(n, source, l, nil, nil) }
func (*codeTab) Kind() ast.NodeKind           { return kindTab }
func (n *codeTab) Dump(source []byte, l int)  { ast.DumpHelper(n, source, l, nil, nil) }

// languages are the titles of the tabs, by the languages of the blocks.
var languages = map[string]string{"bash": "curl", "js": "JavaScript", "python": "Python", "go": "Go"}

// joinTabs puts each run of code blocks in different languages into tabs.
func joinTabs(document ast.Node, source []byte) {
	number := 0
	for n := document.FirstChild(); n != nil; n = n.NextSibling() {
		run := runOf(n, source)
		if len(run) < 2 {
			continue
		}
		number++
		tabs := &codeTabs{number: number}
		document.ReplaceChild(document, n, tabs)
		for i, block := range run {
			tab := &codeTab{language: languageOf(block, source), position: i}
			if i > 0 {
				document.RemoveChild(document, block)
			}
			tab.AppendChild(tab, block)
			tabs.AppendChild(tabs, tab)
		}
		n = tabs
	}
}

// runOf returns the code blocks in different languages that begin with a node.
func runOf(n ast.Node, source []byte) (run []ast.Node) {
	met := map[string]bool{}
	for ; n != nil; n = n.NextSibling() {
		language := languageOf(n, source)
		if language == "" || met[language] {
			break
		}
		met[language] = true
		run = append(run, n)
	}
	return run
}

// languageOf returns the title of the language of a code block, or "" if there are no tabs for it.
func languageOf(n ast.Node, source []byte) string {
	block, ok := n.(*ast.FencedCodeBlock)
	if !ok || block.Info == nil {
		return ""
	}
	return languages[string(block.Language(source))]
}

// tabRenderer renders tabs as radio buttons, each with the panel that follows it, so that they work without a script.
type tabRenderer struct{}

func (tabRenderer) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(kindTabs, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = fmt.Fprintf(w, "<fieldset class=\"tabs\"><legend>Language</legend>\n")
		} else {
			_, _ = w.WriteString("</fieldset>\n")
		}
		return ast.WalkContinue, nil
	})
	register.Register(kindTab, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			_, _ = w.WriteString("</div>\n")
			return ast.WalkContinue, nil
		}
		tab, group := n.(*codeTab), n.Parent().(*codeTabs).number
		checked := ""
		if tab.position == 0 {
			checked = " checked"
		}
		_, _ = fmt.Fprintf(w, "<label><input type=\"radio\" name=\"language-%d\" value=\"%s\"%s>%[2]s</label>\n<div class=\"panel\">\n", group, html.EscapeString(tab.language), checked)
		return ast.WalkContinue, nil
	})
}
