package testservers

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Link is a TCP connection to a server that a test can cut, hang and slow down. Toxiproxy causes the faults; a relay
// between toxiproxy and the server counts round trips.
type Link struct {
	Addr string // HOST:PORT that clients dial instead of the server's

	t          testing.TB
	roundTrips atomic.Int64

	mu      sync.Mutex
	proxy   *toxiproxy.Proxy
	hanging bool
}

var toxics = toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())

// NewLink puts a link in front of a server, HOST:PORT. The link ends with the test.
func NewLink(t testing.TB, addr string) *Link {
	t.Helper()
	relay, err := net.Listen("tcp", onlyThisMachine+":0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{t: t, proxy: toxiproxy.NewProxy(toxics, t.Name(), FreeAddress(t), relay.Addr().String())}
	go l.relay(relay, addr)
	t.Cleanup(func() { _ = relay.Close() })
	if err := l.proxy.Start(); err != nil {
		t.Fatal(err)
	}
	l.Addr = l.proxy.Listen
	t.Cleanup(l.Sever)
	return l
}

// Sever drops all connections and refuses new ones.
func (l *Link) Sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proxy.Stop()
}

// Hang lets clients connect and send, but discards all bytes.
func (l *Link) Hang() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hanging = true
	l.add("timeout", `{"timeout": 0}`)
}

// Slow delays bytes in both directions; 0 ends the delay.
func (l *Link) Slow(delay time.Duration) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proxy.Toxics.ResetToxics(context.Background())
	if delay > 0 {
		l.add("latency", fmt.Sprintf(`{"latency": %d}`, delay.Milliseconds()))
	}
}

func (l *Link) add(kind, attributes string) {
	l.t.Helper()
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"name": %q, "type": %q, "stream": %q, "attributes": %s}`, kind+stream, kind, stream, attributes)
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			l.t.Error(err)
		}
	}
}

// Restore undoes Sever, Hang and Slow. It drops connections that hung, because they have lost bytes.
func (l *Link) Restore() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hanging {
		l.proxy.Stop()
		l.hanging = false
	}
	l.proxy.Toxics.ResetToxics(context.Background())
	if !l.proxy.Enabled {
		if err := l.proxy.Start(); err != nil {
			l.t.Error(err)
		}
	}
}

// RoundTrips returns how often a server has answered after a client sent something. Requests that a client sends
// before the first answer count as one. Greetings and logins count, so tests compare differences.
func (l *Link) RoundTrips() int { return int(l.roundTrips.Load()) }

func (l *Link) relay(listener net.Listener, addr string) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // the test has ended
		}
		go func() {
			defer client.Close()
			server, err := net.DialTimeout("tcp", addr, time.Second)
			if err != nil {
				return
			}
			defer server.Close()
			var asked atomic.Bool
			ended := make(chan struct{}, 2)
			forward := func(to net.Conn, from observedConn) {
				// Without ReadFrom, the copy uses the buffer, which has room for the longest request that a test counts.
				_, _ = io.CopyBuffer(struct{ io.Writer }{to}, from, make([]byte, 1<<20))
				ended <- struct{}{}
			}
			go forward(server, observedConn{coalescingConn{client}, func() { asked.Store(true) }})
			go forward(client, observedConn{server, func() {
				if asked.Swap(false) {
					l.roundTrips.Add(1)
				}
			}})
			<-ended
		}()
	}
}

// coalescingConn reads all that a client has sent at once: toxiproxy may pass a request on in parts, and a server may answer the
// first part before the second arrives.
type coalescingConn struct{ net.Conn }

func (g coalescingConn) Read(buffer []byte) (n int, err error) {
	const pause = 5 * time.Millisecond // between two parts of a request, at most
	n, err = g.Conn.Read(buffer)
	for err == nil && n < len(buffer) {
		if err := g.SetReadDeadline(time.Now().Add(pause)); err != nil {
			return n, err
		}
		more, late := g.Conn.Read(buffer[n:])
		n += more
		if late != nil {
			break // the request is whole, or the next read returns the error
		}
	}
	_ = g.SetReadDeadline(time.Time{})
	return n, err
}

// observedConn calls a function whenever bytes arrive.
type observedConn struct {
	io.Reader
	arrived func()
}

func (o observedConn) Read(buffer []byte) (int, error) {
	n, err := o.Reader.Read(buffer)
	if n > 0 {
		o.arrived()
	}
	return n, err
}
