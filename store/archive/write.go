package archive

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/filmstrip/filmstrip/event"
)

const (
	// groupRows and groupBytes end a row group: the number of its rows, and the bytes of their long texts.
	groupRows  = 100_000
	groupBytes = 16 << 20
	// bufferedRows is how many rows all writers keep in memory together.
	bufferedRows = 1_000_000
	// bitsPerValue is the size of bloom filters for each distinct value; one answer in a hundred is wrong.
	bitsPerValue = 10
)

// unbounded are the columns without statistics: queries do not compare long texts, and their statistics would be long, too.
var unbounded = []string{"referer", "details", "metadata"}

// compression is shared by all files: it keeps encoders, each of which takes megabytes.
var compression = &zstd.Codec{Level: zstd.SpeedBetterCompression}

// writerOptions are the properties of the files.
func writerOptions() []parquet.WriterOption {
	options := []parquet.WriterOption{
		rowSchema, parquet.Compression(compression), parquet.CreatedBy("filmstrip", "1", ""), parquet.DataPageStatistics(true),
		parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("position"))),
		parquet.BloomFilters(parquet.SplitBlockFilter(bitsPerValue, "accountId"), parquet.SplitBlockFilter(bitsPerValue, "userId"),
			parquet.SplitBlockFilter(bitsPerValue, "tokenUserId"), parquet.SplitBlockFilter(bitsPerValue, "videoId")),
	}
	for _, column := range unbounded {
		options = append(options, parquet.SkipPageBounds(column))
	}
	return options
}

// writer writes one file of events.
type writer struct {
	Part
	temporary *os.File
	parquet   *parquet.GenericWriter[row]
	written   counter
	sum       hash.Hash // SHA-256 of what was written
	rows      []row
	// groupRows and groupBytes count the rows and the bytes of long texts in the current row group.
	groupRows, groupBytes int
	maxRows               int
	videos                map[string]int64
}

// counter counts what passes through.
type counter struct {
	io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += int64(n)
	return n, err
}

// newWriter begins a file. The file is in a temporary place, which nobody else can open, until put.
func (e *Events) newWriter(part Part) (*writer, error) {
	temporary, err := os.CreateTemp(e.temporary, unfinished)
	if err != nil {
		return nil, err
	}
	_ = os.Remove(temporary.Name()) // where open files can be removed, a crash leaves nothing behind
	w := &writer{Part: part, temporary: temporary, maxRows: e.groupRows, videos: map[string]int64{}, sum: sha256.New()}
	w.written.Writer = io.MultiWriter(temporary, w.sum)
	w.parquet = parquet.NewGenericWriter[row](&w.written, writerOptions()...)
	return w, nil
}

// add adds an event, which must not change until the next flush. Positions must increase.
func (w *writer) add(e *event.Event) error {
	if w.Events == 0 {
		w.First, w.From, w.To = e.Position, e.Received, e.Received
	}
	w.Events++
	w.Last, w.From, w.To = e.Position, min(w.From, e.Received), max(w.To, e.Received)
	w.Addresses = w.Addresses || e.Address != ""
	if e.Video != "" {
		w.videos[e.Video]++
	}
	w.rows = append(w.rows, rowOf(e))
	w.groupRows++
	w.groupBytes += len(e.Details) + len(e.Metadata) + len(e.Referer)
	if len(w.rows) == cap(w.rows) || len(w.rows) >= 1024 {
		if err := w.flushRows(); err != nil {
			return err
		}
	}
	if w.groupRows >= w.maxRows || w.groupBytes >= groupBytes {
		return w.flush()
	}
	return nil
}

func (w *writer) flushRows() error {
	_, err := w.parquet.Write(w.rows)
	clear(w.rows) // the rows reference the events
	w.rows = w.rows[:0]
	return err
}

// flush ends the row group.
func (w *writer) flush() error {
	if err := w.flushRows(); err != nil {
		return err
	}
	w.groupRows, w.groupBytes = 0, 0
	return w.parquet.Flush()
}

// put ends the file and stores it. Until the manifest lists it, it belongs to nobody.
func (w *writer) put(ctx context.Context, files Files, base int64) error {
	if err := errors.Join(w.flushRows(), w.parquet.Close()); err != nil {
		return err
	}
	if _, err := w.temporary.Seek(0, io.SeekStart); err != nil {
		return err
	}
	kind := "shared"
	if w.Account != nil {
		kind = "account"
		if isPlain(*w.Account) {
			kind = *w.Account
		}
	}
	w.Name = name(folderOf(w.From), fmt.Sprintf("%s-p%02d", kind, w.Part.Part), base, rand.Text()[:10])
	w.Bytes, w.SHA256 = w.written.n, hex.EncodeToString(w.sum.Sum(nil))
	return files.Put(ctx, w.Name, w.temporary, w.Bytes)
}

func (w *writer) close() {
	_ = w.temporary.Close()
	_ = os.Remove(w.temporary.Name()) // usually it is removed already
}

// isPlain reports whether an account's ID can be part of a name.
func isPlain(id string) bool {
	for _, c := range []byte(id) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return len(id) > 0 && len(id) <= 64
}

// putVideos stores a file that lists the files with events of each video.
func putVideos(ctx context.Context, files Files, folder string, base int64, rows []videoRow) (Index, error) {
	slices.SortFunc(rows, func(a, b videoRow) int { return cmp.Or(cmp.Compare(a.Video, b.Video), cmp.Compare(a.File, b.File)) })
	var content bytes.Buffer
	w := parquet.NewGenericWriter[videoRow](&content, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("filmstrip", "1", ""),
		parquet.BloomFilters(parquet.SplitBlockFilter(bitsPerValue, "videoId")))
	if _, err := w.Write(rows); err != nil {
		return Index{}, err
	}
	if err := w.Close(); err != nil {
		return Index{}, err
	}
	index := Index{Name: name(folder, "videos", base, rand.Text()[:10]), Bytes: int64(content.Len())}
	return index, files.Put(ctx, index.Name, bytes.NewReader(content.Bytes()), index.Bytes)
}
