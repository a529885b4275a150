// Package guides turns the Markdown files of the documentation into pages: README.md into the start page, whose lists
// become the navigation, and each other file into a page with the name of the file. Links between files become links
// between pages, and links to other files of the repository lead to the code host. Consecutive code blocks in different
// languages become tabs. The files stay readable on a code host.
package guides

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// Home is the name of the start page.
const Home = ""

// Page is a rendered guide.
type Page struct {
	// Name is the path of the page below /docs, or Home.
	Name, Title string
	Content     template.HTML
	// Headings are the headings of the second level, in order.
	Headings []Heading
	sections []section
}

// Heading is a heading with the id of its element.
type Heading struct{ ID, Text string }

// Group is a part of the navigation.
type Group struct {
	Title string
	Links []Link
}

// Link is a link of the navigation. Name is that of a Page, or another path below /docs.
type Link struct{ Name, Title string }

// Site is the rendered documentation.
type Site struct {
	Groups []Group
	pages  map[string]*Page
	order  []string // the names of the pages as the navigation orders them
}

// start is the file of the start page.
const start = "README.md"

// Load renders all Markdown files in the root of files. It returns an error if a file is not in the table of contents, or
// if a picture does not exist.
func Load(files fs.FS) (*Site, error) {
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil, err
	}
	s := &Site{pages: map[string]*Page{}}
	for _, file := range names {
		source, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, err
		}
		page, document, err := render(file, source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if err := checkPictures(files, document); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		s.pages[page.Name] = page
		if file == start {
			s.Groups = groupsOf(document, source)
		}
	}
	return s, s.checkContents()
}

// checkPictures checks that the pictures of a document are among the files.
func checkPictures(files fs.FS, document ast.Node) error {
	return ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		picture, ok := n.(*ast.Image)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		_, err := fs.Stat(files, string(picture.Destination))
		return ast.WalkContinue, err
	})
}

// Pages returns the pages in the order of the navigation.
func (s *Site) Pages() []*Page {
	pages := make([]*Page, len(s.order))
	for i, name := range s.order {
		pages[i] = s.pages[name]
	}
	return pages
}

// checkContents checks that the navigation leads to every page.
func (s *Site) checkContents() error {
	s.order = []string{Home}
	for _, group := range s.Groups {
		for _, link := range group.Links {
			if s.pages[link.Name] != nil {
				s.order = append(s.order, link.Name)
			}
		}
	}
	for name := range s.pages {
		if !slices.Contains(s.order, name) {
			return fmt.Errorf("%s does not name %s.md", start, name)
		}
	}
	return nil
}

func render(file string, source []byte) (*Page, ast.Node, error) {
	page := &Page{Name: nameOf(file)}
	document := markdown.Parser().Parse(text.NewReader(source))
	page.sections = sectionsOf(document, source)
	if len(page.sections) == 0 {
		return nil, nil, fmt.Errorf("the file has no title")
	}
	page.Title = page.sections[0].title
	for _, section := range page.sections {
		if section.level == 2 {
			page.Headings = append(page.Headings, Heading{section.id, section.title})
		}
	}
	joinTabs(document, source)
	retarget(document, page.Name)
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, document); err != nil {
		return nil, nil, err
	}
	page.Content = template.HTML(b.String()) // the files are part of the program, and raw HTML in them is left out
	return page, document, nil
}

// nameOf returns the name of the page of a file.
func nameOf(file string) string {
	if file == start {
		return Home
	}
	return strings.TrimSuffix(file, path.Ext(file))
}

// groupsOf returns the navigation: the lists of a table of contents, each under the heading before it.
func groupsOf(document ast.Node, source []byte) (groups []Group) {
	var group *Group
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Level == 2 {
				groups = append(groups, Group{Title: plain(n, source)})
				group = &groups[len(groups)-1]
			}
		case *ast.Link:
			if _, listed := n.Parent().Parent().(*ast.ListItem); entering && listed && group != nil && n.PreviousSibling() == nil {
				group.Links = append(group.Links, Link{strings.TrimPrefix(string(n.Destination), below), plain(n, source)})
			}
		}
		return ast.WalkContinue, nil
	})
	return groups
}
