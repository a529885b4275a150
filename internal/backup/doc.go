// Package backup copies the SQLite files of a data directory while servers write to them, and restores such copies.
//
// A backup is a folder with one database file for each store and a manifest, which is written last: a folder without a
// manifest is not a backup. Each file is one state of its store. The states are taken within milliseconds of one
// another, in the caller's order: a file that refers to another comes before it, so that the backup contains the items
// that it refers to.
package backup

import (
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

	"github.com/filmstrip/filmstrip/event"
)

// ManifestName is the file of a backup that describes the others.
const ManifestName = "manifest.json"

// format is the version of the manifest and of the folder.
const format = 1

// Manifest describes a backup.
type Manifest struct {
	Format int `json:"format"`
	// Program is the version of the program that made the backup.
	Program string `json:"program"`
	// StartedAt is before the states of all files; FinishedAt is when the last file was verified.
	StartedAt  time.Time `json:"startedAt"`
	FinishedAt time.Time `json:"finishedAt"`
	// Files are in the order of their states.
	Files []File `json:"files"`
	// LastEvent is the position of the last event in the backup. Counted is the position up to which the log is
	// counted, never beyond LastEvent.
	LastEvent event.Position `json:"lastEvent"`
	Counted   event.Position `json:"counted"`
}

// File is one file of a backup.
type File struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	// SHA256 is in hexadecimal.
	SHA256 string `json:"sha256"`
	// Schema is the version of the file's last migration.
	Schema int64 `json:"schema"`
}

// Progress receives the progress of the work (importer.Progress).
type Progress interface {
	Begin(phase string, total int64)
	Advance(read int64, lines int)
	End()
}

// ReadManifest reads the manifest of a backup and checks that it is complete.
func ReadManifest(dir string) (*Manifest, error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is not a backup: there is no %s", dir, ManifestName)
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestName), err)
	}
	if m.Format != format || len(m.Files) == 0 {
		return nil, fmt.Errorf("%s has format %d; this release reads format %d", filepath.Join(dir, ManifestName), m.Format, format)
	}
	for _, file := range m.Files {
		if file.Name != filepath.Base(file.Name) || file.Name == ManifestName {
			return nil, fmt.Errorf("%s names the file %q, which is not a file of a backup", filepath.Join(dir, ManifestName), file.Name)
		}
	}
	return &m, nil
}

// Size returns the size of all files in bytes.
func (m *Manifest) Size() (total int64) {
	for _, file := range m.Files {
		total += file.Size
	}
	return total
}

// verify reads a file in a folder and compares it with the manifest.
func (f File) verify(dir string, progressWriter *progressWriter) error {
	file, err := os.Open(filepath.Join(dir, f.Name))
	if err != nil {
		return err
	}
	defer file.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(sum, progressWriter), file)
	if err != nil {
		return err
	}
	return f.compare(dir, size, hex.EncodeToString(sum.Sum(nil)))
}

// compare compares size and checksum with the manifest.
func (f File) compare(dir string, size int64, sum string) error {
	path := filepath.Join(dir, f.Name)
	switch {
	case size != f.Size:
		return fmt.Errorf("%s is damaged: it has %d bytes, and %s says %d", path, size, ManifestName, f.Size)
	case sum != f.SHA256:
		return fmt.Errorf("%s is damaged: its SHA-256 sum is not that of %s", path, ManifestName)
	}
	return nil
}

// progressWriter reports the bytes written to it to a Progress.
type progressWriter struct {
	progress Progress
	done     int64
}

func (m *progressWriter) Write(b []byte) (int, error) {
	m.done += int64(len(b))
	m.progress.Advance(m.done, 0)
	return len(b), nil
}
