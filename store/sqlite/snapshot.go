package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	driver "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/sqlstore"
)

// Snapshot is the state of one database file at the time of OpenSnapshot. It is a read transaction in WAL mode: writers
// of any process continue and never wait for it, but the write-ahead log cannot restart. One goroutine uses it at a
// time.
type Snapshot struct {
	handle *sql.DB
	s      *session
	pages  int64
	size   int64 // of a page, in bytes
}

var (
	countPages   = define(`PRAGMA page_count`)
	sizeOfPages  = define(`PRAGMA page_size`)
	selectPages  = define(`SELECT data FROM sqlite_dbpage`)
	selectSchema = define(`SELECT max(version_id) FROM goose_db_version WHERE is_applied`)
	checkAll     = define(`PRAGMA integrity_check(10)`)
	checkpoint   = define(`PRAGMA wal_checkpoint(PASSIVE)`)
)

// OpenSnapshot opens a snapshot of an existing database file. The caller must close it soon, because until then the
// write-ahead log grows with every write.
func OpenSnapshot(ctx context.Context, file string) (_ *Snapshot, err error) {
	s, handle, err := openExisting(ctx, file, "", settingsOf(nil).lasting()...)
	if err != nil {
		return nil, err
	}
	snapshot := &Snapshot{handle: handle, s: s}
	defer func() {
		if err != nil {
			_ = snapshot.disconnect()
		}
	}()
	if _, err := s.Exec(ctx, beginRead); err != nil {
		return nil, err
	}
	if snapshot.pages, err = s.number(ctx, countPages); err != nil {
		return nil, err
	}
	snapshot.size, err = s.number(ctx, sizeOfPages)
	return snapshot, err
}

// openExisting opens one read-only connection to a file that must exist.
func openExisting(ctx context.Context, file, parameters string, pragmas ...string) (*session, *sql.DB, error) {
	if _, err := os.Stat(file); err != nil {
		return nil, nil, err // opening a missing file would create it
	}
	handle, err := sql.Open("sqlite", address(file, append(pragmas, busyTimeout(engineWait), "query_only(1)", "cache_size(-2048)")...)+parameters)
	if err != nil {
		return nil, nil, err
	}
	conn, err := handle.Conn(ctx)
	if err != nil {
		_ = handle.Close()
		return nil, nil, storeError(err)
	}
	return newSession(conn, time.Now), handle, nil
}

// Size returns the size of the snapshot in bytes.
func (n *Snapshot) Size() int64 { return n.pages * n.size }

// Schema returns the version of the last migration, or 0 if there is none.
func (n *Snapshot) Schema(ctx context.Context) (int64, error) { return n.s.number(ctx, selectSchema) }

// Counted returns how far the event log is counted. The file must be one of OpenUsage.
func (n *Snapshot) Counted(ctx context.Context) (event.Position, error) {
	progress, err := sqlstore.CountsConn{Conn: n.s}.Progress(ctx)
	return progress.Position, err
}

// LastEvent returns the position of the last event. The file must be one of OpenEvents.
func (n *Snapshot) LastEvent(ctx context.Context) (event.Position, error) {
	return n.s.number(ctx, sqlstore.SelectEventHead)
}

// WriteTo writes the snapshot as a database file of Size bytes, page by page, and returns the number of bytes written.
func (n *Snapshot) WriteTo(ctx context.Context, w io.Writer) (written int64, err error) {
	var page sql.RawBytes
	err = n.s.Query(ctx, selectPages, func(row sqlstore.Row) error {
		if err := row.Scan(&page); err != nil {
			return err
		}
		count, err := w.Write(page)
		written += int64(count)
		return err
	})
	if err == nil && written != n.Size() {
		err = fmt.Errorf("store/sqlite: %d of %d bytes could be read", written, n.Size())
	}
	return written, err
}

// Close ends the snapshot and moves the content of the write-ahead log into the file. Otherwise a writer would do this
// within its next commit.
func (n *Snapshot) Close(ctx context.Context) error {
	n.s.end(rollback)
	_, _ = n.s.number(ctx, checkpoint) // another process may be doing it
	return n.disconnect()
}

func (n *Snapshot) disconnect() error {
	err := n.s.close()
	if closing := n.handle.Close(); err == nil {
		err = closing
	}
	return err
}

// IsDamaged reports whether an error of a Snapshot or of CheckFile means that the file is damaged.
func IsDamaged(err error) bool {
	if fault.CodeOf(err) == fault.Invalid {
		return true
	}
	var e *driver.Error
	if !errors.As(err, &e) {
		return false
	}
	code := e.Code() & 0xff
	return code == codes.SQLITE_CORRUPT || code == codes.SQLITE_NOTADB
}

// CheckFile reads a whole database file that nothing else uses, and returns an error that names the first fault in its
// structure or its indexes. It leaves no files beside it.
func CheckFile(ctx context.Context, file string) (err error) {
	s, handle, err := openExisting(ctx, file, "&immutable=1")
	if err != nil {
		return err
	}
	defer func() {
		_ = s.close()
		_ = handle.Close()
	}()
	var found []string
	err = s.Query(ctx, checkAll, func(row sqlstore.Row) error {
		var text string
		if err := row.Scan(&text); err != nil {
			return err
		}
		if text != "ok" {
			found = append(found, text)
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		return err
	}
	return fault.Errorf(fault.Invalid, "%s", found[0])
}
