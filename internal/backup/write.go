package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/filmstrip/filmstrip/store/sqlite"
)

// Options configure a backup.
type Options struct {
	// Data is the folder of the files.
	Data string
	// Files are their names; a file that refers to another comes before it.
	Files []string
	// Events and Usage are the names of the event log and of its counts among Files.
	Events, Usage string
	// Dir is the folder of the backup, which must be empty or must not exist.
	Dir string
	// Program is the version of the program.
	Program  string
	Progress Progress
}

// partialSuffix is the suffix of the folder in which a backup is made until it is complete.
const partialSuffix = ".partial"

// Write makes a backup while any process may read and write the files. It neither blocks writers nor restarts because
// of them, and pauses between small portions, so that their commits need not wait for the disk. The folder has mode
// 0700 and its files 0600. If Write fails, it removes the backup; if the process is killed, a folder with the suffix
// ".partial" remains, which the next Write to the same folder replaces.
func Write(ctx context.Context, o Options) (_ *Manifest, err error) {
	if err := mustBeEmpty(o.Dir); err != nil {
		return nil, err
	}
	partial := filepath.Clean(o.Dir) + partialSuffix
	if err := os.RemoveAll(partial); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(partial), 0o700); err != nil {
		return nil, err
	}
	if err := os.Mkdir(partial, 0o700); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(partial))
		}
	}()
	m, err := o.copyAll(ctx, partial)
	if err != nil {
		return nil, err
	}
	if err := check(ctx, partial, m, o.Progress); err != nil {
		return nil, err
	}
	m.FinishedAt = time.Now().UTC()
	if err := m.write(partial); err != nil {
		return nil, err
	}
	if err := os.Rename(partial, o.Dir); err != nil {
		return nil, err
	}
	return m, syncFolder(filepath.Dir(o.Dir))
}

// mustBeEmpty refuses a folder that contains anything.
func mustBeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) > 0:
		return fmt.Errorf("%s is not empty: a backup is written to a folder of its own", dir)
	}
	return nil
}

// copyAll takes the states of all files at once, and then copies one after another.
func (o *Options) copyAll(ctx context.Context, to string) (_ *Manifest, err error) {
	m := &Manifest{Format: format, Program: o.Program, StartedAt: time.Now().UTC()}
	snapshots := map[string]*sqlite.Snapshot{}
	defer func() {
		for _, snapshot := range snapshots {
			err = errors.Join(err, snapshot.Close(context.WithoutCancel(ctx)))
		}
	}()
	for _, name := range o.Files {
		snapshot, err := sqlite.OpenSnapshot(ctx, filepath.Join(o.Data, name))
		if err != nil {
			return nil, named(name, err)
		}
		snapshots[name] = snapshot
		m.Files = append(m.Files, File{Name: name, Size: snapshot.Size()})
	}
	if m.Counted, err = snapshots[o.Usage].Counted(ctx); err != nil {
		return nil, named(o.Usage, err)
	}
	if m.LastEvent, err = snapshots[o.Events].LastEvent(ctx); err != nil {
		return nil, named(o.Events, err)
	}
	if m.Counted > m.LastEvent {
		return nil, fmt.Errorf("%s counts up to event %d, and %s ends at %d: run filmstrip usage verify first",
			o.Usage, m.Counted, o.Events, m.LastEvent)
	}
	o.Progress.Begin("copying", m.Size())
	defer o.Progress.End()
	progressWriter := &progressWriter{progress: o.Progress}
	for i := range m.Files {
		file := &m.Files[i]
		snapshot := snapshots[file.Name]
		if file.Schema, err = snapshot.Schema(ctx); err != nil {
			return nil, named(file.Name, err)
		}
		if file.SHA256, err = copyFile(filepath.Join(to, file.Name), func(w io.Writer) error {
			_, err := snapshot.WriteTo(ctx, io.MultiWriter(w, progressWriter))
			return err
		}); err != nil {
			return nil, named(file.Name, err)
		}
		delete(snapshots, file.Name)
		if err := snapshot.Close(ctx); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// named adds the name of a file to an error of its snapshot or of its copy, which is damaged exactly if the file is.
func named(name string, err error) error {
	if sqlite.IsDamaged(err) {
		return fmt.Errorf("%s is damaged, and a damaged file cannot be backed up (docs/operations.md): %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// portion is the number of bytes after which a copy is synced: more at once delays the commits of others.
const portion = 2 << 20

// copyFile creates a file and returns the SHA-256 sum of the bytes that write writes, in hexadecimal.
func copyFile(path string, write func(io.Writer) error) (_ string, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	buffered := bufio.NewWriterSize(io.MultiWriter(&pacedWriter{file: file, began: time.Now()}, sum), 256<<10)
	if err := write(buffered); err != nil {
		return "", err
	}
	if err := buffered.Flush(); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), file.Sync()
}

// pacedWriter writes a file in portions, and pauses after each for as long as it took.
type pacedWriter struct {
	file    *os.File
	began   time.Time
	pending int
}

func (w *pacedWriter) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	if w.pending += n; err != nil || w.pending < portion {
		return n, err
	}
	if err := w.file.Sync(); err != nil {
		return n, err
	}
	time.Sleep(time.Since(w.began))
	w.pending, w.began = 0, time.Now()
	return n, nil
}

// check reads every copy again, to verify that the disk holds the same bytes and that each is a sound database.
func check(ctx context.Context, dir string, m *Manifest, progress Progress) error {
	progress.Begin("verifying", m.Size())
	defer progress.End()
	progressWriter := &progressWriter{progress: progress}
	for _, file := range m.Files {
		if err := file.verify(dir, progressWriter); err != nil {
			return err
		}
		if err := sqlite.CheckFile(ctx, filepath.Join(dir, file.Name)); err != nil {
			return named(file.Name, err)
		}
	}
	return nil
}

// write writes the manifest, which makes the folder a backup.
func (m *Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if _, err := copyFile(filepath.Join(dir, ManifestName), func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	}); err != nil {
		return err
	}
	return syncFolder(dir)
}

// syncFolder syncs the names in a folder.
func syncFolder(dir string) error {
	folder, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
