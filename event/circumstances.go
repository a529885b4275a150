package event

import (
	"cmp"
	"context"
	"strings"
)

// Circumstances are the properties of a request that its events record in addition to the body.
type Circumstances struct {
	// Trace is the trace ID of the request.
	Trace string
	// Referer is the Service-Referer header, else Referer.
	Referer string
	// Address is the network address of the caller, as trusted proxies report it.
	Address string
}

type circumstancesKey struct{}

// WithCircumstances returns a context with the circumstances of a request.
func WithCircumstances(ctx context.Context, c Circumstances) context.Context {
	return context.WithValue(ctx, circumstancesKey{}, c)
}

// CircumstancesOf returns the circumstances in a context, or the zero value.
func CircumstancesOf(ctx context.Context) Circumstances {
	c, _ := ctx.Value(circumstancesKey{}).(Circumstances)
	return c
}

// MaxReferer is the maximum length of a stored referer, in bytes.
const MaxReferer = 2048

// RefererOf returns the page that sent a request: Service-Referer, which players in frames set, else the browser's
// Referer. It cuts off what exceeds MaxReferer and drops invalid UTF-8.
func RefererOf(player, browser string) string {
	referer := cmp.Or(player, browser)
	return strings.ToValidUTF8(referer[:min(len(referer), MaxReferer)], "")
}
