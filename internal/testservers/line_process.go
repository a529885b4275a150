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

// LineProcess is a program that reads and writes lines, such as an npm server that tests talk to.
type LineProcess struct {
	In io.Writer

	program *exec.Cmd
	close   func()
	lines   chan string // closed when the program has ended
	faults  bytes.Buffer
	ending  sync.Once
}

const (
	// lineTimeout is how long a program may write nothing, lineProcessStarts how often it is started.
	lineTimeout       = 20 * time.Second
	lineProcessStarts = 3
)

// StartLineProcess starts a program and returns it with the line that reports that it is ready. The program ends with the test.
//
// Node 20 occasionally deadlocks while it starts: its main thread and those of V8 sleep, and it never writes anything.
// So StartLineProcess kills a silent program and starts it again.
func StartLineProcess(t testing.TB, command func() *exec.Cmd, ready func(line string) bool) (*LineProcess, string) {
	t.Helper()
	for range lineProcessStarts {
		p := startLineProcess(t, command())
		if line, ok := p.Line(ready); ok {
			return p, line
		}
		p.end()
		t.Logf("%s did not become ready: %s", p.program, &p.faults)
	}
	t.Fatalf("a program did not become ready in %d attempts", lineProcessStarts)
	return nil, ""
}

func startLineProcess(t testing.TB, program *exec.Cmd) *LineProcess {
	t.Helper()
	p := &LineProcess{program: program, lines: make(chan string, 1000)}
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	reader, writer := io.Pipe()
	program.Stdout, program.Stderr, program.WaitDelay = writer, &p.faults, time.Second
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	p.In, p.close = in, func() { _ = in.Close() }
	t.Cleanup(p.end)
	go func() {
		defer close(p.lines)
		for scanner := bufio.NewScanner(reader); scanner.Scan(); {
			p.lines <- scanner.Text()
		}
	}()
	go func() { _ = writer.CloseWithError(program.Wait()) }()
	return p
}

// Line returns the next line that wanted accepts, or false if none arrives in time.
func (p *LineProcess) Line(wanted func(line string) bool) (string, bool) {
	late := time.NewTimer(lineTimeout)
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

// end closes the program's input, and kills the program if it does not end.
func (p *LineProcess) end() {
	p.ending.Do(func() {
		p.close()
		late := time.AfterFunc(5*time.Second, func() { _ = p.program.Process.Kill() })
		defer late.Stop()
		for range p.lines { // closed when the program has ended
		}
	})
}
