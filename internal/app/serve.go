package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/internal/demo"
)

// announce waits until searches cover the catalogue, then prints the address of the server and, for a demo, commands to
// try.
func (s *App) announce(ctx context.Context, settings *Settings, out io.Writer) {
	for pause := 20 * time.Millisecond; !s.caughtUp(ctx); pause = min(2*pause, time.Second) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
	base := settings.base()
	if !settings.Demo {
		fmt.Fprintf(out, "Filmstrip serves %s\n", base)
		return
	}
	fmt.Fprintf(out, `Filmstrip demo at %[1]s

  accounts  %[2]s (everything), %[3]s, %[4]s (less of it), %[5]s (the operator)
  clients   of the same names, with the secret %[6]s
  users     %[7]s of %[2]s, with the password %[6]s; they sign in through the client %[8]s
  GraphiQL  %[1]s/graphiql
  a video   %[1]s%[9]s plays it to the user above

Try it:

  TOKEN=$(curl -s %[1]s/v1/token -d grant_type=client_credentials -d client_id=%[2]s -d client_secret=%[6]s | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s %[1]s/v1/ -H "Authorization: Bearer $TOKEN"
  curl -s "%[1]s/v1/videos?query=water&size=3" -H "Authorization: Bearer $TOKEN"
`, base, demo.Account, demo.BasicAccount, demo.PlusAccount, demo.OperatorAccount, demo.Secret, demo.Teacher, demo.WebClient, demo.PlayablePage(ctx, s.catalogue))
}

// caughtUp reports whether the search index contains every change of the catalogue.
func (s *App) caughtUp(ctx context.Context) bool {
	head, err := s.catalogue.Head(ctx)
	if err != nil {
		return false
	}
	position, err := s.indexes.index.Position(ctx)
	return err == nil && s.indexes.follower.Ready() && position >= head
}

// traced adds the trace ID to each log line of a request.
type traced struct{ slog.Handler }

// Handle implements slog.Handler.
func (t traced) Handle(ctx context.Context, record slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		record.AddAttrs(slog.String("trace", span.TraceID().String()))
	}
	return t.Handler.Handle(ctx, record)
}

// WithAttrs implements slog.Handler.
func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (t traced) WithGroup(name string) slog.Handler { return traced{t.Handler.WithGroup(name)} }

// GCPercent lets the heap grow to three times the live data before a collection. Compared with Go's default, this takes
// half the processor time and 1.5 times the memory. GOGC overrides it.
const GCPercent = 200

// Serve runs a server until the context ends. It announces its address on out and logs to logs.
func (c *Settings) Serve(ctx context.Context, out, logs io.Writer) (err error) {
	logger := c.logger(logs)
	logger.InfoContext(ctx, "starting", "version", Version())
	cleanUp, err := c.prepare()
	if err != nil {
		return err
	}
	defer cleanUp()
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", c.Addr, err)
	}
	defer listener.Close()
	c.Addr = listener.Addr().String()

	service, err := Open(ctx, c, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.close()) }()
	if err := service.serveMetrics(c.MetricsAddr, c.localHosts()); err != nil {
		return err
	}
	if c.Demo {
		if err := demo.FillCatalogue(ctx, service.catalogue); err != nil {
			return err
		}
		if err := demo.AddCollections(ctx, service.catalogue, service.stores.Collections); err != nil {
			return err
		}
	}
	go service.announce(ctx, c, out)
	return c.listen(ctx, listener, service, logger)
}

func (c *Settings) logger(to io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong accepts valid levels only
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == "json" {
		return slog.New(traced{slog.NewJSONHandler(to, options)})
	}
	return slog.New(traced{slog.NewTextHandler(to, options)})
}

// listen serves until the context ends; then it stops accepting connections and finishes the requests in progress.
func (c *Settings) listen(ctx context.Context, listener net.Listener, service *App, logger *slog.Logger) error {
	server := &http.Server{
		Handler:           service.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       c.RequestTimeout + 10*time.Second,
		WriteTimeout:      max(c.RequestTimeout, streamTimeout) + 30*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 20, // httpserver refuses far shorter ones, with the error body
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	server.RegisterOnShutdown(service.endStreams)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	logger.Info("stopping")
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.ShutdownTimeout)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		// Close ends the contexts of those requests. The engines, which close next, wait for them.
		return fmt.Errorf("requests in progress were aborted: %w", errors.Join(err, server.Close()))
	}
	return nil
}
