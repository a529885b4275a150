package testservers

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Link is a TCP connection to a server that a test can cut, hang and slow down.
type Link struct {
	Addr string // HOST:PORT that clients dial instead of the server's

	t      testing.TB
	server string

	mu       sync.Mutex
	listener net.Listener
	pairs    map[*pair]bool
	hanging  bool

	delay      atomic.Int64 // nanoseconds
	roundTrips atomic.Int64
}

// pair is a client's connection and the one to the server that stands for it.
type pair struct {
	client, server net.Conn    // server is nil while the link hangs
	hung           atomic.Bool // what comes is swallowed
	asked          atomic.Bool // the client has sent something since the server last answered
}

// Cut puts a link in front of a server, HOST:PORT. It ends with the test.
func Cut(t testing.TB, addr string) *Link {
	t.Helper()
	listener, err := net.Listen("tcp", onlyThisMachine+":0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Link{Addr: listener.Addr().String(), t: t, server: addr, listener: listener, pairs: map[*pair]bool{}}
	go l.accept(listener)
	t.Cleanup(l.Sever)
	return l
}

// Sever drops all connections and refuses new ones.
func (l *Link) Sever() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.listener != nil {
		_ = l.listener.Close() // nothing is lost by what was not accepted
		l.listener = nil
	}
	l.dropAll()
}

// Hang lets clients connect and send, and answers nothing.
func (l *Link) Hang() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.hanging = true
	for p := range l.pairs {
		p.hung.Store(true)
	}
}

// Slow delays what is sent in either direction; 0: no more.
func (l *Link) Slow(delay time.Duration) { l.delay.Store(int64(delay)) }

// Mend undoes Sever, Hang and Slow. Connections that hung are dropped, as bytes of theirs are lost.
func (l *Link) Mend() {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay.Store(0)
	if l.hanging {
		l.hanging = false
		l.dropAll()
	}
	if l.listener == nil {
		listener, err := net.Listen("tcp", l.Addr)
		if err != nil {
			l.t.Fatal(err)
		}
		l.listener = listener
		go l.accept(listener)
	}
}

// Connections counts the clients that are connected now.
func (l *Link) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pairs)
}

// RoundTrips counts, since the link was made, how often a server answered after a client had sent
// something: requests that are sent together, before the first answer, count once. A connection's
// greeting and log-in count too; what tests compare is a difference.
func (l *Link) RoundTrips() int { return int(l.roundTrips.Load()) }

func (l *Link) accept(listener net.Listener) {
	for {
		client, err := listener.Accept()
		if err != nil {
			return // it was closed
		}
		go l.serve(listener, client)
	}
}

func (l *Link) serve(listener net.Listener, client net.Conn) {
	p := l.join(listener, client)
	if p == nil {
		return
	}
	defer l.drop(p)
	if p.server == nil {
		_, _ = io.Copy(io.Discard, client) // until the client, or Mend, has enough
		return
	}
	ended := make(chan struct{}, 2)
	go func() { l.carry(p, p.client, p.server, l.heardClient); ended <- struct{}{} }()
	go func() { l.carry(p, p.server, p.client, l.heardServer); ended <- struct{}{} }()
	<-ended
}

// join makes a pair of a client's connection, nil where the link has been severed meanwhile or the
// server is away.
func (l *Link) join(listener net.Listener, client net.Conn) *pair {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := &pair{client: client}
	if !l.hanging {
		server, err := net.DialTimeout("tcp", l.server, time.Second)
		if err != nil {
			_ = client.Close()
			return nil
		}
		p.server = server
	}
	if l.listener != listener {
		p.reset()
		return nil
	}
	l.pairs[p] = true
	return p
}

func (l *Link) heardClient(p *pair) { p.asked.Store(true) }

func (l *Link) heardServer(p *pair) {
	if p.asked.Swap(false) {
		l.roundTrips.Add(1)
	}
}

// carry copies from one side to the other, each piece after the delay that held when it came, until
// either side ends.
func (l *Link) carry(p *pair, from, to net.Conn, heard func(*pair)) {
	type piece struct {
		due  time.Time
		text []byte
	}
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			buffer := make([]byte, 64<<10)
			n, err := from.Read(buffer)
			if n > 0 && !p.hung.Load() {
				heard(p)
				pieces <- piece{time.Now().Add(time.Duration(l.delay.Load())), buffer[:n]}
			}
			if err != nil {
				return
			}
		}
	}()
	var failed error
	for one := range pieces {
		time.Sleep(time.Until(one.due))
		if failed == nil && !p.hung.Load() {
			_, failed = to.Write(one.text)
		}
	}
}

func (l *Link) drop(p *pair) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.pairs, p)
	p.close()
}

func (l *Link) dropAll() {
	for p := range l.pairs {
		delete(l.pairs, p)
		p.reset()
	}
}

// close ends both connections as their ends would: what was sent before still arrives.
func (p *pair) close() {
	_ = p.client.Close() // one side has ended, or both: there is nobody to tell
	if p.server != nil {
		_ = p.server.Close()
	}
}

// reset ends both connections at once.
func (p *pair) reset() {
	for _, side := range []net.Conn{p.client, p.server} {
		if tcp, ok := side.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // fails where it has been closed already
		}
	}
	p.close()
}
