package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/backup"
	"github.com/filmstrip/filmstrip/internal/fileowner"
	"github.com/filmstrip/filmstrip/internal/restorelist"
	"github.com/filmstrip/filmstrip/usage/counting"
)

type backupCommand struct {
	used
	Dir string `arg:"" help:"The folder of the backup; it must be empty or not exist." placeholder:"DIR"`
}

// Run copies the databases of a data directory. Servers and commands may write to them meanwhile.
func (c *backupCommand) Run(ctx context.Context, console console) error {
	if err := c.Check(); err != nil {
		return err
	}
	if console.alone {
		yieldProcessor()
	}
	m, err := app.WriteBackup(ctx, &c.StoreSettings, c.Data, c.Dir, console.progress())
	if err != nil {
		return err
	}
	result := struct {
		Folder    string         `json:"folder"`
		Files     int            `json:"files"`
		Bytes     int64          `json:"bytes"`
		StartedAt time.Time      `json:"startedAt"`
		LastEvent event.Position `json:"lastEvent"`
		Counted   event.Position `json:"counted"`
	}{c.Dir, len(m.Files), m.Size(), m.StartedAt, m.LastEvent, m.Counted}
	return console.printf(result, "%s contains %d files, %d bytes, as of %s; it has the events up to %d, counted up to %d\n",
		c.Dir, len(m.Files), m.Size(), m.StartedAt.Format(time.RFC3339), m.LastEvent, m.Counted)
}

type restoreCommand struct {
	Data              string `help:"The directory of SQLite's files, and of the restore list unless --restore-list names another (${default})." placeholder:"DIR" default:"data" group:"Stores:"`
	app.StoreSettings `group:"Stores:"`
	Replace           bool     `help:"Move existing files in --data to a folder in it instead of refusing to restore."`
	Reapply           bool     `help:"Only apply the restore list, to stores that another program restored, such as a PostgreSQL database."`
	Since             *instant `help:"With --reapply: the time at which the backup began. Without it, users who were forgotten before the backup and returned may be forgotten again." placeholder:"TIME"`
	NoRestoreList     bool     `help:"Restore without a restore list, which brings back everything that was forgotten, revoked or voided since the backup."`
	Dir               string   `arg:"" optional:"" help:"The folder of the backup; none with --reapply." placeholder:"DIR"`
}

// Run restores a backup of SQLite's files, or applies the restore list to stores that another program restored.
func (c *restoreCommand) Run(ctx context.Context, console console) error {
	if err := c.Check(); err != nil {
		return err
	}
	switch {
	case c.Reapply && c.Dir != "":
		return errors.New("--reapply restores nothing, so it takes no folder")
	case c.Reapply && c.Replace:
		return errors.New("--replace excludes --reapply")
	case !c.Reapply && c.Since != nil:
		return errors.New("--since requires --reapply; a backup records when it began")
	case !c.Reapply && !c.InFiles():
		return errors.New("restore PostgreSQL with its own programs; restore --reapply then applies the restore list (docs/operations.md)")
	case !c.Reapply && c.Dir == "":
		return errors.New("the folder of the backup is missing")
	}
	if c.Reapply {
		return c.reapply(ctx, console)
	}
	return c.restore(ctx, console)
}

// entries reads the restore lists. A missing list is an error unless --no-restore-list is set.
func (c *restoreCommand) entries() ([]restorelist.Entry, error) {
	named, lists := c.RestoreListPath(c.Data), c.RestoreLists(c.Data)
	const accept = "--no-restore-list brings back everything that was forgotten, revoked or voided since the backup"
	switch {
	case c.NoRestoreList && len(lists) > 0:
		return nil, fmt.Errorf("--no-restore-list: there is %s", lists[0])
	case c.NoRestoreList:
		return nil, nil
	case named == "":
		return nil, errors.New("--restore-list is not given; " + accept)
	case !slices.Contains(lists, named):
		return nil, fmt.Errorf("there is no restore list at %s: copy it there or set --restore-list to it; %s", named, accept)
	}
	return restorelist.Read(lists...)
}

