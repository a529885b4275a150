package archive

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// Directory is a Files in a directory. Processes on several hosts may share it if the file system supports locks.
type Directory struct{ path string }

// NewDirectory returns the files in a directory, which is created with the first file.
func NewDirectory(path string) *Directory { return &Directory{path} }

// unfinished starts the names of files that are being written.
const unfinished = ".unfinished-"

// lockName is the name of the file whose lock orders calls of Replace.
const lockName = ".lock"

// String implements Files.
func (d *Directory) String() string { return d.path }

func (d *Directory) at(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// missing replaces the error of the file system for a missing file by ErrMissing.
func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrMissing
	}
	return err
}

// Get implements Files. The tag is a digest of the content.
func (d *Directory) Get(ctx context.Context, name, unless string) ([]byte, string, error) {
	if err := ctx.Err(); err != nil {
		return nil, "", err
	}
	content, err := os.ReadFile(d.at(name))
	if err != nil {
		return nil, "", missing(err)
	}
	tag := tagOf(content)
	if tag == unless {
		return nil, tag, nil
	}
	return content, tag, nil
}

func tagOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// Open implements Files.
func (d *Directory) Open(ctx context.Context, name string, size int64) (File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opened, err := os.Open(d.at(name))
	if err != nil {
		return nil, missing(err)
	}
	if info, err := opened.Stat(); err != nil || info.Size() != size {
		_ = opened.Close()
		return nil, errors.Join(err, fmt.Errorf("%s has %d bytes, not %d", name, info.Size(), size))
	}
	return localFile{opened}, nil
}

type localFile struct{ *os.File }

func (f localFile) ReadAt(ctx context.Context, p []byte, offset int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := f.File.ReadAt(p, offset)
	return err
}

func (localFile) Expect(context.Context, int64, int64) error { return nil }

// Put implements Files.
func (d *Directory) Put(ctx context.Context, name string, content io.ReadSeeker, size int64) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.at(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temporary, err := os.OpenFile(filepath.Join(filepath.Dir(path), unfinished+rand.Text()), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temporary.Name())
		}
	}()
	written, err := io.Copy(temporary, content)
	if err == nil && written != size {
		err = fmt.Errorf("%s: %d of %d bytes were written", name, written, size)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err != nil {
		return err
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return err
	}
	return d.syncFolders(path)
}

// syncFolders makes the entry of a file durable, and those of the folders above it.
func (d *Directory) syncFolders(path string) error {
	for folder := filepath.Dir(path); ; folder = filepath.Dir(folder) {
		opened, err := os.Open(folder)
		if err != nil {
			return err
		}
		if err := errors.Join(opened.Sync(), opened.Close()); err != nil {
			return err
		}
		if len(folder) <= len(filepath.Clean(d.path)) {
			return nil
		}
	}
}

// Replace implements Files.
func (d *Directory) Replace(ctx context.Context, name string, content []byte, tag string) (string, error) {
	if err := os.MkdirAll(d.path, 0o700); err != nil {
		return "", err
	}
	lock := flock.New(d.at(lockName), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return "", err
	}
	defer func() { _ = lock.Unlock() }()
	_, now, err := d.Get(ctx, name, tag)
	if err != nil && !errors.Is(err, ErrMissing) {
		return "", err
	}
	if now != tag {
		return "", ErrChanged
	}
	return tagOf(content), d.Put(ctx, name, bytes.NewReader(content), int64(len(content)))
}

// Remove implements Files.
func (d *Directory) Remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := os.Remove(d.at(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List implements Files.
func (d *Directory) List(ctx context.Context) (names []string, err error) {
	err = filepath.WalkDir(d.path, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case entry.IsDir() || entry.Name() == lockName:
			return nil
		case strings.HasPrefix(entry.Name(), unfinished):
			return removeOld(path, entry)
		}
		name, err := filepath.Rel(d.path, path)
		names = append(names, filepath.ToSlash(name))
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// removeOld removes an unfinished file whose process has stopped long ago.
func removeOld(path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err == nil && time.Since(info.ModTime()) > 24*time.Hour {
		err = os.Remove(path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
