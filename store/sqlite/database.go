package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // registers the driver
)

var errClosed = errors.New("store/sqlite: the database is closed")

// engineWait is how long the engine itself waits for a lock before a call returns. The session repeats the call until
// its patience is exhausted.
const engineWait = 100 * time.Millisecond

// database is one file with one write connection and several read connections.
type database struct {
	settings
	path    string
	handles []*sql.DB
	all     []*session
	writer  chan *session
	readers chan *session
	closed  chan struct{}
	closing sync.Once
}

// open opens or creates the file, brings its schema up to date and opens the connections.
func open(ctx context.Context, path, name string, options []Option) (*database, error) {
	d := &database{settings: settingsOf(options), path: path, closed: make(chan struct{})}
	if _, err := migrate(ctx, path, name, d.settings); err != nil {
		return nil, fmt.Errorf("migrate %s: %w", filepath.Base(path), err)
	}
	d.writer = make(chan *session, 1)
	d.readers = make(chan *session, d.settings.readers)
	err := d.connect(ctx, d.writer, path, append(d.writing,
		busyTimeout(engineWait), d.cacheSize(writerPages),
		// With a checkpoint every 16 MB of log, imports write each page of an index fewer times.
		"wal_autocheckpoint(4096)", "journal_size_limit(67108864)")...)
	if err == nil {
		err = d.connect(ctx, d.readers, path,
			busyTimeout(d.patience), "query_only(1)", d.cacheSize(readerPages))
	}
	if err != nil {
		_ = d.disconnect()
		return nil, err
	}
	return d, nil
}

// createPrivate creates a file that only its owner may read, unless the file exists. The engine would create it
// readable for everybody, and gives its mode to the files beside it.
func createPrivate(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// connect fills a pool with connections.
func (d *database) connect(ctx context.Context, pool chan *session, path string, pragmas ...string) error {
	handle, err := sql.Open("sqlite", address(path, append(pragmas, d.lasting()...)...))
	if err != nil {
		return err
	}
	d.handles = append(d.handles, handle)
	for range cap(pool) {
		conn, err := handle.Conn(ctx)
		if err != nil {
			return storeError(err)
		}
		s := newSession(conn, d.now)
		d.all = append(d.all, s)
		pool <- s
	}
	return nil
}

// lasting returns the settings of every connection. With them, committed data survives a power failure.
func (s settings) lasting() []string {
	return []string{"journal_mode(WAL)", "synchronous(" + s.synchronous + ")", "temp_store(MEMORY)"}
}

func busyTimeout(d time.Duration) string { return fmt.Sprintf("busy_timeout(%d)", d.Milliseconds()) }

// address returns the driver's name for a file with the settings of each connection to it.
func address(path string, pragmas ...string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	query := url.Values{"_pragma": pragmas}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), RawQuery: query.Encode()}).String()
}

func (d *database) take(ctx context.Context, pool chan *session) (*session, error) {
	select {
	case <-d.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	default:
	}
	select {
	case s := <-pool:
		return s, nil
	case <-d.closed:
		return nil, errClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read runs fn with a read connection. Each statement sees the state of its moment.
func (d *database) read(ctx context.Context, fn func(*session) error) error {
	s, err := d.take(ctx, d.readers)
	if err != nil {
		return err
	}
	defer func() { d.readers <- s }()
	return s.call(fn)
}

// readSnapshot is like read, but all statements see one state.
func (d *database) readSnapshot(ctx context.Context, fn func(*session) error) error {
	return d.read(ctx, func(s *session) error {
		return s.reading(ctx, func() error { return fn(s) })
	})
}

// write runs fn in a transaction of the write connection.
func (d *database) write(ctx context.Context, fn func(*session) error) error {
	s, err := d.take(ctx, d.writer)
	if err != nil {
		return err
	}
	defer func() { d.writer <- s }()
	return s.writing(ctx, d.patience, func() error { return s.call(fn) })
}

// Close waits for the calls in progress and closes the file. Later calls fail.
func (d *database) Close() (err error) {
	d.closing.Do(func() {
		close(d.closed)
		for _, pool := range []chan *session{d.writer, d.readers} {
			for range cap(pool) {
				<-pool
			}
		}
		err = d.disconnect()
	})
	return err
}

func (d *database) disconnect() (err error) {
	for _, s := range d.all {
		err = errors.Join(err, s.close())
	}
	for _, handle := range d.handles {
		err = errors.Join(err, handle.Close())
	}
	return err
}
