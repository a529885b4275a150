package embedded

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"reflect"
	"runtime"
	"sync/atomic"
)

var held atomic.Int64

// Held returns the memory of all segments of this process in bytes, whether an index shows them or not. It contains hardly any
// pointers, so the garbage collector passes over it.
func Held() int64 { return held.Load() }

// hold counts the memory of a segment until the segment is garbage.
func (s *segment) hold() {
	size := arraysIn(reflect.ValueOf(s).Elem())
	held.Add(size)
	runtime.AddCleanup(s, func(size int64) { held.Add(-size) }, size)
}

// arraysIn returns the size of the slices in a value that contain numbers.
func arraysIn(v reflect.Value) (size int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			size += arraysIn(v.Field(i))
		}
	case reflect.Array:
		for i := range v.Len() {
			size += arraysIn(v.Index(i))
		}
	case reflect.Slice:
		if element := v.Type().Elem(); element.Kind() >= reflect.Int && element.Kind() <= reflect.Float64 {
			size = int64(v.Cap()) * int64(element.Size())
		}
	}
	return size
}

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
