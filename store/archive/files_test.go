package archive

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// TestFiles checks the contract of Files.
func TestFiles(t *testing.T) {
	for name, place := range everywhere {
		t.Run(name, func(t *testing.T) {
			ctx, open := t.Context(), place(t)
			files, other := open(), open()
			if names, err := files.List(ctx); len(names) > 0 || err != nil {
				t.Errorf("an empty place has %v (%v)", names, err)
			}
			if _, _, err := files.Get(ctx, "m.json", ""); !errors.Is(err, ErrMissing) {
				t.Errorf("a missing file: %v", err)
			}
			first := must(files.Replace(ctx, "m.json", []byte("one"), ""))(t)
			for _, stale := range []string{"", first + "0"} {
				if _, err := other.Replace(ctx, "m.json", []byte("two"), stale); !errors.Is(err, ErrChanged) {
					t.Errorf("a replacement of %q: %v", stale, err)
				}
			}
			content, tag, err := other.Get(ctx, "m.json", "")
			if string(content) != "one" || tag != first || err != nil {
				t.Errorf("got %q, tag %q (%v)", content, tag, err)
			}
			if content, tag, err := other.Get(ctx, "m.json", first); content != nil || tag != first || err != nil {
				t.Errorf("unchanged: %q, tag %q (%v)", content, tag, err)
			}
			second := must(other.Replace(ctx, "m.json", []byte("two"), first))(t)
			if content, tag, err := files.Get(ctx, "m.json", first); string(content) != "two" || tag != second || err != nil {
				t.Errorf("changed: %q, tag %q (%v)", content, tag, err)
			}
			all := bytes.Repeat([]byte("0123456789"), 100_000)
			if err := files.Put(ctx, "2026-01/a b-0.parquet", bytes.NewReader(all), int64(len(all))); err != nil {
				t.Fatal(err)
			}
			file := must(other.Open(ctx, "2026-01/a b-0.parquet", int64(len(all))))(t)
			for _, at := range []int{0, 999_000, 500_003, 17} {
				p := make([]byte, 1000)
				if err := file.ReadAt(ctx, p, int64(at)); err != nil || !bytes.Equal(p, all[at:at+1000]) {
					t.Errorf("at %d: %v", at, err)
				}
				if err := file.Expect(ctx, int64(at), 500); err != nil {
					t.Error(err)
				}
			}
			names := must(files.List(ctx))(t)
			if slices.Sort(names); !slices.Equal(names, []string{"2026-01/a b-0.parquet", "m.json"}) {
				t.Errorf("the names are %v", names)
			}
			for range 2 {
				if err := files.Remove(ctx, "2026-01/a b-0.parquet"); err != nil {
					t.Error(err)
				}
			}
			gone, err := files.Open(ctx, "2026-01/a b-0.parquet", int64(len(all)))
			if err == nil {
				err = gone.ReadAt(ctx, make([]byte, 10), 0)
			}
			if !errors.Is(err, ErrMissing) {
				t.Errorf("a removed file: %v", err)
			}
		})
	}
}
