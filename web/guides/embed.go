package guides

import (
	_ "embed"
	"html/template"
	"io"

	"github.com/filmstrip/filmstrip/web/design"
)

var (
	// Style is the style sheet of the pages. Their script is /design/guides.js.
	//go:embed guides.css
	Style []byte

	//go:embed page.html
	pageText string

	pageTemplate = template.Must(template.New("page").Parse(pageText))
)

// View is what the template of a page shows. Either Page, or Query with Results.
type View struct {
	*Page
	Query   string
	Results []Result
	Groups  []Group
	// Root is the relative path from the page to the landing page.
	Root string
}

// Head returns the elements of the head that all pages of the server share.
func (v View) Head() template.HTML { return design.Head(v.Root) }

// Header returns the header that all pages of the server share.
func (v View) Header() template.HTML { return design.Header(v.Root, "docs") }

// Home reports whether the page is the start page.
func (v View) Home() bool { return v.Name == Home && v.Query == "" }

// Write writes the page for a view.
func (v View) Write(w io.Writer) error { return pageTemplate.Execute(w, v) }
