package store

import "context"

// Sizer is implemented by engines that know how much they hold.
type Sizer interface {
	// Size returns what the engine holds. Its cost does not grow with the data: it reads no table.
	Size(ctx context.Context) (Size, error)
}

// Size is what an engine holds.
type Size struct {
	// Bytes is the size on disk, with indexes and logs.
	Bytes int64
	// Tables are the MaxTables largest tables that the engine knows, the largest first: by bytes or, where those are unknown,
	// by rows.
	Tables []TableSize
}

// MaxTables is the most tables in a Size.
const MaxTables = 8

// TableSize is the size of one table.
type TableSize struct {
	Name string
	// Rows is an estimate; nil if the engine has none.
	Rows *int64
	// Bytes is the size with all indexes; nil if the engine does not know it.
	Bytes *int64
}
