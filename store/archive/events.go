package archive

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// Log is an event log whose months can be moved.
type Log interface {
	store.Events
	store.Sizer
	store.MonthMover
}

// Options are the settings of Events.
type Options struct {
	Files Files
	// Temporary is the directory in which files are prepared; "": that of the system.
	Temporary string
	// Begun reports whether events have moved to the archive, so that a missing manifest is a lost one. It is called only if the
	// manifest is missing. Without Begun, Events knows of the moves that it has seen itself.
	Begun func(context.Context) (bool, error)
	// FileBytes is the size at which a file ends; 0: 64 MB.
	FileBytes int64
	Logger    *slog.Logger
	Now       func() time.Time
}

// DefaultFileBytes is the default of Options.FileBytes.
const DefaultFileBytes = 64_000_000

// Events is a store.Events that reads a log and its archive as one log. Close closes the log.
type Events struct {
	store.Events
	log       Log
	files     Files
	begun     func(context.Context) (bool, error)
	temporary string
	fileBytes int64
	groupRows int // groupRows, except in tests
	logger    *slog.Logger
	now       func() time.Time
	known     atomic.Pointer[state]
	walks     walks
	dropped   atomic.Pointer[droppedState]
}

var _ store.Events = (*Events)(nil)

// New returns the log together with its archive. It reads nothing yet.
func New(log Log, options Options) *Events {
	e := &Events{
		Events: log, log: log, files: options.Files, begun: options.Begun, temporary: options.Temporary, fileBytes: cmp.Or(options.FileBytes, DefaultFileBytes), groupRows: groupRows,
		logger: options.Logger, now: options.Now,
	}
	if e.logger == nil {
		e.logger = slog.New(slog.DiscardHandler)
	}
	if e.now == nil {
		e.now = time.Now
	}
	e.known.Store(&state{Manifest: &Manifest{}})
	return e
}

// Place names the place of the archive, without credentials.
func (e *Events) Place() string { return e.files.String() }

// Check returns an error if the manifest cannot be read.
func (e *Events) Check(ctx context.Context) error {
	_, err := e.load(ctx)
	return err
}

// Size implements store.Sizer: it is the size of the log.
func (e *Events) Size(ctx context.Context) (store.Size, error) { return e.log.Size(ctx) }

// Close implements store.Events.
func (e *Events) Close() error {
	e.walks.close()
	return e.log.Close()
}

// maxAttempts is how often a call begins again because the archive has changed meanwhile.
const maxAttempts = 20

