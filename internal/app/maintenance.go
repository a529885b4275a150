package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/internal/restorelist"
)

// maintenance is what servers do at the request of an operator.
type maintenance struct {
	app      *App
	settings *Settings
}

// checkBackupDir creates a missing directory of backups, and returns an error if it is not writable.
func (c *Settings) checkBackupDir() error {
	if c.BackupDir == "" || !c.InFiles() {
		return nil
	}
	err := os.MkdirAll(c.BackupDir, 0o700)
	if err == nil {
		err = checkWritable(c.BackupDir)
	}
	if err != nil {
		return fmt.Errorf("--backup-dir: backups cannot be written to %s: %w", c.BackupDir, err)
	}
	return nil
}

// can returns an error that says why the servers cannot do a task.
func (m maintenance) can(kind string) error {
	switch {
	case kind != jobs.Backup:
		return nil
	case !m.settings.InFiles():
		return fault.Errorf(fault.Unavailable, "%s", errNoFiles.Error())
	case m.settings.BackupDir == "":
		return fault.Errorf(fault.Unavailable, "--backup-dir is not set, so there is no place for backups")
	}
	return nil
}

// kinds returns what the tasks do.
func (m maintenance) kinds() map[string]jobs.Func {
	return map[string]jobs.Func{jobs.VerifyUsage: m.verifyUsage, jobs.Reindex: m.reindex, jobs.Backup: m.backUp}
}

func (m maintenance) verifyUsage(ctx context.Context, run *jobs.Run) error {
	report, err := m.app.usage.counter.Verify(ctx)
	if err == nil {
		run.Result = jobs.Report{Lines: report.Lines(), Sound: report.Agrees()}
	}
	return err
}

func (m maintenance) reindex(ctx context.Context, run *jobs.Run) error {
	started := time.Now()
	if err := m.app.indexes.rebuild(ctx); err != nil {
		return err
	}
	n, err := m.app.catalogue.CountVideos(ctx)
	line := fmt.Sprintf("%d videos indexed in %s", n, time.Since(started).Round(time.Millisecond))
	if m.settings.inMemory() && !m.settings.InFiles() {
		line += fmt.Sprintf(" by process %d on %s. Every other process has an index of its own, which stays as it was: to rebuild it, run filmstrip reindex on its host, with its --data and --store", os.Getpid(), hostName())
	}
	run.Result = jobs.Report{Lines: []string{line}, Sound: true}
	return err
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "an unnamed host"
	}
	return name
}

// backUp copies the files into a folder that is named by the time at which the job began. A job that was interrupted makes a
// backup of its own.
func (m maintenance) backUp(ctx context.Context, run *jobs.Run) error {
	if err := m.can(jobs.Backup); err != nil {
		return err
	}
	dir := filepath.Join(m.settings.BackupDir, "filmstrip-"+time.Now().UTC().Format("20060102T150405Z"))
	made, err := WriteBackup(ctx, &m.settings.StoreSettings, m.settings.Data, dir, &jobs.Progress{Run: run})
	if err != nil {
		return err
	}
	run.Result = jobs.Report{Sound: true, Lines: []string{
		fmt.Sprintf("%s contains %d files, %d bytes, with the events up to %d", dir, len(made.Files), made.Size(), made.LastEvent),
	}}
	return nil
}

var errNoFiles = errors.New("a backup copies SQLite's files; back up PostgreSQL with pg_dump or pg_basebackup (docs/operations.md)")

// WriteBackup copies the databases of a data directory into a new folder, and removes obsolete entries of the restore lists.
// Servers and commands may write to the databases meanwhile. A server of an older release may be running: only servers
// create files with this release's schema; a backup never does.
func WriteBackup(ctx context.Context, settings *StoreSettings, data, dir string, progress backup.Progress) (*backup.Manifest, error) {
	if !settings.InFiles() {
		return nil, errNoFiles
	}
	if err := errors.Join(settings.MustExist(data, CatalogueFile), backup.CheckWhole(data)); err != nil {
		return nil, err
	}
	made, err := backup.Write(ctx, backup.Options{
		Data: data, Files: StoreFiles, Events: EventsFile, Usage: UsageFile, Dir: dir, Program: Version(), Progress: progress,
	})
	if err != nil {
		return nil, err
	}
	for _, path := range settings.RestoreLists(data) {
		list, err := restorelist.Open(path)
		if err == nil {
			err = list.Trim(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	return made, nil
}
