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

// nursery starts every process from one thread that lives as long as this process does: the signal
// that a child gets at its parent's death comes at the death of the thread that forked it.
var nursery = sync.OnceValue(func() chan<- birth {
	births := make(chan birth)
	go func() {
		runtime.LockOSThread()
		for b := range births {
			b.started <- b.command.Start()
		}
	}()
	go endWithParent(os.Getppid())
	return births
})

type birth struct {
	command *exec.Cmd
	started chan error
}

func start(command *exec.Cmd) error {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Setpgid = true // a Ctrl-C is for the test, which ends its servers itself
	dieWithParent(command.SysProcAttr)
	b := birth{command: command, started: make(chan error, 1)}
	nursery() <- b
	return <-b.started
}

// run starts a program that ends by itself, and waits for it.
func run(command *exec.Cmd) error {
	var output lastBytes
	command.Stdout, command.Stderr = &output, &output
	if err := start(command); err != nil {
		return err
	}
	if err := command.Wait(); err != nil {
		return fmt.Errorf("%s: %w\n%s", command.Path, err, output.text)
	}
	return nil
}

// endWithParent ends this process when its parent is gone: a test binary whose `go test` was killed
// would run on, and its servers with it, for nobody.
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

// lastBytes keeps the end of what is written to it.
type lastBytes struct{ text []byte }

func (l *lastBytes) Write(p []byte) (int, error) {
	const enough = 4096
	l.text = append(l.text, p...)
	if over := len(l.text) - enough; over > 0 {
		l.text = append(l.text[:0], l.text[over:]...)
	}
	return len(p), nil
}

// janitor removes the folders whose names it is told, one per line, once this process has ended. It is
// a process of its own, as this one may be killed.
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

// newFolder makes a folder that does not outlive this process.
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
