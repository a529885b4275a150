package testservers

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// disk is a file system in memory of limited size. It exists in a namespace of the process that holds it; other
// processes reach it through /proc. So nothing remains mounted, however the test ends.
type disk struct {
	root   string // the path for other processes; only the account may create files there
	holder *exec.Cmd
	hold   io.Closer // closing it, or the end of this process, ends the holder
}

// newDisk mounts a disk below a folder of the account. If mounting is not allowed, it returns an error that the engine
// is missing.
func (a account) newDisk(engine, folder string, bytes int64) (*disk, error) {
	mounted := filepath.Join(folder, "disk")
	if err := os.Mkdir(mounted, rightsOfFolder); err != nil {
		return nil, err
	}
	if err := a.chown(mounted); err != nil {
		return nil, err
	}
	const script = `mount -t tmpfs -o size="$2",mode=700 tmpfs "$1" && : >"$1/ballast" && echo mounted && exec cat`
	holder := a.command("unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", mounted, strconv.FormatInt(bytes, 10))
	var faults tailBuffer
	holder.Stderr = &faults
	hold, err := holder.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := holder.StdoutPipe()
	if err != nil {
		return nil, err
	}
	absent := func(err error) error {
		return &missingError{engine, fmt.Sprintf("no small disk can be mounted: %v: %s", err, faults.text)}
	}
	if err := start(holder); err != nil {
		return nil, absent(err)
	}
	if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		_ = hold.Close()
		return nil, absent(holder.Wait())
	}
	return &disk{root: fmt.Sprintf("/proc/%d/root%s", holder.Process.Pid, mounted), holder: holder, hold: hold}, nil
}

// ballast is the path of an empty file on the disk.
func (d *disk) ballast() string { return filepath.Join(d.root, "ballast") }

// end unmounts the disk. On a nil disk, it does nothing.
func (d *disk) end() error {
	if d == nil {
		return nil
	}
	if err := d.hold.Close(); err != nil {
		return err
	}
	return d.holder.Wait()
}