// retry calls try until it does not return errAgain.
func retry(ctx context.Context, try func() error) error {
	for range maxAttempts {
		if err := try(); !errors.Is(err, errAgain) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return fault.Errorf(fault.Unavailable, "the archive of the event log changes too often")
}

// errAgain makes retry begin again.
var errAgain = errors.New("the archive has changed")

// Read implements store.Events. A reader behind everything that the log has dropped reads the log alone, so the archive
// need not be available.
func (e *Events) Read(ctx context.Context, query store.EventQuery, after event.Position, limit int) (events []event.Event, err error) {
	limit = min(max(0, limit), storelogic.MaxRead)
	recent := query
	recent.Dropped = 0
	events, err = e.log.Read(ctx, recent, after, limit)
	if fault.CodeOf(err) != fault.Conflict {
		return events, err
	}
	err = retry(ctx, func() error {
		log, err := e.log.Dropped(ctx)
		if err != nil {
			return err
		}
		now, err := e.load(ctx)
		if err != nil {
			return err
		}
		if err := storelogic.CheckDropped(query, after, now.droppedWith(log)); err != nil {
			return err
		}
		events, err = e.read(ctx, now, query, log, after, limit)
		if err == nil || errors.Is(err, ErrMissing) || fault.CodeOf(err) == fault.Conflict {
			return e.unchanged(ctx, now, log, err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// unchanged returns err if the archive is as it was, and errAgain otherwise.
func (e *Events) unchanged(ctx context.Context, before *state, log event.Position, err error) error {
	now, errLoad := e.load(ctx)
	if errLoad != nil {
		return errLoad
	}
	if now.tag != before.tag {
		return errAgain
	}
	if fault.CodeOf(err) == fault.Conflict {
		if dropped, errDropped := e.log.Dropped(ctx); errDropped != nil || dropped != log {
			return cmp.Or(errDropped, errAgain)
		}
	}
	return err
}

// read merges the events of the archive and of the log. dropped is the result of Dropped of the log.
func (e *Events) read(ctx context.Context, now *state, query store.EventQuery, dropped, after event.Position, limit int) (events []event.Event, err error) {
	query.Dropped = dropped
	var among []event.Event
	if after < now.Through {
		// The events of newer months that lie among those that were moved.
		newer := query
		newer.From = max(query.From, now.Before.Start())
		newer.UpTo = now.Through
		if query.UpTo > 0 {
			newer.UpTo = min(query.UpTo, now.Through)
		}
		if query.To == 0 || newer.From < query.To {
			if among, err = e.log.Read(ctx, newer, after, limit); err != nil {
				return nil, err
			}
		}
		if events, err = e.merge(ctx, now, query, among, after, limit); err != nil {
			return nil, err
		}
	}
	after = max(after, now.Through)
	if len(events) == limit || query.UpTo > 0 && query.UpTo <= after {
		return events, nil
	}
	rest, err := e.log.Read(ctx, query, after, limit-len(events))
	return append(events, rest...), err
}

// merge returns up to limit events of the archive after a position, with those of the log among them.
func (e *Events) merge(ctx context.Context, now *state, query store.EventQuery, among []event.Event, after event.Position, limit int) (events []event.Event, err error) {
	w := e.walks.take(now, query, after)
	if w == nil {
		var parts []*Part
		for i := range now.Months {
			for k := range now.Months[i].Files {
				parts = append(parts, &now.Months[i].Files[k])
			}
		}
		w = e.newWalk(parts, filterOf(query, after, now.Through))
	}
	w.use(ctx)
	for len(events) < limit {
		next, of, err := w.head(ctx)
		if err != nil {
			w.close()
			return nil, err
		}
		switch {
		case next == nil && len(among) == 0:
			w.close()
			return events, nil
		case next == nil || len(among) > 0 && among[0].Position < next.Position:
			events, among = append(events, among[0]), among[1:]
		default:
			events = append(events, *next)
			of.advance()
		}
	}
	if limit == 0 {
		w.close()
		return events, nil
	}
	e.walks.put(w, now, query, events[limit-1].Position)
	return events, nil
}

// droppedState is a result of Dropped.
type droppedState struct {
	log, dropped event.Position
	at           time.Time
}

// droppedAge is how old the manifest may be from which Dropped answers: counting calls it several times a second, and a
// request to a bucket costs time and money.
const droppedAge = 5 * time.Second

// Dropped implements store.Events. Drops of the archive by other processes appear within five seconds, or once the archive
// is available again: counting must not wait for it, and Read compares with the current manifest.
func (e *Events) Dropped(ctx context.Context) (event.Position, error) {
	log, err := e.log.Dropped(ctx)
	if err != nil || log == 0 {
		return log, err
	}
	now, known := e.now(), e.dropped.Load()
	isKnown := known != nil && known.log == log
	if isKnown && now.Sub(known.at).Abs() < droppedAge {
		return known.dropped, nil
	}
	manifest, err := e.load(ctx)
	if isKnown && fault.CodeOf(err) == fault.Unavailable {
		return known.dropped, nil
	}
	if err != nil {
		return 0, err
	}
	dropped := manifest.droppedWith(log)
	e.dropped.Store(&droppedState{log, dropped, now})
	return dropped, nil
}

// Drop implements store.Events. First the manifest forgets the months, then the log drops its own, and at last the files
// are removed.
func (e *Events) Drop(ctx context.Context, before usage.Month) (event.Position, error) {
	err := retry(ctx, func() error {
		now, err := e.load(ctx)
		if err != nil {
			return err
		}
		next := now.next()
		next.Months = nil
		for _, month := range now.Months {
			if !month.Month.Before(before) {
				next.Months = append(next.Months, month)
				continue
			}
			for _, part := range month.Files {
				next.Dropped = max(next.Dropped, part.Last)
			}
		}
		if len(next.Months) == len(now.Months) {
			return nil
		}
		return e.change(ctx, now, next)
	})
	if err != nil {
		return 0, err
	}
	if _, err := e.log.Drop(ctx, before); err != nil {
		return 0, err
	}
	if err := e.sweepIf(ctx); err != nil {
		return 0, err
	}
	e.dropped.Store(nil)
	return e.Dropped(ctx)
}

// change publishes a manifest. The error is errAgain if another process has published one since.
func (e *Events) change(ctx context.Context, now *state, next *Manifest) error {
	err := e.publish(ctx, now, next)
	if errors.Is(err, ErrChanged) {
		return errAgain
	}
	e.dropped.Store(nil)
	return err
}

// sweepIf removes unlisted files if there is an archive.
func (e *Events) sweepIf(ctx context.Context) error {
	now, err := e.load(ctx)
	if err != nil || now.tag == "" {
		return err
	}
	return e.sweep(ctx)
}

func (e *Events) remove(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := e.files.Remove(ctx, name); err != nil {
			return e.unavailable("the file "+name+" cannot be removed", err)
		}
	}
	return nil
}
