package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// batchRows is how many rows a cursor decodes at once.
const batchRows = 1024

// filter selects events.
type filter struct {
	storelogic.EventRange
	// person is event.Event.Person; "": all. noAccount keeps only events without an account.
	person    string
	noAccount bool
	kinds     []event.Kind
	after     event.Position
}

func filterOf(query store.EventQuery, after, upTo event.Position) *filter {
	f := &filter{EventRange: storelogic.RangeOf(query, upTo), kinds: query.Kinds, after: after}
	if f.ExternalUser != "" || f.User != "" {
		f.person = query.Person
	}
	f.noAccount = f.IsNamed && query.Account == ""
	return f
}

// selects reports whether a file can contain selected events.
func (f *filter) selects(p *Part) bool {
	switch {
	case p.Last <= f.after || p.First > f.UpTo || p.To < f.From || p.From >= f.To:
		return false
	case p.Account != nil && (f.noAccount || f.Account != "" && f.Account != *p.Account):
		return false
	}
	return f.person == "" || p.Erased || partOfPerson(f.person, p.Of) == p.Part
}

// column reads one column of a row group.
type column struct {
	chunk  parquet.ColumnChunk
	pages  parquet.Pages
	values parquet.ValueReader
	page   parquet.Page
	// done are pages whose values the last result of read may reference.
	done []parquet.Page
	// at is the row of the next value. left is how many values the page still has.
	at, left int64
	buffer   []parquet.Value
}

// read returns the values of n rows from a row on. They are valid until the next call.
func (c *column) read(from int64, n int) ([]parquet.Value, error) {
	for _, page := range c.done {
		parquet.Release(page)
	}
	c.done = c.done[:0]
	if c.pages == nil {
		c.pages = c.chunk.Pages()
	}
	if from != c.at {
		if _, err := c.chunk.OffsetIndex(); err != nil && !errors.Is(err, parquet.ErrMissingOffsetIndex) {
			return nil, err
		}
		if err := c.pages.SeekToRow(from); err != nil {
			return nil, err
		}
		c.dismiss()
		c.at = from
	}
	if cap(c.buffer) < n {
		c.buffer = make([]parquet.Value, max(n, int(min(batchRows, c.chunk.NumValues()))))
	}
	c.buffer = c.buffer[:n]
	for filled := 0; filled < n; {
		if c.left == 0 {
			c.dismiss()
			page, err := c.pages.ReadPage()
			if err != nil {
				return nil, unexpected(err)
			}
			c.page, c.values, c.left = page, page.Values(), page.NumValues()
			continue
		}
		got, err := c.values.ReadValues(c.buffer[filled:min(n, filled+int(c.left))])
		if got == 0 && err != nil {
			return nil, unexpected(err)
		}
		filled, c.left, c.at = filled+got, c.left-int64(got), c.at+int64(got)
	}
	return c.buffer, nil
}

// unexpected returns io.ErrUnexpectedEOF for io.EOF.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (c *column) dismiss() {
	if c.page != nil {
		c.done = append(c.done, c.page)
	}
	c.page, c.values, c.left = nil, nil, 0
}

func (c *column) close() {
	c.dismiss()
	for _, page := range c.done {
		parquet.Release(page)
	}
	if c.pages != nil {
		_ = c.pages.Close()
	}
}

// cursor yields the selected events of a file, in the order of positions.
type cursor struct {
	part   *Part
	filter *filter
	reader *readerAt
	file   *parquet.File
	// group is the number of the next row group. columns are those of the current one; row and rows are its next row and
	// the number of its rows.
	group     int
	columns   []column
	row, rows int64
	batch     []event.Event
	texts     [columns]map[string]string
	selected  []int
}

