package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/usage"
)

// announce prints the address of the server and, for a demo or without accounts, where to begin. With --log-format json,
// it prints log lines.
func (s *App) announce(ctx context.Context, settings *Settings, out io.Writer) {
	base := settings.base()
	inJSON := settings.LogFormat == logFormatJSON
	lines := settings.logger(out)
	switch {
	case settings.Demo && inJSON:
		lines.InfoContext(ctx, "Filmstrip demo: "+base, "user", demo.Teacher, "secret", demo.Secret,
			"clients", []string{demo.Account, demo.PlusAccount, demo.BasicAccount, demo.OperatorAccount})
		return
	case inJSON:
		lines.InfoContext(ctx, "Filmstrip serves "+base)
	case !settings.Demo:
		fmt.Fprintf(out, "Filmstrip serves %s\n", base)
	}
	if !settings.Demo {
		accounts, err := s.stores.Accounts.Entities(ctx, account.KindAccount, "", "", 1)
		switch {
		case err != nil || len(accounts) > 0:
		case inJSON:
			lines.WarnContext(ctx, "there are no accounts yet, so nobody can get a token", "commands", firstCommands(settings))
		default:
			fmt.Fprint(out, firstSteps(settings))
		}
		if len(accounts) > 0 && !inJSON && !s.hasOwner(ctx) {
			fmt.Fprintf(out, "Nobody is an owner of the console at %s/console yet: %s\n", base, inviteCommand(settings, base))
		}
		return
	}
	fmt.Fprintf(out, `Filmstrip demo: %[1]s

  Start here     %[1]s/
  Sign in as     %[2]s, password %[3]s
  Console        %[1]s/console as %[8]s, password %[3]s
  API clients    %[4]s, %[5]s, %[6]s, and %[7]s for GraphQL; secret %[3]s
  Read on        %[1]s/docs
`, base, demo.Teacher, demo.Secret, demo.Account, demo.PlusAccount, demo.BasicAccount, demo.OperatorAccount, demo.Owner)
}

// whereData returns the flag that lets commands find the data, or "".
func whereData(settings *Settings) string {
	if settings.InFiles() && settings.Data != defaultData {
		return " --data " + settings.Data
	}
	return ""
}

// hasOwner reports whether a user has the role OWNER.
func (s *App) hasOwner(ctx context.Context) bool {
	_ = s.identity.tokens.Refresh(ctx) // without the store, the roster is at most a little older
	for _, member := range s.identity.tokens.Roster().Staff {
		if member.Role == account.Owner {
			return true
		}
	}
	return false
}

// inviteCommand returns the command that invites an owner to a server at a base URL.
func inviteCommand(settings *Settings, base string) string {
	return "filmstrip owner invite you@films.example --base-url " + base + whereData(settings)
}

// firstCommands returns the commands that create an account of the operator, its owner, and a client that may do
// everything.
func firstCommands(settings *Settings) []string {
	where := whereData(settings)
	return []string{
		`filmstrip accounts create house --name "Our own" --operator` + where,
		inviteCommand(settings, settings.base()),
		"filmstrip clients create console --account house" + where,
	}
}

// firstSteps returns what to do with a new server.
func firstSteps(settings *Settings) string {
	return fmt.Sprintf(`
There are no accounts yet, so nobody can get a token. Add an account of your own, invite yourself to the console as its owner, and add a client that may do everything:

  %s

Then import videos (filmstrip import%s FILE) and add customers (filmstrip accounts create --help).
`, strings.Join(firstCommands(settings), "\n  "), whereData(settings))
}

// await waits until a condition holds. It returns false if the context ends first.
func await(ctx context.Context, holds func(context.Context) bool) bool {
	for pause := 5 * time.Millisecond; !holds(ctx); pause = min(2*pause, time.Second) {
		if !background.Sleep(ctx, pause, nil) {
			return false
		}
	}
	return true
}

// fillDemo fills empty stores with the catalogue of the demo and its collections. An operator's own catalogue gets
// neither.
func (s *App) fillDemo(ctx context.Context) error {
	if err := demo.FillCatalogue(ctx, s.catalogue); err != nil {
		return err
	}
	if ours, err := demo.Contains(ctx, s.catalogue); err != nil || !ours {
		return err
	}
	return demo.AddCollections(ctx, s.stores.Collections)
}

// finishStart waits until searches cover the catalogue, adds the demo's past, and announces the server. Until then,
// /readyz of a demo answers 503.
func (s *App) finishStart(ctx context.Context, settings *Settings, out io.Writer) {
	if !await(ctx, s.caughtUp) {
		return
	}
	if settings.Demo && settings.DemoPast {
		if err := s.addPast(ctx); err != nil && ctx.Err() == nil {
			s.logger.ErrorContext(ctx, "the past of the demo is not complete", "error", err)
		}
	}
	s.filling.Store(false)
	s.announce(ctx, settings, out)
}

