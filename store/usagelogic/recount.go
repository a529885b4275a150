package usagelogic

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Since returns the plays of a month and of later months.
func Since(plays []usage.Play, from usage.Month) []usage.Play {
	start := from.Start()
	isBefore := func(p usage.Play) bool { return p.At < start }
	if !slices.ContainsFunc(plays, isBefore) {
		return plays
	}
	return slices.DeleteFunc(slices.Clone(plays), isBefore)
}

// Errors of a recount that cannot continue as requested.
var (
	ErrRecountMoved = fault.Errorf(fault.Conflict, "the recount has been continued or ended by another process, or must begin again")
	ErrUngathered   = fault.Errorf(fault.Conflict, "the recount has plays that GatherRecount must add to the counts first")
	ErrRenaming     = fault.Errorf(fault.Unavailable, "a person is being forgotten: repeat a 'users forget' that was interrupted, then the recount")
)

// EachGrain calls fn with every dimension of cells and its grains, until fn returns an error.
func EachGrain(fn func(dimension usage.Dimension, grain Grain) error) error {
	for dimension, of := range grains {
		for _, grain := range of {
			if err := fn(dimension, grain); err != nil {
				return err
			}
		}
	}
	return nil
}

// Numbers keeps the numbers of terms between the steps of a recount. While a recount continues, no number changes its
// meaning: what changes numbers makes the recount begin again. The zero value is empty.
type Numbers struct {
	mu      sync.Mutex
	recount string
	known   Dictionary
}

// maxNumbers is the largest number of terms that Numbers keeps, of some hundred bytes each.
const maxNumbers = 500_000

// Take returns what the last call of Keep for a recount kept, or an empty dictionary. The caller owns it.
func (n *Numbers) Take(recount string) Dictionary {
	n.mu.Lock()
	defer n.mu.Unlock()
	known := n.known
	n.known = nil
	if known == nil || n.recount != recount || len(known) > maxNumbers {
		return Dictionary{}
	}
	return known
}

// Keep keeps numbers after a step that was committed.
func (n *Numbers) Keep(recount string, known Dictionary) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.recount, n.known = recount, known
}

// FirstBlock is before every block.
var FirstBlock = BlockKey{Month: math.MinInt32}

// GatherTx is a transaction that gathers cells from blocks.
type GatherTx interface {
	// BlocksBehind calls each with up to limit blocks behind a key, in the order of keys. The callback must not retain
	// the summary and the body.
	BlocksBehind(ctx context.Context, key BlockKey, limit int, each func(b *Block) error) error
	// AddCells adds cells, each of which occurs once, to the stored ones.
	AddCells(ctx context.Context, cells []*Cell) error
	// PutParts inserts parts that are not stored.
	PutParts(ctx context.Context, parts []Part) error
}

// GatheredPlays is the number of plays that a recount gathers in one transaction, which bounds the memory and the time
// of the transaction. It may exceed this number by the plays of gatheredBlocks.
const GatheredPlays = 1 << 19

// gatheredBlocks is the number of blocks that are read at once.
const gatheredBlocks = 16

// GatherBlocks adds the plays of the blocks behind a key to cells, up to about most plays. It returns the key of the last
// of these blocks, and whether no block is behind it. The cells of an account and month must contain nothing but the
// plays of the blocks up to the key.
func GatherBlocks(ctx context.Context, tx GatherTx, after BlockKey, most int64) (last BlockKey, done bool, err error) {
	g := &gatherer{begun: BlockKey{Account: after.Account, Month: after.Month}}
	for last = after; !done && most > 0; {
		var blocks []Block
		limit := int(min(gatheredBlocks, most))
		err := tx.BlocksBehind(ctx, last, limit, func(b *Block) error {
			most, last = most-b.Plays, b.Key
			blocks = append(blocks, *b)
			copied := &blocks[len(blocks)-1]
			copied.Summary, copied.Body = slices.Clone(b.Summary), slices.Clone(b.Body)
			return nil
		})
		if err != nil {
			return after, false, err
		}
		done = len(blocks) < limit
		if err := g.write(ctx, tx, func() error { return g.add(blocks) }); err != nil {
			return after, false, err
		}
	}
	err = g.write(ctx, tx, func() error { g.end(); return nil })
	if err == nil {
		err = g.write(ctx, tx, func() error { return nil })
	}
	return last, done, err
}

// gatherer gathers cells from blocks, one account and month after the other.
type gatherer struct {
	// begun is the account and month whose cells may contain plays already.
	begun BlockKey
	key   BlockKey
	month *gathering
	plays []Play
	// cells and parts are ready to be written.
	cells []*Cell
	parts []Part
}

func (g *gatherer) add(blocks []Block) (err error) {
	for i := range blocks {
		b := &blocks[i]
		if key := (BlockKey{Account: b.Key.Account, Month: b.Key.Month}); g.month == nil || key != g.key {
			g.end()
			g.key, g.month = key, newGathering(key)
		}
		if g.plays, err = b.Decode(g.plays[:0]); err != nil {
			return err
		}
		for i := range g.plays {
			g.month.add(&g.plays[i])
		}
	}
	return nil
}

// end makes the cells of the current account and month ready.
func (g *gatherer) end() {
	if g.month == nil {
		return
	}
	cells := g.month.ordered()
	g.month = nil
	if g.key == g.begun {
		g.cells = cells
		return
	}
	for _, c := range cells {
		g.parts = append(g.parts, c.Part(0, c.Body()))
	}
}

// write writes what is ready, while it runs next.
func (g *gatherer) write(ctx context.Context, tx GatherTx, next func() error) error {
	cells, parts := g.cells, g.parts
	g.cells, g.parts = nil, nil
	ended := make(chan error, 1)
	go func() {
		err := next()
		// The months of an account alternate in the order of keys, in which an engine inserts fastest.
		slices.SortFunc(g.parts, func(a, b Part) int { return a.Key.CellKey.compare(b.Key.CellKey) })
		ended <- err
	}()
	err := error(nil)
	if len(cells) > 0 {
		err = tx.AddCells(ctx, cells)
	}
	if err == nil && len(parts) > 0 {
		err = tx.PutParts(ctx, parts)
	}
	if ending := <-ended; err == nil {
		err = ending
	}
	return err
}