// open returns a cursor.
func (e *Events) open(ctx context.Context, part *Part, filter *filter) (*cursor, error) {
	file, err := e.files.Open(ctx, part.Name, part.Bytes)
	if err != nil {
		return nil, e.lost(part.Name, err)
	}
	c := &cursor{part: part, filter: filter, reader: &readerAt{file: file, size: part.Bytes, ctx: ctx}}
	// The library opens bloom filters at the start or reads them from a wrong offset.
	withBloom := filter.Account != "" || filter.IsNamed || filter.ExternalUser != "" || filter.User != ""
	c.file, err = parquet.OpenFile(c.reader, part.Bytes, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(!withBloom),
		parquet.OptimisticRead(true), parquet.ReadBufferSize(32<<10))
	if err == nil && len(c.file.Schema().Columns()) != columns {
		err = fmt.Errorf("the file has %d columns instead of %d", len(c.file.Schema().Columns()), columns)
	}
	if err != nil {
		c.close()
		return nil, e.lost(part.Name, err)
	}
	return c, nil
}

// lost returns the error for a file that cannot be read. It names the file.
func (e *Events) lost(name string, err error) error {
	if errors.Is(err, ErrMissing) {
		return e.unavailable("the file "+name+" is missing; restore it from a copy", err)
	}
	return e.unavailable("the file "+name+" cannot be read; restore it from a copy if this continues", err)
}

func (c *cursor) close() {
	c.endGroup()
	_ = c.reader.file.Close()
}

func (c *cursor) endGroup() {
	for i := range c.columns {
		c.columns[i].close()
	}
	c.columns = nil
}

// head returns the next event, or nil at the end. It is valid until the next call of advance.
func (c *cursor) head() (*event.Event, error) {
	for len(c.batch) == 0 {
		if c.row < c.rows {
			if err := c.decode(); err != nil {
				return nil, err
			}
			continue
		}
		c.endGroup()
		if c.group >= len(c.file.RowGroups()) {
			return nil, nil
		}
		if err := c.begin(c.file.RowGroups()[c.group], c.group); err != nil {
			return nil, err
		}
		c.group++
	}
	return &c.batch[0], nil
}

func (c *cursor) advance() { c.batch = c.batch[1:] }

// begin starts with a row group, or passes it over if it contains no selected events.
func (c *cursor) begin(group parquet.RowGroup, number int) error {
	c.row, c.rows = 0, 0
	chunks := group.ColumnChunks()
	if _, last, ok := bounds(chunks[colPosition]); ok && last.Int64() <= c.filter.after {
		return nil
	}
	if first, _, ok := bounds(chunks[colPosition]); ok && first.Int64() > c.filter.UpTo {
		c.group = len(c.file.RowGroups())
		return nil
	}
	for _, wanted := range []struct {
		text    string
		columns []int
	}{{c.filter.Account, []int{colAccount}}, {c.filter.ExternalUser, []int{colExternal}}, {c.filter.User, []int{colUser}}} {
		if wanted.text == "" {
			continue
		}
		if may, err := mayContain(chunks, wanted.text, wanted.columns...); err != nil || !may {
			return err
		}
	}
	named := !c.filter.IsNamed
	for column, names := range map[int][]string{colExternal: c.filter.ExternalUsers, colUser: c.filter.Users} {
		for _, name := range names {
			may, err := mayContain(chunks, name, column)
			if err != nil {
				return err
			}
			named = named || may
		}
	}
	if !named {
		return nil
	}
	if err := c.expect(number); err != nil {
		return err
	}
	c.rows = group.NumRows()
	c.columns = make([]column, columns)
	for i := range c.columns {
		c.columns[i].chunk = chunks[i]
	}
	return nil
}

