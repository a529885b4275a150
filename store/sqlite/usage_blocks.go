package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/store/sqlstore"
	"github.com/filmstrip/filmstrip/store/usagelogic"
)

var insertBlock = define(`INSERT INTO usage_blocks (` + sqlstore.BlockColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)

// PutBlocks implements usagelogic.BlockTx.
func (s *session) PutBlocks(ctx context.Context, blocks []usagelogic.Block) error {
	for i := range blocks {
		b := &blocks[i]
		s.Do(ctx, insertBlock, int64(b.Key.Account), b.Key.Month, b.Key.Number, b.Plays, b.Size, int64(b.From), int64(b.To),
			b.First, b.Last, b.Voided, b.Summary, b.Body)
	}
	return s.Send(ctx)
}