func (c *restoreCommand) restore(ctx context.Context, console console) (err error) {
	m, err := backup.ReadManifest(c.Dir)
	if err != nil {
		return err
	}
	entries, err := c.entries()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Data, 0o700); err != nil {
		return err
	}
	unlock, err := app.LockData(c.Data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	var result *restorelist.Result
	m, replaced, err := backup.Restore(ctx, backup.RestoreOptions{
		Dir: c.Dir, Data: c.Data, Replace: c.Replace, Schemas: app.Schemas(), Derived: []string{app.SearchFolder}, Progress: console.progress(),
		Prepare: func(ctx context.Context, folder string) error {
			stores, err := c.OpenUnrecorded(ctx, folder, slog.New(slog.DiscardHandler))
			if err != nil {
				return err
			}
			result, err = applyList(ctx, stores, entries, m.StartedAt)
			return errors.Join(err, stores.Close(), c.carryList(ctx), ownAll(folder, c.Data))
		},
	})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("restored the backup of %s, with events up to %d\n", m.StartedAt.Format(time.RFC3339), m.LastEvent)
	if replaced != "" {
		text += fmt.Sprintf("the previous files are in %s, including personal data and keys: delete them when you no longer need them\n", replaced)
	}
	return printRestored(console, &restored{Backup: &restoredBackup{m.StartedAt, m.LastEvent, replaced}, text: text}, result)
}

// reapply applies the restore list to stores in place.
func (c *restoreCommand) reapply(ctx context.Context, console console) (err error) {
	if err := c.MustExist(c.Data, app.CatalogueFile); err != nil {
		return err
	}
	entries, err := c.entries()
	if err != nil {
		return err
	}
	if c.InFiles() {
		unlock, err := app.LockData(c.Data)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	stores, err := c.OpenUnrecorded(ctx, c.Data, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	var since time.Time
	if c.Since != nil {
		since = time.UnixMilli(int64(*c.Since))
	}
	result, err := applyList(ctx, stores, entries, since)
	if err != nil {
		return err
	}
	if err := c.carryList(ctx); err != nil {
		return err
	}
	return printRestored(console, &restored{}, result)
}

// carryList adds the entries that were applied to the list in a data directory, because the next restore may be of the same
// backup, and the copy of a lost list may be gone by then.
func (c *restoreCommand) carryList(ctx context.Context) error {
	lists := c.RestoreLists(c.Data)
	if !c.InFiles() || len(lists) == 0 {
		return nil
	}
	return restorelist.Carry(ctx, filepath.Join(c.Data, restorelist.FileName), lists...)
}

// applyList prepares restored stores for a server: it repeats the deletions and revocations since the backup, and
// renames the history of the catalogue, so that entries of Typesense and Redis from the abandoned history are not used.
func applyList(ctx context.Context, s *app.Stores, entries []restorelist.Entry, since time.Time) (*restorelist.Result, error) {
	counter := counting.New(counting.Options{Log: s.Events, Usage: s.Usage, Catalogue: s.Catalogue})
	result, err := restorelist.Apply(ctx, restorelist.Stores{
		Accounts: s.Accounts, Collections: s.Collections, Events: s.Events, Persons: counter, Voids: counter,
	}, entries, since, time.Now(), account.Actor{Client: account.CommandLine, User: systemUser()})
	if err != nil {
		return nil, fmt.Errorf("applying the restore list: %w", err)
	}
	return result, s.History.RenewLineage(ctx)
}

// restored is the result of a restore in JSON. Backup is null with --reapply.
type restored struct {
	Backup      *restoredBackup `json:"backup"`
	Persons     int             `json:"personsForgotten"`
	Credentials int             `json:"credentialsEnded"`
	Records     int             `json:"recordsBlockedOrDeleted"`
	Keys        int             `json:"keysWithdrawn"`
	Voids       int             `json:"voidsMadeOrUndone"`
	Problems    []string        `json:"problems"`
	text        string
}

type restoredBackup struct {
	StartedAt time.Time      `json:"startedAt"`
	LastEvent event.Position `json:"lastEvent"`
	Replaced  string         `json:"previousFiles,omitempty"`
}

func printRestored(console console, out *restored, result *restorelist.Result) error {
	for _, problem := range result.Problems {
		console.warn("%s", problem)
	}
	out.Persons, out.Credentials, out.Records, out.Keys, out.Voids = result.Persons, result.Credentials, result.Records, result.Keys, result.Voids
	out.Problems = append([]string{}, result.Problems...)
	return console.printf(out, "%sfrom the restore list: %d persons forgotten, %d credentials ended, %d records blocked or deleted, %d keys withdrawn, %d voids made or undone\n"+
		"every session and refresh token has ended; the catalogue is a history of its own now: start the servers\n",
		out.text, result.Persons, result.Credentials, result.Records, result.Keys, result.Voids)
}

// ownAll gives the files of a folder the owner of another folder.
func ownAll(folder, like string) error {
	return filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return fileowner.Match(path, like)
	})
}
