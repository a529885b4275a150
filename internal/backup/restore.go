package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// RestoreOptions configure a restore.
type RestoreOptions struct {
	// Dir is the folder of the backup, Data that of the restored files. The caller must keep servers away from Data.
	Dir, Data string
	// Replace moves the files in Data to a folder within it; without it, Restore refuses a Data that has any.
	Replace bool
	// Schemas are the files of the stores with the versions of their last migrations. A backup must have all of them,
	// at the same or an earlier version.
	Schemas map[string]int64
	// Derived are folders and files in Data that belong to the replaced files.
	Derived []string
	// Prepare changes the restored files, in a folder of their own, before they take effect.
	Prepare  func(ctx context.Context, folder string) error
	Progress Progress
}

// stagingName is the folder in Data in which a restore is prepared. As long as it exists, a restore has not finished.
const stagingName = "restoring"

// CheckWhole returns an error if a restore into a folder was interrupted.
func CheckWhole(data string) error {
	if _, err := os.Stat(filepath.Join(data, stagingName)); err != nil {
		return nil //nolint:nilerr // there is none, or opening the files will report the problem
	}
	return fmt.Errorf("a restore into %s was interrupted, so its files may be incomplete: run filmstrip restore --replace again", data)
}

// Restore verifies a backup and moves its files into Data. Until all of them are copied, verified and prepared, Data
// does not change; CheckWhole detects an interruption after that. It returns the manifest, and the folder with the
// replaced files ("" if there were none).
func Restore(ctx context.Context, o RestoreOptions) (_ *Manifest, replaced string, err error) {
	m, err := ReadManifest(o.Dir)
	if err != nil {
		return nil, "", err
	}
	if err := o.checkSchemas(m); err != nil {
		return nil, "", err
	}
	present, err := o.present()
	if err != nil {
		return nil, "", err
	}
	if len(present) > 0 && !o.Replace {
		return nil, "", fmt.Errorf("%s contains %s: --replace moves the present content aside", o.Data, present[0])
	}
	staging := filepath.Join(o.Data, stagingName)
	if err := errors.Join(os.RemoveAll(staging), os.Mkdir(staging, 0o700)); err != nil {
		return nil, "", err
	}
	moving := false
	defer func() {
		if err != nil && !moving {
			err = errors.Join(err, os.RemoveAll(staging))
		}
	}()
	if err := o.copyBack(ctx, m, staging); err != nil {
		return nil, "", err
	}
	if err := o.Prepare(ctx, staging); err != nil {
		return nil, "", err
	}
	moving = true
	replaced, err = o.swap(staging, present)
	return m, replaced, err
}

// searchLogOfFirstRelease is the name that release v0.1.0 gave to the file of the search log. The store renames the file
// when it opens it, and creates the file of jobs, which backups of that release lack.
const searchLogOfFirstRelease = "queries.db"

// checkSchemas refuses a backup that lacks a file, or that a later release made.
func (o *RestoreOptions) checkSchemas(m *Manifest) error {
	left := map[string]bool{}
	for name := range o.Schemas {
		left[name] = true
	}
	for _, file := range m.Files {
		last, known := o.Schemas[file.Name]
		switch {
		case file.Name == searchLogOfFirstRelease:
			delete(left, "searchlog.db")
			delete(left, "jobs.db")
		case !known:
			return fmt.Errorf("the backup has the file %s, which this release does not know", file.Name)
		case file.Schema > last:
			return fmt.Errorf("the backup's %s has schema %d; this release knows %d: restore it with the release that made it (%s)",
				file.Name, file.Schema, last, m.Program)
		}
		delete(left, file.Name)
	}
	for name := range left {
		return fmt.Errorf("the backup has no %s", name)
	}
	return nil
}

// present lists the files and folders in Data that a restore replaces.
func (o *RestoreOptions) present() (names []string, err error) {
	entries, err := os.ReadDir(o.Data)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		_, isStore := o.Schemas[strings.TrimSuffix(strings.TrimSuffix(name, "-wal"), "-shm")]
		isDerived := false
		for _, derived := range o.Derived {
			isDerived = isDerived || name == derived
		}
		if isStore || isDerived {
			names = append(names, name)
		}
	}
	return names, nil
}

// copyBack copies the files of a backup, and compares them with the manifest.
func (o *RestoreOptions) copyBack(ctx context.Context, m *Manifest, staging string) error {
	o.Progress.Begin("restoring", m.Size())
	defer o.Progress.End()
	progressWriter := &progressWriter{progress: o.Progress}
	for _, file := range m.Files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := file.copyTo(staging, o.Dir, progressWriter); err != nil {
			return err
		}
	}
	return syncFolder(staging)
}

func (f File) copyTo(folder, from string, progressWriter *progressWriter) error {
	in, err := os.Open(filepath.Join(from, f.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is damaged: it has no %s", from, f.Name)
	}
	if err != nil {
		return err
	}
	defer in.Close()
	var size int64
	sum, err := copyFile(filepath.Join(folder, f.Name), func(w io.Writer) error {
		size, err = io.Copy(io.MultiWriter(w, progressWriter), in)
		return err
	})
	if err != nil {
		return err
	}
	return f.compare(from, size, sum)
}

// swap moves the present files to a folder of their own, and the staged files into their place.
func (o *RestoreOptions) swap(staging string, present []string) (replaced string, err error) {
	if len(present) > 0 {
		replaced = filepath.Join(o.Data, "replaced-"+time.Now().UTC().Format("20060102T150405.000"))
		if err := os.Mkdir(replaced, 0o700); err != nil {
			return "", err
		}
		for _, name := range present {
			if err := os.Rename(filepath.Join(o.Data, name), filepath.Join(replaced, name)); err != nil {
				return replaced, err
			}
		}
	}
	staged, err := os.ReadDir(staging)
	if err != nil {
		return replaced, err
	}
	for _, entry := range staged {
		if err := os.Rename(filepath.Join(staging, entry.Name()), filepath.Join(o.Data, entry.Name())); err != nil {
			return replaced, err
		}
	}
	if err := syncFolder(o.Data); err != nil {
		return replaced, err
	}
	return replaced, errors.Join(os.Remove(staging), syncFolder(o.Data))
}
