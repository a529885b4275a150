package event

import "context"

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
