// Package design contains what all pages share: design tokens and basic styles, the logo, and the header with the
// navigation. Tokens are CSS custom properties, whose values for dark mode the style sheet sets, so a page that uses
// them supports both modes.
package design

import (
	_ "embed"
	"html/template"
	"strings"
)

// The paths of the files, which Files contains.
const (
	StylePath = "/design/filmstrip.css"
	LogoPath  = "/design/logo.svg"
	IconPath  = "/favicon.ico"
)

var (
	// Style is the style sheet: tokens first, then the styles of elements and of the header.
	//go:embed filmstrip.css
	Style []byte
	// Logo is an SVG image.
	//go:embed logo.svg
	Logo []byte
	// Icon is the logo as an ICO file.
	//go:embed favicon.ico
	Icon []byte
)

// link is an entry of the navigation.
type link struct{ Name, Path string }

// navigation is the same on every page. Paths are relative to the landing page.
var navigation = []link{{"Documentation", "docs"}, {"Explorer", "explorer"}, {"GraphiQL", "graphiql"}, {"Console", "console"}}

var parts = template.Must(template.New("").Parse(`
{{- define "head"}}<link rel="icon" href="{{.Root}}design/logo.svg" type="image/svg+xml">
<link rel="stylesheet" href="{{.Root}}design/filmstrip.css">{{end}}
{{- define "header"}}<header class="site">
<a class="brand" href="{{or .Root "./"}}"><img src="{{.Root}}design/logo.svg" alt="" width="28" height="28">Filmstrip</a>
<nav aria-label="Filmstrip">
{{range .Links}}<a href="{{$.Root}}{{.Path}}"{{if eq .Path $.Current}} aria-current="page"{{end}}>{{.Name}}</a>
{{end}}</nav>
</header>{{end}}`))

// Head returns the elements of a page's head that load the icon and the style sheet. root is the relative path from
// the page to the landing page: "" or any number of "../".
func Head(root string) template.HTML { return part("head", root, "") }

// Header returns the header of a page. current is the path of the page in the navigation, or "".
func Header(root, current string) template.HTML { return part("header", root, current) }

func part(name, root, current string) template.HTML {
	var b strings.Builder
	err := parts.ExecuteTemplate(&b, name, struct {
		Root, Current string
		Links         []link
	}{root, current, navigation})
	if err != nil { // the template is in the binary
		panic(err)
	}
	return template.HTML(b.String())
}
