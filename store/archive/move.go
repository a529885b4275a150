package archive

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// Stats count what the archive holds. Bytes are those of the files of events.
type Stats struct {
	Months, Files int
	Events, Bytes int64
}

// Stats returns the numbers of the archive, as this process last read its manifest.
func (e *Events) Stats() Stats {
	var s Stats
	for _, month := range e.known.Load().Months {
		s.Months++
		for _, part := range month.Files {
			s.Files++
			s.Events, s.Bytes = s.Events+part.Events, s.Bytes+part.Bytes
		}
	}
	return s
}

// Move moves the months before kept that are sealed, the oldest first, and returns how many events it moved. seals are all
// seals (store.Usage.Seals). A move that was interrupted, at any step, is completed or begins again. Several processes may
// call Move; they only waste work.
func (e *Events) Move(ctx context.Context, seals []usage.Seal, kept usage.Month) (moved int64, err error) {
	if len(seals) == 0 {
		return 0, nil
	}
	if open := seals[len(seals)-1].Month.Next(); open.Before(kept) {
		kept = open
	}
	for {
		events, err := e.moveNext(ctx, seals, kept)
		moved += events
		if err != nil {
			return moved, err
		}
		if events == 0 {
			break
		}
	}
	if moved == 0 {
		return 0, nil
	}
	return moved, e.sweep(ctx)
}

// begin returns the manifest from which a change starts, and creates the first one. It completes the last move.
func (e *Events) begin(ctx context.Context) (now *state, err error) {
	err = retry(ctx, func() error {
		if now, err = e.load(ctx); err != nil || now.tag != "" {
			return err
		}
		names, err := e.files.List(ctx)
		if err != nil {
			return e.unavailable("the files cannot be listed", err)
		}
		if at := slices.IndexFunc(names, func(name string) bool { _, ours := baseOf(name); return ours }); at >= 0 {
			return e.unavailable("the file "+ManifestName+" is missing; restore it from a copy", fmt.Errorf("there are files such as %s", names[at]))
		}
		next := now.next()
		if next.Dropped, err = e.log.Dropped(ctx); err != nil {
			return err
		}
		if err := e.change(ctx, now, next); err != nil {
			return err
		}
		return errAgain
	})
	if err != nil {
		return nil, err
	}
	head, err := e.log.Head(ctx)
	if err != nil {
		return nil, err
	}
	if now.Through > head {
		return nil, e.unavailable("it belongs to another log", fmt.Errorf("it has events up to %d, and the log ends at %d: one of the two was restored without the other", now.Through, head))
	}
	return now, nil
}

// settle lets the log drop the events that the manifest lists. late reports that the log has newer events of these months,
// which arrived after the months had been moved; it keeps them.
func (e *Events) settle(ctx context.Context, now *state) (late bool, err error) {
	if now.Through == 0 {
		return false, nil
	}
	err = e.log.DropMoved(ctx, now.Before, now.Through)
	if fault.CodeOf(err) == fault.Conflict {
		return true, nil
	}
	return false, err
}

// moveNext moves the oldest month, or events that arrived late, and returns the number of events; 0: there is nothing to
// move.
func (e *Events) moveNext(ctx context.Context, seals []usage.Seal, kept usage.Month) (int64, error) {
	dropped, err := e.log.Dropped(ctx)
	if err != nil {
		return 0, err
	}
	// Usually the first event is too new. Reading it is cheap.
	first, err := e.log.Read(ctx, store.EventQuery{Dropped: dropped}, 0, 1)
	if err != nil || len(first) == 0 || first[0].Received >= kept.Start() {
		return 0, err
	}
	now, err := e.begin(ctx)
	if err != nil {
		return 0, err
	}
	late, err := e.settle(ctx, now)
	if err != nil {
		return 0, err
	}
	before, upTo := e.bounds(now, seals, usage.MonthOf(first[0].Received), late)
	if kept.Before(before) || upTo <= now.Through {
		return 0, nil
	}
	m := &move{events: e, now: now, before: before, upTo: upTo, months: map[usage.Month]*monthMove{}, from: newDigest()}
	if err := m.count(ctx); err != nil || m.from.events == 0 {
		return 0, err
	}
	defer m.close()
	if err := m.write(ctx); err != nil {
		return 0, err
	}
	if err := m.compare(ctx); err != nil {
		return 0, err
	}
	if err := m.publish(ctx); err != nil {
		return 0, err
	}
	e.logger.InfoContext(ctx, "events were moved to the archive", "before", before, "events", m.from.events, "files", len(m.parts))
	if now, err = e.load(ctx); err != nil {
		return m.from.events, err
	}
	_, err = e.settle(ctx, now)
	return m.from.events, err
}

