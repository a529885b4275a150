package testservers

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// process is one run of a server.
type process struct {
	command *exec.Cmd
	gone    chan struct{} // closed when it has been waited for
	log     string
}

func startProcess(command *exec.Cmd, log string) (*process, error) {
	file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, rightsOfTextFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	command.Stdout, command.Stderr = file, file
	if err := start(command); err != nil {
		return nil, err
	}
	p := &process{command: command, gone: make(chan struct{}), log: log}
	go func() {
		_ = command.Wait() // the log shows how it ended
		close(p.gone)
	}()
	return p, nil
}

func (p *process) pid() int { return p.command.Process.Pid }

func (p *process) running() bool {
	select {
	case <-p.gone:
		return false
	default:
		return true
	}
}

// logTail returns the end of the log.
func (p *process) logTail() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// kill ends the process and its children at once, and waits until they are gone, because a server started earlier on
// the same data would crash.
func (p *process) kill() error {
	if !p.running() {
		return nil
	}
	children := p.freeze()
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGKILL) // it may have ended already
	}
	_ = syscall.Kill(p.pid(), syscall.SIGKILL)
	return p.awaitEnd(children)
}

// stop asks the process to end, and waits until it has.
func (p *process) stop(signal syscall.Signal) error {
	if !p.running() {
		return nil
	}
	children := childrenOf(p.pid())
	if err := syscall.Kill(p.pid(), signal); err != nil {
		return err
	}
	return p.awaitEnd(children)
}

func (p *process) awaitEnd(children []int) error {
	deadline := time.Now().Add(patience * time.Second)
	select {
	case <-p.gone:
	case <-time.After(time.Until(deadline)):
		return fmt.Errorf("testservers: %s does not end: %s", p.command.Path, p.logTail())
	}
	for _, child := range children {
		for alive(child) {
			if time.Now().After(deadline) {
				return fmt.Errorf("testservers: a child of %s does not end", p.command.Path)
			}
			time.Sleep(time.Millisecond)
		}
	}
	return nil
}

// freeze stops the process, then its children, and returns these. The process comes first because it could start more
// of them.
func (p *process) freeze() []int {
	_ = syscall.Kill(p.pid(), syscall.SIGSTOP)
	awaitStopped(p.pid())
	children := childrenOf(p.pid())
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGSTOP)
		awaitStopped(child)
	}
	return children
}

func (p *process) thaw() {
	for _, child := range childrenOf(p.pid()) {
		_ = syscall.Kill(child, syscall.SIGCONT)
	}
	_ = syscall.Kill(p.pid(), syscall.SIGCONT)
}

// childrenOf lists the children of a process. A process group would not do, because PostgreSQL's children lead groups
// of their own.
func childrenOf(parent int) []int {
	var children []int
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is valid
	for _, file := range files {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			continue
		}
		if _, itsParent := stat(pid); itsParent == parent {
			children = append(children, pid)
		}
	}
	return children
}

// alive reports whether a process exists and has not ended; a zombie has.
func alive(pid int) bool {
	state, _ := stat(pid)
	return state != 0 && state != 'Z' && state != 'X'
}

// awaitStopped waits until a process that received SIGSTOP has stopped or ended.
func awaitStopped(pid int) {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(100 * time.Microsecond) {
		if state, _ := stat(pid); state == 'T' || !alive(pid) {
			return
		}
	}
}

// stat returns the state and the parent of a process; the state is 0 if there is none.
func stat(pid int) (state byte, parent int) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, 0
	}
	// The format is PID (NAME) STATE PARENT …; the name may contain anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return 0, 0
	}
	parent, err = strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0, 0
	}
	return fields[0][0], parent
}
