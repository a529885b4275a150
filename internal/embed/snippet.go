package embed

import (
	"context"
	"html"
)

// Snippet returns the HTML element with which a page shows an embed URL. The attributes are escaped.
func Snippet(address, title string) string {
	return `<iframe src="` + html.EscapeString(address) + `" title="` + html.EscapeString(title) +
		`" width="640" height="360" style="border:0" allow="autoplay; fullscreen; picture-in-picture"` +
		` referrerpolicy="strict-origin" loading="lazy"></iframe>`
}

type baseKey struct{}

// WithBase returns a context with the base URL of a request, without a trailing slash.
func WithBase(ctx context.Context, base string) context.Context {
	return context.WithValue(ctx, baseKey{}, base)
}

// BaseOf returns the base URL in the context, or "".
func BaseOf(ctx context.Context) string {
	base, _ := ctx.Value(baseKey{}).(string)
	return base
}
