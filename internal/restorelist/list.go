// Package restorelist keeps a list, outside every backup, of changes that restoring an older backup must not undo:
// forgotten persons, revoked credentials and voided plays. Decorators of the stores write to the list before a change
// is committed; Apply repeats the changes on a restored store.
package restorelist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/fileowner"
)

// FileName is the name of the list in a data directory.
const FileName = "restore-list.jsonl"

// List is an append-only file of JSON lines that only its owner can read. Several processes may append to it.
type List struct {
	path string
	now  func() time.Time
}

// Open returns the list at a path, and creates the file if it does not exist, so that a list that is missing at a
// restore has been lost.
func Open(path string) (*List, error) {
	l := &List{path: path, now: time.Now}
	for _, name := range []string{path, l.lockPath()} {
		file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			return nil, fmt.Errorf("the restore list cannot be written: %w", err)
		}
		if err := errors.Join(file.Close(), fileowner.Match(name, filepath.Dir(path))); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *List) lockPath() string { return l.path + ".lock" }

// lock waits until no other process or goroutine writes to the list. The lock is a file of its own, because Trim
// replaces the list.
func (l *List) lock(ctx context.Context) (unlock func(), err error) {
	lock := flock.New(l.lockPath(), flock.SetPermissions(0o600))
	limited, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := lock.TryLockContext(limited, 5*time.Millisecond); err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// append writes entries and syncs them. If it returns an error, which has code Unavailable, the change must not be
// made.
func (l *List) append(ctx context.Context, entries ...Entry) error {
	if len(entries) == 0 {
		return nil
	}
	var lines bytes.Buffer
	for _, entry := range entries {
		entry.At = l.now().UTC()
		line, err := json.Marshal(entry)
		if err != nil {
			return err
		}
		lines.Write(append(line, '\n'))
	}
	if err := l.write(ctx, lines.Bytes()); err != nil {
		return &fault.Error{Code: fault.Unavailable, Message: "the restore list cannot be written, so nothing was changed", Cause: err}
	}
	return nil
}

func (l *List) write(ctx context.Context, lines []byte) (err error) {
	unlock, err := l.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := os.OpenFile(l.path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	torn, err := isTorn(file)
	if err != nil {
		return err
	}
	if torn { // a process died while it wrote its last line
		lines = append([]byte{'\n'}, lines...)
	}
	if _, err := file.Write(lines); err != nil {
		return err
	}
	return file.Sync()
}

// Carry adds the lines of other lists to the list at a path, unless it has them, and creates it if it does not exist. An
// incomplete line is left out, as Read does.
func Carry(ctx context.Context, path string, from ...string) error {
	list, err := Open(path)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	var missing bytes.Buffer
	for _, source := range slices.Concat([]string{path}, from) {
		text, err := os.ReadFile(source)
		if err != nil {
			return err
		}
		for _, line := range newLines(text, known) {
			if source != path && !isTruncated(line) {
				missing.Write(line)
				missing.WriteByte('\n')
			}
		}
	}
	if missing.Len() == 0 {
		return nil
	}
	return list.write(ctx, missing.Bytes())
}

// isTorn reports whether the last line is incomplete.
func isTorn(file *os.File) (bool, error) {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return false, err
	}
	var last [1]byte
	_, err = file.ReadAt(last[:], info.Size()-1)
	return last[0] != '\n', err
}

// Trim removes entries that no longer matter: revoked access tokens that have expired. All other entries remain,
// because a backup may be of any age.
func (l *List) Trim(ctx context.Context) error {
	unlock, err := l.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	text, err := os.ReadFile(l.path)
	if err != nil {
		return err
	}
	var kept bytes.Buffer
	for line := range bytes.Lines(text) {
		var entry Entry
		if json.Unmarshal(line, &entry) == nil && entry.Kind == kindTokens && entry.Until.Before(l.now()) {
			continue
		}
		kept.Write(line)
	}
	if kept.Len() == len(text) {
		return nil
	}
	return replaceFile(l.path, kept.Bytes())
}

// replaceFile replaces a file so that after a crash either the old or the new one exists.
func replaceFile(path string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := fileowner.Match(file.Name(), path); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// Read returns the entries of several lists in chronological order, an entry that is in several of them once. It ignores
// an incomplete last line, which a process left that died while writing it: its change was not committed. Any other line
// that it does not understand is an error that names file and line, because ignoring it could undo a revocation.
func Read(paths ...string) ([]Entry, error) {
	var all []Entry
	known := map[string]bool{}
	for _, path := range paths {
		entries, err := readOne(path, known)
		if err != nil {
			return nil, err
		}
		all = append(all, entries...)
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return a.At.Compare(b.At) })
	return all, nil
}

// readOne returns the entries of a list whose lines are not known, and makes them known.
func readOne(path string, known map[string]bool) ([]Entry, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for number, line := range newLines(text, known) {
		var entry Entry
		if err := json.Unmarshal(line, &entry); err != nil {
			if isTruncated(line) {
				continue
			}
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		if err := entry.check(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// newLines iterates over the lines of a list that are neither empty nor known, with their numbers from 1, and makes them known.
func newLines(text []byte, known map[string]bool) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		number := 0
		for line := range bytes.Lines(text) {
			number++
			if line = bytes.TrimSpace(line); len(line) == 0 || known[string(line)] {
				continue
			}
			known[string(line)] = true
			if !yield(number, line) {
				return
			}
		}
	}
}

// isTruncated reports whether a line is the beginning of an entry whose process died while writing it.
func isTruncated(line []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(line))
	var entry Entry
	return bytes.HasPrefix(line, []byte("{")) && errors.Is(decoder.Decode(&entry), io.ErrUnexpectedEOF)
}