// bounds returns the month before which events are moved, and the last position. Events up to the seal of a month are
// counted and billed. All events of the month are among them, except those that a process with a wrong clock stores later;
// a later seal counts these.
func (e *Events) bounds(now *state, seals []usage.Seal, oldest usage.Month, late bool) (before usage.Month, upTo event.Position) {
	before = oldest.Next()
	if before.Before(now.Before) {
		before = now.Before
	}
	at := slices.IndexFunc(seals, func(s usage.Seal) bool { return !s.Month.Next().Before(before) })
	if at < 0 {
		return before, 0
	}
	if upTo = seals[at].Position; late || upTo <= now.Through {
		upTo = seals[len(seals)-1].Position
	}
	return before, upTo
}

// move moves events of the log.
type move struct {
	events *Events
	now    *state
	before usage.Month
	upTo   event.Position
	last   event.Position
	months map[usage.Month]*monthMove
	// from sums up the events as the log returned them first.
	from  *digest
	parts []*Part
	added []Index
	open  []*writer
}

// monthMove is the part of a move that concerns one month of receipt.
type monthMove struct {
	bytes  map[string]int64 // by account
	groups map[string]*group
	videos []videoRow
}

// group is a sequence of parts: those of one large account, or those that all others share.
type group struct {
	account *string
	of      int
	writers []*writer
}

// each calls fn for each event to move, in order. The event does not change afterwards.
func (m *move) each(ctx context.Context, fn func(e *event.Event) error) error {
	dropped, err := m.events.log.Dropped(ctx)
	if err != nil {
		return err
	}
	query := store.EventQuery{To: m.before.Start(), UpTo: m.upTo, Dropped: dropped}
	for after := event.Position(0); ; {
		page, err := m.events.log.Read(ctx, query, after, 5_000)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			return nil
		}
		after = page[len(page)-1].Position
		for i := range page {
			if m.now.moved(&page[i]) {
				continue
			}
			if err := fn(&page[i]); err != nil {
				return err
			}
		}
	}
}

// count learns how large the accounts of each month are.
func (m *move) count(ctx context.Context) error {
	return m.each(ctx, func(e *event.Event) error {
		month := usage.MonthOf(e.Received)
		of := m.months[month]
		if of == nil {
			of = &monthMove{bytes: map[string]int64{}, groups: map[string]*group{}}
			m.months[month] = of
		}
		of.bytes[e.Account] += weigh(e)
		m.last = e.Position
		m.from.add(e)
		return nil
	})
}

// divide decides which accounts get files of their own: those that fill an eighth of a file. Others share files, so that
// many small accounts do not lead to many small files.
func (m *monthMove) divide(fileBytes int64) {
	shared := int64(0)
	for account, bytes := range m.bytes {
		if account == "" || bytes < fileBytes/8 {
			shared += bytes
			continue
		}
		m.groups[account] = newGroup(&account, bytes, fileBytes)
	}
	m.groups[""] = newGroup(nil, shared, fileBytes)
}

// newGroup returns a group with parts that are about half full, because an estimate may be wrong.
func newGroup(account *string, bytes, fileBytes int64) *group {
	of := int(bytes/(fileBytes/2)) + 1
	return &group{account: account, of: of, writers: make([]*writer, of)}
}

// write writes all files.
func (m *move) write(ctx context.Context) error {
	for _, month := range m.months {
		month.divide(m.events.fileBytes)
	}
	buffered := 0
	err := m.each(ctx, func(e *event.Event) error {
		w, err := m.writerOf(ctx, e)
		if err != nil {
			return err
		}
		if buffered++; buffered == bufferedRows {
			buffered = 0
			if err := m.flush(); err != nil {
				return err
			}
		}
		return w.add(e)
	})
	if err != nil {
		return err
	}
	for number, month := range m.months {
		if err := m.endMonth(ctx, number, month); err != nil {
			return err
		}
	}
	return nil
}

// writerOf returns the writer of an event's part. It ends a file that is nearly full and begins another.
func (m *move) writerOf(ctx context.Context, e *event.Event) (*writer, error) {
	month := m.months[usage.MonthOf(e.Received)]
	if month == nil {
		return nil, errChangedLog
	}
	of := month.groups[e.Account]
	if of == nil {
		of = month.groups[""]
	}
	number := partOf(e, of.of)
	if w := of.writers[number]; w != nil {
		if w.written.n <= m.events.fileBytes*3/4 {
			return w, nil
		}
		if err := m.end(ctx, month, w); err != nil {
			return nil, err
		}
		of.writers[number] = nil
	}
	w, err := m.events.newWriter(Part{Account: of.account, Part: number, Of: of.of})
	if err != nil {
		return nil, err
	}
	of.writers[number] = w
	m.open = append(m.open, w)
	return w, nil
}

