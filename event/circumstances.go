package event

import (
	"cmp"
	"context"
	"strings"
)

// Circumstances are what a request tells of itself beside its body.
type Circumstances struct {
	// Trace is the trace id of the request.
	Trace string
	// Referer is Service-Referer, else Referer.
	Referer string
	// Address is the network address of the caller, as the operator's proxies tell it.
	Address string
}

type circumstancesKey struct{}

// WithCircumstances returns a context that carries them.
func WithCircumstances(ctx context.Context, c Circumstances) context.Context {
	return context.WithValue(ctx, circumstancesKey{}, c)
}

// CircumstancesOf returns those of a context; the zero value where there are none.
func CircumstancesOf(ctx context.Context) Circumstances {
	c, _ := ctx.Value(circumstancesKey{}).(Circumstances)
	return c
}

// MaxReferer bounds what is kept of a referer, in bytes.
const MaxReferer = 2048

// RefererOf is the page that a request comes from, of two headers: what a player says (Service-Referer), which
// may stand in a frame, else what the browser says (Referer). What is too long is cut off, what is not UTF-8
// left out.
func RefererOf(player, browser string) string {
	referer := cmp.Or(player, browser)
	return strings.ToValidUTF8(referer[:min(len(referer), MaxReferer)], "")
}
