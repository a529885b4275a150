// Package program builds and runs filmstrip as a separate process, for the tools that measure it.
package program

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Build builds filmstrip into a file, without C, as releases are built. It must run in a folder of this module two levels below the
// repository's root, as the tests of a tool do.
func Build(file string) error {
	build := exec.Command("go", "build", "-o", file, "./cmd/filmstrip")
	build.Dir = "../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, output)
	}
	return nil
}

// Process is a running server.
type Process struct {
	*os.Process
	// Base is the base URL that the server printed.
	Base string

	command *exec.Cmd
	ended   chan struct{}
}

// Start starts a server and returns when it has printed its base URL as the last word of a line, which filmstrip does
// once it can answer requests. Start consumes the standard output; the caller sets the other fields of the command.
func Start(command *exec.Cmd) (*Process, error) {
	output, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &Process{Process: command.Process, command: command, ended: make(chan struct{})}
	lines := bufio.NewScanner(output)
	for p.Base == "" && lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) > 0 && strings.HasPrefix(words[len(words)-1], "http://") {
			p.Base = words[len(words)-1]
		}
	}
	go func() {
		_, _ = io.Copy(io.Discard, output)
		_ = command.Wait()
		close(p.ended)
	}()
	if p.Base == "" {
		p.Stop()
		return nil, errors.New("the server ended before it printed its base URL")
	}
	return p, nil
}

// Await waits until the process has ended.
func (p *Process) Await() { <-p.ended }

// Stop kills the process and waits until it has ended.
func (p *Process) Stop() {
	_ = p.Kill() // fails if the process has ended already
	p.Await()
}

// Terminate lets the process finish its work, such as saving its index, and waits until it has ended.
func (p *Process) Terminate() error {
	err := p.Signal(syscall.SIGTERM)
	p.Await()
	return err
}

// ProcessorTime returns the processor time that the threads of the process have used so far. It requires Linux.
func (p *Process) ProcessorTime() (sum time.Duration, err error) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.Pid))
	if err != nil || len(files) == 0 {
		return 0, errors.Join(err, errors.New("the process has ended, or this system has no /proc/PID/task"))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread has ended
		}
		used, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(used, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		sum += time.Duration(nanoseconds)
	}
	return sum, nil
}

// Memory is the memory of a process, in bytes.
type Memory struct {
	// Resident is in the memory of the machine now, and Most was at any time.
	Resident, Most int64
	// Files is the part of Resident that maps files: the program, and the shared memory of databases.
	Files int64
}

// Memory returns the memory of the process. It requires Linux.
func (p *Process) Memory() (m Memory, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		return m, err
	}
	for name, into := range map[string]*int64{"VmRSS:": &m.Resident, "VmHWM:": &m.Most, "RssFile:": &m.Files} {
		_, after, _ := strings.Cut(string(status), name)
		if _, err := fmt.Sscan(after, into); err != nil {
			return m, fmt.Errorf("/proc/%d/status: %s %w", p.Pid, name, err)
		}
		*into <<= 10
	}
	return m, nil
}
