// Package docs contains the guides in this folder, which the server shows at /docs. README.md is their table of contents.
package docs

import "embed"

// Files contains the guides as Markdown.
//
//go:embed *.md
var Files embed.FS
