package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// outputEnvironment names the file of which a process writes half before it waits to be killed.
const outputEnvironment = "FILMSTRIP_TEST_OUTPUT"

// TestKilledOutput verifies that a process that is killed while it writes an export leaves no file. A process that
// completes leaves a complete file, which replaces the previous one and which only its owner can read.
func TestKilledOutput(t *testing.T) {
	if file := os.Getenv(outputEnvironment); file != "" {
		_ = writeOutput(console{}, file, func(w io.Writer) error {
			_, _ = io.WriteString(w, "half")
			fmt.Println("written")
			time.Sleep(time.Minute)
			return nil
		})
		return
	}
	file := filepath.Join(t.TempDir(), "export.jsonl")
	process := exec.Command(os.Args[0], "-test.run=^TestKilledOutput$")
	process.Env = append(os.Environ(), outputEnvironment+"="+file)
	out := apptest.Must(process.StdoutPipe())(t)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(out, make([]byte, len("written"))); err != nil {
		t.Fatal(err)
	}
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = process.Wait()
	left := func() (names []string) {
		for _, entry := range apptest.Must(os.ReadDir(filepath.Dir(file)))(t) {
			names = append(names, entry.Name())
		}
		return names
	}
	if names := left(); runtime.GOOS == "linux" && len(names) > 0 {
		t.Errorf("the process that was killed left %q", names)
	}
	if err := os.WriteFile(half(file), []byte("as on another system"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"first", "second"} {
		if err := writeOutput(console{}, file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Fatal(err)
		}
		if got := string(apptest.Must(os.ReadFile(file))(t)); got != text {
			t.Errorf("the file holds %q, not %q", got, text)
		}
	}
	if names, mode := left(), apptest.Must(os.Stat(file))(t).Mode().Perm(); len(names) != 1 || mode != 0o600 {
		t.Errorf("left are %q, with mode %o", names, mode)
	}
}

// TestOutputKeepsLinksAndPipes verifies that an export through links replaces the file that they lead to, and that an
// export to a pipe goes through the pipe. Nothing else in the folders changes.
func TestOutputKeepsLinksAndPipes(t *testing.T) {
	links, targets := t.TempDir(), t.TempDir()
	link, next, target := filepath.Join(links, "link"), filepath.Join(links, "next"), filepath.Join(targets, "target")
	pipe, toPipe, dangling := filepath.Join(targets, "pipe"), filepath.Join(links, "to-pipe"), filepath.Join(links, "dangling")
	for _, err := range []error{
		os.Symlink("next", link), os.Symlink(target, next), os.WriteFile(target, []byte("before"), 0o600),
		syscall.Mkfifo(pipe, 0o600), os.Symlink(pipe, toPipe), os.Symlink("missing", dangling),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	write := func(file string) error {
		return writeOutput(console{}, file, func(w io.Writer) error { _, err := io.WriteString(w, "written"); return err })
	}
	if err := write(link); err != nil {
		t.Fatal(err)
	}
	if got := string(apptest.Must(os.ReadFile(target))(t)); got != "written" {
		t.Errorf("the target of the links holds %q", got)
	}
	reader := apptest.Must(os.OpenFile(pipe, os.O_RDWR, 0))(t) // opens without a writer
	defer func() { _ = reader.Close() }()
	for _, file := range []string{pipe, toPipe} {
		if err := write(file); err != nil {
			t.Fatal(err)
		}
		if apptest.Must(os.Lstat(pipe))(t).Mode().Type() != fs.ModeNamedPipe {
			t.Fatal("the pipe is replaced")
		}
		got := make([]byte, len("written"))
		if _, err := io.ReadFull(reader, got); err != nil || string(got) != "written" {
			t.Errorf("the pipe yields %q, %v", got, err)
		}
	}
	if err := write(dangling); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to a missing file: %v", err)
	}
	for folder, want := range map[string]int{links: 4, targets: 2} {
		entries := apptest.Must(os.ReadDir(folder))(t)
		if len(entries) != want {
			t.Errorf("the folder has %v", entries)
		}
		for _, entry := range entries {
			if folder == links && entry.Type() != fs.ModeSymlink {
				t.Errorf("%s is no longer a link", entry.Name())
			}
		}
	}
}

// TestDataThatCannotBeWritten verifies that a server does not start on a data directory that it cannot write to, and
// that the error names the directory.
func TestDataThatCannotBeWritten(t *testing.T) {
	data := t.TempDir()
	if err := os.Chmod(data, 0o500); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // root may write anywhere except there
		if data = "/proc"; runtime.GOOS != "linux" {
			t.Skip("NOT TESTED: root may write to every directory")
		}
	}
	for _, args := range [][]string{{"serve", "--addr", "127.0.0.1:0"}, {"migrate"}, {"import", "-"}} {
		got := command(t, nil, "", append(args, "--data", data)...)
		if got.Status == 0 || !strings.Contains(got.Err, "the data directory "+data+" is not writable") {
			t.Errorf("%q: status %d: %s", args, got.Status, got.Err)
		}
	}
}
