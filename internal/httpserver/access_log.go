package httpserver

import (
	"log/slog"
	"net/http"
	"time"
)

// AccessLog writes a line for each request, at its end. A line names neither the query, which may contain what people
// search for and codes of sign-ins, nor the path below a mount with a SecretPath.
type AccessLog struct {
	Logger *slog.Logger
	// ErrorsOnly leaves out responses with a status below 400.
	ErrorsOnly bool
	// Addresses adds the network address of the caller.
	Addresses bool
}

// longestAgent is the maximum number of bytes of a User-Agent header in a line.
const longestAgent = 200

// write writes the line of a request. The logger adds the trace.
func (l *AccessLog) write(p *requestState, method string, took time.Duration) {
	if l == nil || l.ErrorsOnly && p.status < http.StatusBadRequest {
		return
	}
	path := p.request.URL.Path
	if p.secretPath {
		path = p.route
	}
	fields := []slog.Attr{
		slog.String("method", method), slog.String("path", path), slog.Int("status", p.status), slog.Int64("bytes", p.bytes),
		slog.Duration("duration", took),
	}
	if p.client != "" {
		fields = append(fields, slog.String("account", p.account), slog.String("client", p.client))
	}
	if l.Addresses {
		fields = append(fields, slog.String("address", p.server.AddressOf(p.request).String()))
	}
	if agent := p.request.UserAgent(); agent != "" {
		fields = append(fields, slog.String("agent", agent[:min(len(agent), longestAgent)]))
	}
	l.Logger.LogAttrs(p.Context, slog.LevelInfo, "request", fields...)
}
