// Package docs contains the guides in this folder, which the server shows at /docs. README.md is their table of contents.
package docs

import "embed"

// Files contains the guides as Markdown, and their pictures.
//
//go:embed *.md pictures/*.png
var Files embed.FS