// addPast adds usage and searches of the demo's catalogue to an event log without events, counts them, and seals the
// months that are over. It does nothing on an operator's own catalogue.
func (s *App) addPast(ctx context.Context) error {
	if ours, err := demo.Contains(ctx, s.catalogue); err != nil || !ours {
		return err
	}
	now := time.Now()
	past := demo.Past{Events: s.stores.Events, Searches: s.stores.Queries, Fold: s.analyzer.Fold, Find: s.find, Now: now}
	added, err := past.Add(ctx)
	if err != nil || !added {
		return err
	}
	open := usage.MonthOf(event.InstantOf(now.Add(-usage.Grace)))
	for month := usage.MonthOf(event.InstantOf(past.Start())); month.Before(open); month = month.Next() {
		if _, err := s.usage.counter.Seal(ctx, month, false); err != nil {
			return err
		}
	}
	return nil
}

// find searches for a text without rights, filters and relaxed match levels.
func (s *App) find(ctx context.Context, text string) (found int, first catalogue.ID, err error) {
	result, err := s.indexes.index.Search(ctx, search.Query{
		Text: search.ParseText(text), Today: catalogue.DateOf(time.Now()), Size: 1,
	})
	if err != nil || result.Total == 0 {
		return 0, "", err
	}
	return result.Total, result.Refs[0].ID, nil
}

// caughtUp reports whether the search indexes contain every change of the catalogue and of the collections.
func (s *App) caughtUp(ctx context.Context) bool {
	head, err := s.catalogue.Head(ctx)
	if err != nil {
		return false
	}
	lists, err := s.stores.Collections.Head(ctx)
	if err != nil {
		return false
	}
	position, err := s.indexes.index.Position(ctx)
	if err != nil || !s.indexes.follower.Ready() || position < head {
		return false
	}
	position, err = s.indexes.collections.Position(ctx)
	return err == nil && s.indexes.collections.follower.Ready() && position >= lists
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
	if c.RestoreListPath(c.Data) == "" {
		logger.WarnContext(ctx, "no restore list is kept: a restored database would bring back what was forgotten or revoked since its backup", "setting", "--restore-list")
	}
	go c.paceCollector(ctx)
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			return fmt.Errorf("cannot listen on %s: address already in use by another process; stop it, or set --addr to another port", c.Addr)
		}
		return fmt.Errorf("cannot listen on %s: %w", c.Addr, err)
	}
	defer listener.Close()
	c.Addr = listener.Addr().String()

	obtained, err := c.acme(logger)
	if err != nil {
		return err
	}
	closeRedirects, err := c.serveRedirects(logger, obtained)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeRedirects()) }()

	service, err := Open(ctx, c, logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.close()) }()
	if err := service.serveMetrics(c.MetricsAddr, c.localHosts()); err != nil {
		return err
	}
	if c.Demo {
		if err := service.fillDemo(ctx); err != nil {
			return err
		}
		service.filling.Store(true)
	}
	service.whileOpen(ctx, func(ctx context.Context) { service.finishStart(ctx, c, out) })
	certificates := c.TLSSettings.config(logger)
	if obtained != nil {
		certificates = obtained.config()
		go obtained.obtain(ctx) // an order may outlast the shutdown, which does not wait for it
	}
	return c.listen(ctx, listener, service, certificates, logger)
}

// logFormatJSON is the value of --log-format with which the server prints nothing but JSON lines.
const logFormatJSON = "json"

// TakeLogs lets everything in this process that logs on its own, such as libraries, log to a writer in the format of
// the settings, and returns the logger. A program that runs only the server calls it.
func (c *Settings) TakeLogs(to io.Writer) *slog.Logger {
	logger := c.logger(to)
	slog.SetDefault(logger) // the package log, too
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { logger.Warn("telemetry failed", "error", err) }))
	otel.SetLogger(logr.FromSlogHandler(logger.Handler()))
	return logger
}

func (c *Settings) logger(to io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(c.LogLevel)) // kong accepts valid levels only
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == logFormatJSON {
		return slog.New(traced{slog.NewJSONHandler(to, options)})
	}
	return slog.New(traced{slog.NewTextHandler(to, options)})
}

// listen serves until the context ends; then it stops accepting connections and finishes the requests in progress.
func (c *Settings) listen(ctx context.Context, listener net.Listener, service *App, certificates *tls.Config, logger *slog.Logger) error {
	server := &http.Server{
		Handler:           service.handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       c.RequestTimeout + 10*time.Second,
		WriteTimeout:      max(c.RequestTimeout, streamTimeout) + 30*time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    1 << 20, // httpserver refuses far shorter ones, with the error body
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
		TLSConfig:         certificates,
	}
	server.RegisterOnShutdown(service.endStreams)
	failed := make(chan error, 1)
	go func() {
		if server.TLSConfig != nil {
			failed <- server.ServeTLS(listener, "", "")
			return
		}
		failed <- server.Serve(listener)
	}()
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
