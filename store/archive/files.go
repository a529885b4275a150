package archive

import (
	"context"
	"errors"
	"io"
)

// Files stores the files of an archive under names such as 2026-01/school-0-7-k3x9.parquet. A name is written once; only
// Replace changes a file. Every method may be called concurrently, and by several processes.
type Files interface {
	// Get returns the content of a small file and a tag that identifies the content. If the file still has the tag
	// unless, content is nil. The error is ErrMissing if the file does not exist.
	Get(ctx context.Context, name, unless string) (content []byte, tag string, err error)
	// Open opens a file of a known size. The error is ErrMissing if the file does not exist.
	Open(ctx context.Context, name string, size int64) (File, error)
	// Put stores a new file of a known size, which is durable when Put returns. A file that Put could not finish is
	// invisible. Another attempt reads the content again, so it has to be able to seek.
	Put(ctx context.Context, name string, content io.ReadSeeker, size int64) error
	// Replace stores a small file if its tag is still the given one ("": if it does not exist), in one atomic step, and
	// returns its new tag. Otherwise the error is ErrChanged.
	Replace(ctx context.Context, name string, content []byte, tag string) (string, error)
	// Remove removes a file. A missing file is no error.
	Remove(ctx context.Context, name string) error
	// List returns the names of all files, in any order.
	List(ctx context.Context) ([]string, error)
	// String names the place for people, without credentials.
	String() string
}

// File is an open file. One goroutine at a time uses it.
type File interface {
	// ReadAt fills p with the content from an offset on. The error is ErrMissing if the file was removed.
	ReadAt(ctx context.Context, p []byte, offset int64) error
	// Expect announces that most of a part of the file will be read. The file may keep the part in memory until the next
	// call.
	Expect(ctx context.Context, offset, length int64) error
	Close() error
}

// These are errors of Files.
var (
	ErrMissing = errors.New("the file does not exist")
	ErrChanged = errors.New("another process has changed the file")
)

// readerAt is a File as an io.ReaderAt. ctx is the context of the current reader of the log.
type readerAt struct {
	file File
	size int64
	ctx  context.Context
}

// ReadAt implements io.ReaderAt.
func (r *readerAt) ReadAt(p []byte, offset int64) (int, error) {
	n := min(int64(len(p)), r.size-offset)
	if n <= 0 {
		return 0, io.EOF
	}
	if err := r.file.ReadAt(r.ctx, p[:n], offset); err != nil {
		return 0, err
	}
	if int(n) < len(p) {
		return int(n), io.EOF
	}
	return int(n), nil
}