// endMonth ends the files of a month and writes its index of videos.
func (m *move) endMonth(ctx context.Context, number usage.Month, month *monthMove) error {
	for _, of := range month.groups {
		for _, w := range of.writers {
			if w == nil {
				continue
			}
			if err := m.end(ctx, month, w); err != nil {
				return err
			}
		}
	}
	index, err := putVideos(ctx, m.events.files, number.String(), m.now.Version, month.videos)
	if err != nil {
		return m.events.unavailable("a file cannot be written", err)
	}
	m.added = append(m.added, index)
	return nil
}

var errChangedLog = fault.Errorf(fault.Unavailable, "the event log has changed while a month was moved; the next run moves it")

// flush ends the row groups of all writers, which bounds the memory of many.
func (m *move) flush() error {
	for _, w := range m.open {
		if err := w.flush(); err != nil {
			return err
		}
	}
	return nil
}

// end stores a file.
func (m *move) end(ctx context.Context, month *monthMove, w *writer) error {
	if err := w.put(ctx, m.events.files, m.now.Version); err != nil {
		return m.events.unavailable("a file cannot be written", err)
	}
	month.videos = append(month.videos, w.videoRows()...)
	m.parts = append(m.parts, &w.Part)
	m.open = slices.DeleteFunc(m.open, func(o *writer) bool { return o == w })
	w.close()
	return nil
}

// videoRows returns the rows of the file in the list of files by video.
func (w *writer) videoRows() (rows []videoRow) {
	for video, events := range w.videos {
		rows = append(rows, videoRow{video, w.Name, events})
	}
	w.videos = nil
	return rows
}

func (m *move) close() {
	for _, w := range m.open {
		w.close()
	}
}

// compare reads all files and compares them with what the log returned first.
func (m *move) compare(ctx context.Context) error {
	stored, err := m.events.digestOf(ctx, m.parts)
	if err != nil {
		return err
	}
	if want := m.from.sum(); stored != want {
		return m.events.unavailable("the files differ from the log, which keeps the events", fmt.Errorf("%s are stored, the log has %s", stored, want))
	}
	return nil
}

// digestOf reads files and returns the sum of their events.
func (e *Events) digestOf(ctx context.Context, parts []*Part) (string, error) {
	w := e.newWalk(slices.Clone(parts), filterOf(store.EventQuery{}, 0, 1<<62))
	defer w.close()
	sum := newDigest()
	for {
		next, of, err := w.head(ctx)
		if err != nil {
			return "", err
		}
		if next == nil {
			return sum.sum(), nil
		}
		sum.add(next)
		of.advance()
	}
}

// publish replaces the manifest by one that lists the files.
func (m *move) publish(ctx context.Context) error {
	log, err := m.events.log.Dropped(ctx)
	if err != nil {
		return err
	}
	next := m.now.next()
	next.Dropped = m.now.droppedWith(log)
	next.Before, next.Through = m.before, max(m.now.Through, m.last)
	added := map[usage.Month]*Month{}
	for month := range maps.Keys(m.months) {
		added[month] = &Month{Month: month}
	}
	for _, part := range m.parts {
		of := added[usage.MonthOf(part.From)]
		of.Files, of.Events = append(of.Files, *part), of.Events+part.Events
	}
	for _, index := range m.added {
		month, err := usage.ParseMonth(index.Name[:len("2006-01")])
		if err != nil {
			return err
		}
		added[month].Videos = append(added[month].Videos, index)
	}
	for i, month := range next.Months {
		if more := added[month.Month]; more != nil {
			next.Months[i].Files = slices.Concat(month.Files, more.Files)
			next.Months[i].Videos = slices.Concat(month.Videos, more.Videos)
			next.Months[i].Events += more.Events
			delete(added, month.Month)
		}
	}
	for _, month := range added {
		next.Months = append(next.Months, *month)
	}
	slices.SortFunc(next.Months, func(a, b Month) int { return a.Month.Number() - b.Month.Number() })
	if err := m.events.change(ctx, m.now, next); err != nil {
		if errors.Is(err, errAgain) {
			return errChangedLog
		}
		return err
	}
	return nil
}

// sweep removes the files that no manifest lists or will list.
func (e *Events) sweep(ctx context.Context) error {
	now, err := e.load(ctx)
	if err != nil {
		return err
	}
	names, err := e.files.List(ctx)
	if err != nil {
		return e.unavailable("the files cannot be listed", err)
	}
	listed := now.names()
	var gone []string
	for _, name := range names {
		base, ours := baseOf(name)
		if ours && base > now.Version {
			return e.unavailable("the manifest is older than the files; restore the newest "+ManifestName,
				fmt.Errorf("it has the version %d, and %s was written from version %d", now.Version, name, base))
		}
		if ours && !listed[name] && base < now.Version {
			gone = append(gone, name)
		}
	}
	return e.remove(ctx, gone)
}

// folderOf returns the folder of the files of a month.
func folderOf(received event.Instant) string { return usage.MonthOf(received).String() }
