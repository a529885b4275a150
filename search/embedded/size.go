package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Size returns the size of the snapshot on disk in bytes, or -1 if there is none, and the number of documents. The index in
// memory is about as large as a snapshot of it.
func (x *Index) Size(ctx context.Context) (bytes, documents int64, err error) {
	n, err := x.Count(ctx)
	if err != nil || x.dir == "" {
		return -1, int64(n), err
	}
	info, err := os.Stat(snapshotPath(x.dir))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return -1, int64(n), nil
	case err != nil:
		return 0, 0, unavailable("the search index cannot read its snapshot", err)
	}
	return info.Size(), int64(n), nil
}
