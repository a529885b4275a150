// Package refusallog logs refused credentials, one bounded line each, for programs such as fail2ban.
package refusallog

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/filmstrip/filmstrip/fault"
)

const (
	// Message is the message of every line about a refusal.
	Message = "authentication refused"
	// OmittedMessage is the message of the line that counts the omitted lines.
	OmittedMessage = "lines about refused authentication were omitted"

	// MaxLines is the maximum number of lines in each Window.
	MaxLines = 600
	// MaxLinesOfAddress is the maximum number of lines about one address in each Window.
	MaxLinesOfAddress = 20
	// Window is the time for which lines are counted.
	Window = time.Minute
)

// Config configures a Log.
type Config struct {
	Logger *slog.Logger
	// AddressOf returns the network address of a caller; the zero address: it is unknown.
	AddressOf func(*http.Request) netip.Addr
	// Addresses reports whether lines name the address.
	Addresses bool
	// Window is for tests; 0 means Window.
	Window time.Duration
}

// Log writes a line for each refusal, up to MaxLines in a Window, and then one that counts the omitted lines. It is safe
// for concurrent use.
type Log struct {
	config Config

	mu      sync.Mutex
	ends    time.Time // of the current window
	lines   int
	of      map[netip.Addr]int
	omitted int
	timer   *time.Timer // set while lines are omitted
}

// New returns a Log. The caller must call Close.
func New(config Config) *Log {
	if config.Window == 0 {
		config.Window = Window
	}
	return &Log{config: config, of: map[netip.Addr]int{}}
}

// Refused logs that the credentials of a request were refused. reason is one word that the program chose. client is the
// ID that the caller sent, which may be anything; "" if there is none. The fields that callers choose follow those that
// they cannot choose, so that a pattern that begins at the start of the line never matches a caller's text.
func (l *Log) Refused(r *http.Request, reason, client string) {
	address := l.config.AddressOf(r)
	if !l.take(address) {
		return
	}
	fields := []slog.Attr{slog.String("reason", reason)}
	if l.config.Addresses && address.IsValid() {
		fields = append(fields, slog.String("address", address.String()))
	}
	if client != "" {
		fields = append(fields, slog.String("client", bounded(client)))
	}
	l.config.Logger.LogAttrs(r.Context(), slog.LevelWarn, Message, append(fields, slog.String("path", bounded(r.URL.Path)))...)
}

// take reports whether a line about an address may be written, and counts it.
func (l *Log) take(address netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := time.Now(); !now.Before(l.ends) {
		l.flush()
		l.ends, l.lines = now.Add(l.config.Window), 0
		clear(l.of)
	}
	if l.lines >= MaxLines || l.of[address] >= MaxLinesOfAddress {
		if l.omitted++; l.timer == nil {
			l.timer = time.AfterFunc(time.Until(l.ends), func() {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.flush()
			})
		}
		return false
	}
	l.lines++
	l.of[address]++
	return true
}

// flush logs how many lines were omitted, if any.
func (l *Log) flush() {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	if l.omitted > 0 {
		l.config.Logger.Warn(OmittedMessage, "lines", l.omitted)
		l.omitted = 0
	}
}

// Close logs how many lines were omitted since the last count.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return nil
}

// bounded returns valid UTF-8 of bounded length. The longest valid client ID has 64 bytes, so no such ID is shortened.
func bounded(text string) string {
	return strings.ToValidUTF8(fault.Shorten(text), "\uFFFD")
}
