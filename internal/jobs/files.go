package jobs

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/store"
)

// OpenFile returns a reader of what a file of the store has received, from an offset on. It ends with
// io.ErrUnexpectedEOF if the file is deleted meanwhile. The context applies to all its reads.
func OpenFile(ctx context.Context, of store.Jobs, file *store.File, offset int64) io.ReadCloser {
	return &reader{ctx: ctx, store: of, file: file, offset: offset}
}

type reader struct {
	ctx    context.Context
	store  store.Jobs
	file   *store.File
	offset int64
	piece  []byte
}

// Read implements io.Reader.
func (r *reader) Read(into []byte) (n int, err error) {
	if len(r.piece) == 0 {
		if r.piece, err = r.store.ReadFile(r.ctx, r.file.ID, r.offset); err != nil {
			return 0, err
		}
		switch {
		case len(r.piece) > 0:
		case r.offset < r.file.Received:
			return 0, io.ErrUnexpectedEOF
		default:
			return 0, io.EOF
		}
		r.offset += int64(len(r.piece))
	}
	n = copy(into, r.piece)
	r.piece = r.piece[n:]
	return n, nil
}

// Close implements io.Closer.
func (r *reader) Close() error { return nil }

// Copy appends what a reader yields to a file of the store, from an offset on, and returns how many bytes it appended.
// After an error of the reader, it appends what it has read.
func Copy(ctx context.Context, to store.Jobs, id string, offset int64, from io.Reader) (written int64, err error) {
	w := &Writer{ctx: ctx, store: to, File: &store.File{ID: id, Received: offset}}
	_, err = io.Copy(w, from)
	if flushed := w.Flush(); err == nil {
		err = flushed
	}
	return w.Received - offset, err
}

// NewFile adds a file that a job writes. An earlier attempt of the job may have left one with its name, which goes.
func (r *Run) NewFile(ctx context.Context, name, filetype string) (*Writer, error) {
	files, err := r.Store.FilesOf(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if file.Name == name {
			if err := r.Store.DeleteFile(ctx, file.ID); err != nil {
				return nil, err
			}
		}
	}
	file := &store.File{
		ID: NewID(), Account: r.Account, Actor: r.Actor, Job: r.ID, Name: name, Size: -1,
		Metadata: map[string]string{"filename": name, "filetype": filetype},
	}
	return r.Writer(ctx, file), r.Store.AddFile(ctx, file)
}

// Writer returns a writer that appends to a file.
func (r *Run) Writer(ctx context.Context, file *store.File) *Writer {
	return &Writer{ctx: ctx, store: r.Store, File: file}
}

// Writer writes a file of the store in large pieces. Flush must follow the last Write.
type Writer struct {
	*store.File
	ctx    context.Context
	store  store.Jobs
	buffer []byte
}

// Write implements io.Writer.
func (w *Writer) Write(bytes []byte) (n int, err error) {
	for n < len(bytes) {
		part := bytes[n:min(len(bytes), n+store.MaxChunk-len(w.buffer))]
		w.buffer = append(w.buffer, part...)
		n += len(part)
		if len(w.buffer) == store.MaxChunk {
			if err := w.Flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// Flush stores what has been written.
func (w *Writer) Flush() error {
	if len(w.buffer) == 0 {
		return nil
	}
	if err := w.store.AppendFile(w.ctx, w.ID, w.Received, w.buffer); err != nil {
		return err
	}
	w.Received += int64(len(w.buffer))
	w.buffer = w.buffer[:0]
	return nil
}