// mayContain reports whether one of some columns may contain a text.
func mayContain(chunks []parquet.ColumnChunk, text string, columns ...int) (bool, error) {
	for _, column := range columns {
		bloom := chunks[column].BloomFilter()
		if bloom == nil {
			return true, nil
		}
		if found, err := bloom.Check(parquet.ValueOf(text)); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// bounds returns the statistics of a column.
func bounds(chunk parquet.ColumnChunk) (least, greatest parquet.Value, ok bool) {
	if file, isFile := chunk.(*parquet.FileColumnChunk); isFile {
		return file.Bounds()
	}
	return least, greatest, false
}

// expect announces that the row group will be read.
func (c *cursor) expect(number int) error {
	from, to := int64(math.MaxInt64), int64(0)
	for _, chunk := range c.file.Metadata().RowGroups[number].Columns {
		meta := chunk.MetaData
		first := meta.DataPageOffset
		if meta.DictionaryPageOffset > 0 {
			first = min(first, meta.DictionaryPageOffset)
		}
		from, to = min(from, first), max(to, first+meta.TotalCompressedSize)
	}
	return c.reader.file.Expect(c.reader.ctx, from, min(to, c.part.Bytes)-from)
}

// decode decodes the selected events of the next rows. First it reads only the columns that decide.
func (c *cursor) decode() error {
	if err := c.reader.ctx.Err(); err != nil {
		return err
	}
	from, n := c.row, int(min(batchRows, c.rows-c.row))
	c.row += int64(n)
	f := c.filter
	positions, err := c.columns[colPosition].read(from, n)
	if err != nil {
		return err
	}
	if positions[n-1].Int64() <= f.after {
		return nil
	}
	selected := c.selected[:0]
	for i := range positions {
		if p := positions[i].Int64(); p > f.after && p <= f.UpTo {
			selected = append(selected, i)
		}
	}
	keep := func(column int, kept func(v *parquet.Value) bool) error {
		if len(selected) == 0 {
			return nil
		}
		values, err := c.columns[column].read(from, n)
		if err != nil {
			return err
		}
		selected = slices.DeleteFunc(selected, func(i int) bool { return !kept(&values[i]) })
		return nil
	}
	text := func(wanted string) func(*parquet.Value) bool {
		return func(v *parquet.Value) bool { return !v.IsNull() && string(v.ByteArray()) == wanted }
	}
	null := func(v *parquet.Value) bool { return v.IsNull() }
	read := map[int]bool{colPosition: true}
	conditions := []struct {
		is     bool
		column int
		kept   func(v *parquet.Value) bool
	}{
		{f.ExternalUser != "", colExternal, text(f.ExternalUser)},
		{f.User != "", colUser, text(f.User)},
		{f.User != "", colExternal, null},
		{f.Account != "", colAccount, text(f.Account)},
		{f.noAccount, colAccount, null},
		{f.From > c.part.From || f.To <= c.part.To, colReceived, func(v *parquet.Value) bool {
			return v.Int64() >= int64(f.From) && v.Int64() < int64(f.To)
		}},
		{len(f.kinds) > 0, colKind, func(v *parquet.Value) bool {
			kind, err := event.ParseKind(string(v.ByteArray()))
			return err == nil && slices.Contains(f.kinds, kind)
		}},
	}
	for _, condition := range conditions {
		if !condition.is {
			continue
		}
		if err := keep(condition.column, condition.kept); err != nil {
			return err
		}
		read[condition.column] = len(selected) > 0
	}
	if f.IsNamed && len(selected) > 0 {
		external, err := c.columns[colExternal].read(from, n)
		if err != nil {
			return err
		}
		user, err := c.columns[colUser].read(from, n)
		if err != nil {
			return err
		}
		named := func(v *parquet.Value, names []string) bool {
			return !v.IsNull() && slices.Contains(names, string(v.ByteArray()))
		}
		selected = slices.DeleteFunc(selected, func(i int) bool { return !named(&external[i], f.ExternalUsers) && !named(&user[i], f.Users) })
		read[colExternal], read[colUser] = true, true
	}
	c.selected = selected
	if len(selected) == 0 {
		return nil
	}
	return c.build(from, n, selected, read)
}

// build decodes the selected rows. Columns in read have been read already.
func (c *cursor) build(from int64, n int, selected []int, read map[int]bool) error {
	c.batch = make([]event.Event, len(selected))
	for number := range c.columns {
		values := c.columns[number].buffer
		if !read[number] {
			var err error
			if values, err = c.columns[number].read(from, n); err != nil {
				return err
			}
		}
		for at, i := range selected {
			v := &values[i]
			if v.IsNull() {
				continue
			}
			if err := c.set(&c.batch[at], number, v); err != nil {
				return err
			}
		}
	}
	return nil
}

// set sets the field of a column.
func (c *cursor) set(e *event.Event, number int, v *parquet.Value) (err error) {
	switch number {
	case colPosition:
		e.Position = v.Int64()
	case colID:
		if copy(e.ID[:], v.ByteArray()) != len(e.ID) {
			return errors.New("an ID is too short")
		}
	case colKind:
		if text := v.ByteArray(); len(text) > 0 {
			e.Kind, err = event.ParseKind(string(text))
		}
	case colAt:
		e.At = event.Instant(v.Int64())
	case colReceived:
		e.Received = event.Instant(v.Int64())
	case colAccount:
		e.Account = c.text(number, v)
	case colClient:
		e.Client = c.text(number, v)
	case colExternal:
		e.ExternalUser = c.text(number, v)
	case colUser:
		e.User = c.text(number, v)
	case colVideo:
		e.Video = c.text(number, v)
	case colStart:
		e.Start = v.Int64()
	case colEnd:
		e.End = v.Int64()
	case colCounted:
		e.Counted = v.Int64()
	case colSubtype:
		e.Subtype = c.text(number, v)
	case colSandbox:
		e.Sandbox = v.Boolean()
	case colHidden:
		e.Hidden = v.Boolean()
	case colContinues:
		e.Continues = v.Boolean()
	case colTrace:
		e.Trace = string(v.ByteArray())
	case colReferer:
		e.Referer = c.text(number, v)
	case colAddress:
		e.Address = c.text(number, v)
	case colDetails:
		e.Details = slices.Clone(v.ByteArray())
	case colMetadata:
		e.Metadata = slices.Clone(v.ByteArray())
	}
	return err
}

// maxTexts is how many texts of a column a cursor remembers, so that equal texts share memory.
const maxTexts = 4096

func (c *cursor) text(number int, v *parquet.Value) string {
	known := c.texts[number]
	if text, ok := known[string(v.ByteArray())]; ok {
		return text
	}
	if known == nil || len(known) >= maxTexts {
		known = map[string]string{}
		c.texts[number] = known
	}
	text := string(v.ByteArray())
	known[text] = text
	return text
}

// walk yields the selected events of several files in the order of positions.
type walk struct {
	events  *Events
	filter  *filter
	pending []*Part // in the order of First
	open    []*cursor
}

func (e *Events) newWalk(parts []*Part, filter *filter) *walk {
	parts = slices.DeleteFunc(parts, func(p *Part) bool { return !filter.selects(p) })
	slices.SortFunc(parts, func(a, b *Part) int { return int(min(1, max(-1, a.First-b.First))) })
	return &walk{events: e, filter: filter, pending: parts}
}

// use sets the context for the next calls.
func (w *walk) use(ctx context.Context) {
	for _, c := range w.open {
		c.reader.ctx = ctx
	}
}

// head returns the next event and its cursor, or nil at the end. A file is opened when its first event may be the next.
func (w *walk) head(ctx context.Context) (next *event.Event, of *cursor, err error) {
	for {
		next, of = nil, nil
		for i := 0; i < len(w.open); i++ {
			c := w.open[i]
			e, err := c.head()
			if err != nil {
				return nil, nil, w.events.lost(c.part.Name, err)
			}
			if e == nil {
				c.close()
				w.open = slices.Delete(w.open, i, i+1)
				i--
				continue
			}
			if next == nil || e.Position < next.Position {
				next, of = e, c
			}
		}
		if len(w.pending) == 0 || next != nil && w.pending[0].First > next.Position {
			return next, of, nil
		}
		c, err := w.events.open(ctx, w.pending[0], w.filter)
		if err != nil {
			return nil, nil, err
		}
		w.pending = w.pending[1:]
		w.open = append(w.open, c)
	}
}

func (w *walk) close() {
	for _, c := range w.open {
		c.close()
	}
	w.open, w.pending = nil, nil
}
