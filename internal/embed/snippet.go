package embed

import (
	"context"
	"html"
)

// Snippet is the HTML by which a page shows the video of an address: one element, everything in it escaped.
func Snippet(address, title string) string {
	return `<iframe src="` + html.EscapeString(address) + `" title="` + html.EscapeString(title) +
		`" width="640" height="360" style="border:0" allow="autoplay; fullscreen; picture-in-picture"` +
		` referrerpolicy="strict-origin" loading="lazy"></iframe>`
}

type baseKey struct{}

// WithBase returns a context that carries the base address under which a request came, without a slash at its end.
func WithBase(ctx context.Context, base string) context.Context {
	return context.WithValue(ctx, baseKey{}, base)
}

// BaseOf returns the base address of a context, "" where there is none.
func BaseOf(ctx context.Context) string {
	base, _ := ctx.Value(baseKey{}).(string)
	return base
}
