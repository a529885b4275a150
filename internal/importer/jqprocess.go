package importer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// A jq program can request any amount of memory in one step, as in "x" * 1e10, before a check in this process could
// intervene. So it runs in processes of its own whose memory the system limits: one that needs more dies, and only the
// record in progress is lost.

// DefaultJQMemory is in bytes, per process. The runtime allocates memory 64 MiB at a time, and about 100 MiB for itself.
const DefaultJQMemory = 512 << 20

// jqSetup is the first message to a process.
type jqSetup struct {
	Name, Program string
	Time          time.Duration
	Memory        int64
}

// jqRecord is a record for a process.
type jqRecord struct {
	Text []byte
	File string
	Line int
}

// jqProcesses run a program in as many processes as there are processors.
type jqProcesses struct {
	command []string
	setup   jqSetup
	// idle holds a slot for each process; nil means that it has not started, or has ended.
	idle chan *jqProcess
}

func newJQProcesses(command []string, setup jqSetup) *jqProcesses {
	p := &jqProcesses{command: command, setup: setup, idle: make(chan *jqProcess, runtime.GOMAXPROCS(0))}
	for range cap(p.idle) {
		p.idle <- nil
	}
	return p
}

// close ends the processes. No record may be in progress.
func (p *jqProcesses) close() {
	for range cap(p.idle) {
		if process := <-p.idle; process != nil {
			_ = process.end()
		}
	}
}

// translate lets a process make lines of a record.
func (p *jqProcesses) translate(ctx context.Context, l line, emit func(output)) {
	process := <-p.idle
	defer func() { p.idle <- process }()
	if process == nil {
		var err error
		if process, err = p.start(); err != nil {
			emit(output{Problem: "jq: " + err.Error()})
			return
		}
	}
	limited, cancel := context.WithTimeout(ctx, p.setup.Time+jqGrace)
	defer cancel()
	err := process.ask(limited, jqRecord{l.text, l.file, l.line}, emit)
	if err == nil {
		return
	}
	tooLong := errors.Is(limited.Err(), context.DeadlineExceeded)
	ended := process.end()
	switch {
	case ctx.Err() != nil:
		emit(output{Problem: "jq: " + ctx.Err().Error()})
	case tooLong:
		emit(output{Problem: tookTooLong(p.setup.Time)})
	case process.lackedMemory():
		emit(output{Problem: fmt.Sprintf("jq: needs more than %d MiB of memory", p.setup.Memory>>20)})
	default:
		emit(output{Problem: fmt.Sprintf("jq: its process ended: %v: %.200s", errors.Join(ended, err), process.complaints.String())})
	}
	process = nil
}

// jqGrace is how much longer than its time limit a step of the program may take before its process is killed; between
// steps, the program stops on its own.
const jqGrace = 2 * time.Second

// jqProcess is one process.
type jqProcess struct {
	command    *exec.Cmd
	input      io.Closer
	records    *gob.Encoder
	outputs    *gob.Decoder
	complaints head
}

func (p *jqProcesses) start() (*jqProcess, error) {
	started := &jqProcess{command: exec.Command(p.command[0], p.command[1:]...)}
	input, err := started.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	found, err := started.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	started.command.Stderr = &started.complaints
	if err := started.command.Start(); err != nil {
		return nil, err
	}
	started.input, started.records, started.outputs = input, gob.NewEncoder(input), gob.NewDecoder(bufio.NewReader(found))
	if err := started.records.Encode(p.setup); err != nil {
		return nil, errors.Join(err, started.end())
	}
	return started, nil
}

// ask sends a record and passes on the results. After an error, the process is unusable.
func (p *jqProcess) ask(ctx context.Context, record jqRecord, emit func(output)) error {
	defer context.AfterFunc(ctx, func() { _ = p.command.Process.Kill() })()
	if err := p.records.Encode(record); err != nil {
		return err
	}
	for {
		var made output
		if err := p.outputs.Decode(&made); err != nil {
			return err
		}
		if made.Last {
			return nil
		}
		emit(made)
	}
}

// end closes the input, which ends the process, or kills a busy one.
func (p *jqProcess) end() error {
	_ = p.input.Close()
	timer := time.AfterFunc(jqGrace, func() { _ = p.command.Process.Kill() })
	defer timer.Stop()
	return p.command.Wait()
}

// lackedMemory reports whether the process, which has ended, ran out of memory. The runtime then crashes in many ways,
// depending on where it meets the limit; a fault of the program itself is a panic.
func (p *jqProcess) lackedMemory() bool {
	text := p.complaints.String()
	itself := strings.HasPrefix(text, "panic: ") || strings.HasPrefix(text, "filmstrip: ")
	return text != "" && !itself || strings.Contains(text, "len out of range")
}

// head keeps the beginning of the bytes written to it.
type head struct{ bytes.Buffer }

func (h *head) Write(b []byte) (int, error) {
	h.Buffer.Write(b[:min(len(b), max(0, 4096-h.Len()))])
	return len(b), nil
}

// ServeJQ runs in a process that Options.JQCommand starts: it reads a program and records, and writes the program's
// outputs for each, until in ends.
func ServeJQ(ctx context.Context, in io.Reader, out io.Writer) error {
	records, buffer := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	var setup jqSetup
	if err := records.Decode(&setup); err != nil {
		return fmt.Errorf("this command serves filmstrip import: %w", err)
	}
	if err := boundMemory(setup.Memory); err != nil {
		return err
	}
	// Near the limit, collect garbage more often.
	debug.SetMemoryLimit(setup.Memory / 2)
	program, err := compile(setup.Name, setup.Program, setup.Time)
	if err != nil {
		return err
	}
	outputs := gob.NewEncoder(buffer)
	for {
		var record jqRecord
		if err := records.Decode(&record); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var failed error
		program.run(ctx, record.Text, record.File, record.Line, func(o output) {
			if failed == nil {
				failed = outputs.Encode(o)
			}
		})
		if failed = errors.Join(failed, outputs.Encode(output{Last: true}), buffer.Flush()); failed != nil {
			return failed
		}
	}
}

// JQCommand returns the command line of this program whose subcommand calls ServeJQ.
func JQCommand(name string) ([]string, error) {
	self, err := os.Executable()
	return []string{self, name}, err
}
