package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// writeOutput calls write with standard output, or with a file that appears under its name once it is complete and
// synced. Only its owner can read the file. If write fails or the process is killed, no part of it remains; on systems
// other than Linux, a killed process leaves a hidden file, which the next run with that name removes. Symbolic links
// stay, and an existing device or pipe receives the output directly.
func writeOutput(console console, file string, write func(io.Writer) error) (err error) {
	if file == "" || file == "-" {
		return write(console.out)
	}
	if existing, err := os.Stat(file); err == nil && !existing.Mode().IsRegular() {
		return writeDirectly(file, write)
	}
	if _, err := os.Lstat(file); err == nil {
		if file, err = filepath.EvalSymlinks(file); err != nil {
			return err
		}
	}
	half := half(file)
	if err := os.Remove(half); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, unnamed := createUnnamed(filepath.Dir(file))
	if !unnamed {
		if out, err = os.OpenFile(half, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return err
		}
	}
	defer func() {
		closing := out.Close()
		if err == nil {
			err = closing
		}
		if removing := os.Remove(half); err == nil && !errors.Is(removing, fs.ErrNotExist) {
			err = removing
		}
	}()
	if err := write(out); err != nil {
		return err
	}
	if err := out.Sync(); err != nil {
		return err
	}
	if unnamed {
		if err := nameFile(out, half); err != nil {
			return err
		}
	}
	return os.Rename(half, file)
}

// writeDirectly calls write with an existing file that is not regular.
func writeDirectly(file string, write func(io.Writer) error) (err error) {
	out, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	return write(out)
}

// half returns the name of an incomplete file.
func half(file string) string {
	return filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".half")
}
