package testservers

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// starter starts every process from one thread that lives as long as this process: the kernel signals the death of a
// parent to its children when the thread that forked them dies.
var starter = sync.OnceValue(func() chan<- startRequest {
	requests := make(chan startRequest)
	go func() {
		runtime.LockOSThread()
		for r := range requests {
			r.started <- r.command.Start()
		}
	}()
	go endWithParent(os.Getppid())
	return requests
})

type startRequest struct {
	command *exec.Cmd
	started chan error
}

func start(command *exec.Cmd) error {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true // a Ctrl-C reaches only the test, which ends its servers itself
	dieWithParent(command.SysProcAttr)
	b := startRequest{command: command, started: make(chan error, 1)}
	starter() <- b
	return <-b.started
}

// run runs a program until it ends.
func run(command *exec.Cmd) error {
	var output tailBuffer
	command.Stdout, command.Stderr = &output, &output
	if err := start(command); err != nil {
		return err
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command.Path, err, output.text)
	}
	return nil
}

// endWithParent ends this process when its parent ends: otherwise a test binary whose `go test` was killed would
// continue to run, with its servers.
func endWithParent(parent int) {
	if parent == 1 {
		return
	}
	for os.Getppid() == parent {
		time.Sleep(250 * time.Millisecond)
	}
	fmt.Fprintln(os.Stderr, "testservers: the process that started this test is gone")
	os.Exit(1)
}

// tailBuffer keeps the end of the output written to it.
type tailBuffer struct{ text []byte }

func (l *tailBuffer) Write(p []byte) (int, error) {
	const enough = 4096
	l.text = append(l.text, p...)
	if over := len(l.text) - enough; over > 0 {
		l.text = append(l.text[:0], l.text[over:]...)
	}
	return len(p), nil
}

// janitor removes the folders whose names it reads, one per line, after this process has ended. It is a process of its
// own, because this one may be killed.
var janitor = sync.OnceValues(func() (io.Writer, error) {
	command := exec.Command("sh", "-c", `while IFS= read -r folder; do set -- "$@" "$folder"; done
		[ $# = 0 ] || rm -rf -- "$@" || { sleep 1; rm -rf -- "$@"; }`)
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	names, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	return names, command.Start()
})

// newFolder creates a folder that does not outlive this process.
func newFolder(kind string) (string, error) {
	folder, err := os.MkdirTemp("", "filmstrip-"+kind+"-")
	if err != nil {
		return "", err
	}
	names, err := janitor()
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(names, folder)
	return folder, err
}
