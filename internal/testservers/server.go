package testservers

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a server on 127.0.0.1, or a test's part of a shared one.
type Server struct {
	URL    string // what clients are given: redis://…, postgres://… with user, password and database, http://…
	Addr   string // HOST:PORT
	Key    string // Typesense: its API key with all permissions
	Prefix string // shared Redis and Typesense: the prefix of all names that the test uses
	CAFile string // with TLS: the certificate of the authority that signed the server's

	Ballast string // with SmallDisk: an empty file on that disk, which a test may extend and truncate

	Nodes     []*Server // of a cluster: all servers; the first one holds this list
	Replica   *Server   // with Replica and Sentinel: the replica of this server
	Sentinels []*Server // with Sentinel: the processes that watch this server and its replica

	t       testing.TB // the test that owns it; nil: it is shared
	program program
	folder  string // of its log and data
	disk    *disk  // nil: its data is in its folder
	home    string // removed at the end; "": another server of its cluster has the folder

	mu      sync.Mutex
	process *process
}

// program is how a server is run, any number of times on the same port and the same data.
type program struct {
	name    string
	command func() *exec.Cmd // a new one for each start
	answers func(ctx context.Context, pid int) error
	stop    syscall.Signal // asks for an orderly shutdown
}

// begin starts the process of the server.
func (s *Server) begin() error {
	process, err := startProcess(s.program.command(), filepath.Join(s.folder, "log"))
	if err != nil {
		return fmt.Errorf("testservers: start %s: %w", s.program.name, err)
	}
	s.process = process
	return nil
}

// await waits until the server answers.
func (s *Server) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience*time.Second)
	defer cancel()
	for {
		once, cancelOnce := context.WithTimeout(ctx, 5*time.Second)
		err := s.program.answers(once, s.process.pid())
		cancelOnce()
		switch {
		case !s.process.running():
			return fmt.Errorf("testservers: %w: %s: %s", errEnded, s.program.name, s.process.logTail())
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return fmt.Errorf("testservers: %s does not answer: %w: %s", s.program.name, err, s.process.logTail())
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// errEnded means that a server has ended before it answered, perhaps because another process took its port.
var errEnded = errors.New("the server has ended")

// launch makes a server by build, in a new folder, and starts it, together with those that build made
// its Nodes. Between finding a free port and listening on it, another process may take it: then all is
// done again.
func launch(kind string, build func(folder string) (*Server, error)) (*Server, error) {
	for attempt := 1; ; attempt++ {
		folder, err := newFolder(kind)
		if err != nil {
			return nil, err
		}
		s, err := build(folder)
		if err != nil {
			return nil, errors.Join(err, os.RemoveAll(folder))
		}
		s.home = folder
		err = startAll(s.members())
		if err == nil {
			return s, nil
		}
		err = errors.Join(err, s.removeAll())
		if attempt == 3 || !errors.Is(err, errEnded) {
			return nil, err
		}
	}
}

// startAll starts servers and waits until all of them answer; those of a cluster may need one another.
func startAll(servers []*Server) error {
	for _, one := range servers {
		if err := one.begin(); err != nil {
			return err
		}
	}
	for _, one := range servers {
		if err := one.await(); err != nil {
			return err
		}
	}
	return nil
}

// members lists a server and those that were started with it.
func (s *Server) members() []*Server {
	all := []*Server{s}
	if len(s.Nodes) > 0 {
		all = append(all, s.Nodes[1:]...)
	}
	if s.Replica != nil {
		all = append(all, s.Replica)
	}
	return append(all, s.Sentinels...)
}

// Addrs lists where clients of several servers begin: the sentinels, or the nodes of the cluster, or
// the one server; each HOST:PORT.
func (s *Server) Addrs() []string {
	servers := s.Sentinels
	if len(servers) == 0 {
		servers = s.Nodes
	}
	if len(servers) == 0 {
		servers = []*Server{s}
	}
	var addrs []string
	for _, one := range servers {
		addrs = append(addrs, one.Addr)
	}
	return addrs
}

// removeAll ends the server and those that were started with it, and removes their data.
func (s *Server) removeAll() error {
	var errs []error
	for _, one := range s.members() {
		errs = append(errs, one.end())
	}
	for _, one := range s.members() {
		if one.home != "" {
			errs = append(errs, os.RemoveAll(one.home))
		}
	}
	return errors.Join(errs...)
}

func (s *Server) end() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return s.disk.end()
	}
	return errors.Join(s.process.kill(), s.disk.end())
}

// Kill ends the server as a loss of power would, and returns when it is gone.
func (s *Server) Kill() {
	s.fault("Kill", func() error { return s.process.kill() })
}

// Stop ends the server in order, and returns when it is gone. A paused one would never be.
func (s *Server) Stop() {
	s.fault("Stop", func() error { return s.process.stop(s.program.stop) })
}

// Start starts a server that was killed or stopped again, on the same port with the same data, and
// returns when it answers. Typesense answers before its documents are back.
func (s *Server) Start() {
	s.fault("Start", func() error {
		if s.process.running() {
			return errors.New("testservers: the server is running")
		}
		if err := s.begin(); err != nil {
			return err
		}
		return s.await()
	})
}

// Pause keeps all processes of the server from running: connections stay, nothing is answered.
func (s *Server) Pause() {
	s.fault("Pause", func() error {
		if !s.process.running() {
			return errEnded
		}
		s.process.freeze()
		return nil
	})
}

// Resume lets a paused server run on.
func (s *Server) Resume() {
	s.fault("Resume", func() error {
		if !s.process.running() {
			return errEnded
		}
		s.process.thaw()
		return nil
	})
}

// Ended reports whether the server has been killed or stopped, or has ended by itself.
func (s *Server) Ended() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.process.running()
}

// PID is the process of the server, the first one of several.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process.pid()
}

func (s *Server) fault(name string, do func() error) {
	if s.t == nil {
		panic("testservers: " + name + " on a shared server, which other tests use")
	}
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := do(); err != nil {
		s.t.Fatalf("%s: %v", name, err)
	}
}

var (
	portsMu sync.Mutex
	ports   = map[int]bool{}
)

// The ports of servers and links are below those that systems give to clients. A server or link that is down keeps its port:
// no client can take it in the meantime.
const firstPort, lastPort = 20_000, 32_000

// freePort finds a port that nothing listens on, and that was not found before.
func freePort() (int, error) {
	portsMu.Lock()
	defer portsMu.Unlock()
	taken := errors.New("no port is free")
	for range 100 {
		port := firstPort + rand.IntN(lastPort-firstPort) //nolint:gosec // a port need not be secret
		listener, err := net.Listen("tcp", address(port))
		if err != nil {
			taken = err
			continue
		}
		if err := listener.Close(); err != nil {
			return 0, err
		}
		if !ports[port] {
			ports[port] = true
			return port, nil
		}
	}
	return 0, taken
}

// FreeAddress returns a loopback address with a port that nothing listens on.
func FreeAddress(t testing.TB) string {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return address(port)
}

func address(port int) string { return net.JoinHostPort(onlyThisMachine, strconv.Itoa(port)) }
