package testservers

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Talker is a program that reads lines and writes lines, such as a server of npm's that tests talk to.
type Talker struct {
	In io.Writer

	program *exec.Cmd
	close   func()
	lines   chan string // closed when it has ended
	faults  bytes.Buffer
	ending  sync.Once
}

const (
	// talkerPatience is how long a program may say nothing, talkerStarts how often it is started.
	talkerPatience = 20 * time.Second
	talkerStarts   = 3
)

// Talking starts a program and returns it with the line by which it says that it is ready; it ends with the test.
//
// Node 20 now and then waits for itself for good while it starts: its main thread and those of V8 sleep, and nothing
// is written ever. What says nothing is therefore killed and started anew.
func Talking(t testing.TB, command func() *exec.Cmd, ready func(line string) bool) (*Talker, string) {
	t.Helper()
	for range talkerStarts {
		p := startTalker(t, command())
		if line, ok := p.Line(ready); ok {
			return p, line
		}
		p.end()
		t.Logf("%s did not become ready: %s", p.program, &p.faults)
	}
	t.Fatalf("a program did not become ready, however often it was started")
	return nil, ""
}

func startTalker(t testing.TB, program *exec.Cmd) *Talker {
	t.Helper()
	p := &Talker{program: program, lines: make(chan string, 1000)}
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, told := io.Pipe()
	program.Stdout, program.Stderr, program.WaitDelay = told, &p.faults, time.Second
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	p.In, p.close = in, func() { _ = in.Close() }
	t.Cleanup(p.end)
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(out); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	go func() { _ = told.CloseWithError(program.Wait()) }()
	return p
}

// Line returns the next line that is wanted; false where none comes.
func (p *Talker) Line(wanted func(line string) bool) (string, bool) {
	late := time.NewTimer(talkerPatience)
	defer late.Stop()
	for {
		select {
		case line, more := <-p.lines:
			if !more || wanted(line) {
				return line, more
			}
		case <-late.C:
			return "", false
		}
	}
}

// end closes what the program reads, and kills it where that does not end it.
func (p *Talker) end() {
	p.ending.Do(func() {
		p.close()
		late := time.AfterFunc(5*time.Second, func() { _ = p.program.Process.Kill() })
		defer late.Stop()
		for range p.lines { // closed when it has gone
		}
	})
}
