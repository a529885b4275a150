//go:build system

package crash_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// eventsFile is the name of the event log in a data directory.
const eventsFile = "events.db"

// publicBase is the URL of a load balancer in front of all processes, so that they accept one another's tokens.
const publicBase = "http://filmstrip.example"

// server is one process, started any number of times at the same address and on the same data.
type server struct {
	base      string
	arguments []string
	binary    string

	process *exec.Cmd
	ended   chan struct{}
	log     bytes.Buffer // of the current process; read after it has ended
}

// fleet is all processes on one store.
type fleet struct {
	folder  string
	servers []*server
}

// startFleet starts the processes one after the other, because the first fills the catalogue.
func startFleet(ctx context.Context, s settings) (*fleet, error) {
	folder, err := os.MkdirTemp("", "filmstrip-crash-")
	if err != nil {
		return nil, err
	}
	f := &fleet{folder: folder}
	for i := range s.processes {
		one, err := newServer(s, f.data(i))
		if err == nil {
			f.servers = append(f.servers, one)
			err = one.start(ctx)
		}
		if err != nil {
			f.stop()
			return nil, err
		}
	}
	return f, nil
}

func (f *fleet) data(server int) string { return filepath.Join(f.folder, fmt.Sprint("data-", server)) }

// stop kills all processes and removes their files.
func (f *fleet) stop() {
	f.kill()
	_ = os.RemoveAll(f.folder)
}

func (f *fleet) kill() {
	var dying sync.WaitGroup
	for _, one := range f.servers {
		dying.Go(one.kill)
	}
	dying.Wait()
}

func newServer(s settings, data string) (*server, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		return nil, err
	}
	arguments := []string{"serve", "--demo", "--no-demo-past", "--addr", address, "--base-url", publicBase, "--data", data, "--log-level", "warn"}
	if s.store != "" {
		arguments = append(arguments, "--store", s.store)
	}
	return &server{base: "http://" + address, binary: s.binary, arguments: arguments}, nil
}

// start starts the process and waits until it is ready.
func (s *server) start(ctx context.Context) error {
	if err := s.launch(); err != nil {
		return err
	}
	return s.awaitReady(ctx)
}

func (s *server) launch() error {
	s.log.Reset()
	s.process = exec.Command(s.binary, s.arguments...)
	s.process.Stderr = &s.log
	if err := s.process.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	process := s.process
	go func() { _ = process.Wait(); close(ended) }()
	s.ended = ended
	return nil
}

const startPatience = time.Minute

func (s *server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.base+"/readyz", nil)
		if err != nil {
			return err
		}
		response, err := http.DefaultClient.Do(request)
		if err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server has ended: %s", strings.TrimSpace(s.log.String()))
		case <-ctx.Done():
			return errors.Join(errors.New("the server does not become ready"), ctx.Err(), err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// kill ends the process without any warning.
func (s *server) kill() {
	if s.process == nil || s.process.Process == nil {
		return
	}
	_ = s.process.Process.Kill() // fails if the process has ended already
	<-s.ended
}
