package testservers_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

// echo starts a server that sends each line back.
func echo(t *testing.T) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer connection.Close()
				_, _ = io.Copy(connection, connection)
			}()
		}
	}()
	return listener.Addr().String()
}

type caller struct {
	net.Conn
	answers *bufio.Reader
}

func call(t *testing.T, addr string) *caller {
	t.Helper()
	connection, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return &caller{connection, bufio.NewReader(connection)}
}

// ask sends the given number of lines at once and reads as many.
func (c *caller) ask(lines int, patience time.Duration) error {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	var text []byte
	for i := range lines {
		text = fmt.Appendln(text, i)
	}
	if _, err := c.Write(text); err != nil {
		return err
	}
	for i := range lines {
		line, err := c.answers.ReadString('\n')
		if err != nil {
			return err
		}
		if want := fmt.Sprintln(i); line != want {
			return fmt.Errorf("got %q, want %q", line, want)
		}
	}
	return nil
}

func TestLinkCountsRoundTrips(t *testing.T) {
	t.Parallel()
	link := testservers.NewLink(t, echo(t))
	caller := call(t, link.Addr)
	for _, lines := range []int{1, 100, 1} {
		if err := caller.ask(lines, 10*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if got := link.RoundTrips(); got != 3 {
		t.Errorf("%d round trips, not 3", got)
	}
}

func TestLinkSevered(t *testing.T) {
	t.Parallel()
	link := testservers.NewLink(t, echo(t))
	open := call(t, link.Addr)
	if err := open.ask(1, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	link.Sever()
	if err := open.ask(1, 10*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("an open connection: %v, want its end", err)
	}
	if _, err := net.DialTimeout("tcp", link.Addr, time.Second); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a new connection: %v", err)
	}
	link.Restore()
	if err := call(t, link.Addr).ask(1, 10*time.Second); err != nil {
		t.Errorf("mended: %v", err)
	}
}

func TestLinkHangs(t *testing.T) {
	t.Parallel()
	link := testservers.NewLink(t, echo(t))
	before := call(t, link.Addr)
	if err := before.ask(1, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	link.Hang()
	during := call(t, link.Addr)
	for _, caller := range []*caller{before, during} {
		if err := caller.ask(1, 50*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a hanging link: %v", err)
		}
	}
	link.Restore()
	for _, caller := range []*caller{before, during} {
		if err := caller.ask(1, 10*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a connection that hung: %v, want its end", err)
		}
	}
	if err := call(t, link.Addr).ask(1, 10*time.Second); err != nil {
		t.Errorf("mended: %v", err)
	}
}

func TestLinkSlow(t *testing.T) {
	t.Parallel()
	link := testservers.NewLink(t, echo(t))
	caller := call(t, link.Addr)
	const delay = 60 * time.Millisecond
	link.Slow(delay)
	began := time.Now()
	if err := caller.ask(1, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 2*delay {
		t.Errorf("there and back in %v, want at least %v", took, 2*delay)
	}
}

// TestLinkWithoutServer checks that a link closes connections if its server is down.
func TestLinkWithoutServer(t *testing.T) {
	t.Parallel()
	s := testservers.Redis(t)
	link := testservers.NewLink(t, s.Addr)
	s.Kill()
	if err := call(t, link.Addr).ask(1, 10*time.Second); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want the connection's end", err)
	}
}
