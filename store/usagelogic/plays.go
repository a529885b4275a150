package usagelogic

import (
	"context"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// BlockSource finds blocks in one snapshot of the counts.
type BlockSource interface {
	// Headers calls each with the blocks of a span, in the order of their keys and without bodies. The callback must
	// not retain the summary.
	Headers(ctx context.Context, span BlockSpan, each func(*Block) error) error
	// Blocks calls each with the blocks of keys, in any order, and with their indexes in the list. The callback must
	// not retain the summary and the body.
	Blocks(ctx context.Context, keys []BlockKey, each func(place int, b *Block) error) error
}

// BlockTx is a transaction that changes blocks.
type BlockTx interface {
	BlockSource
	// Newest calls each with up to limit blocks of the account and month of each key, the highest number first, without
	// summaries and bodies.
	Newest(ctx context.Context, of []BlockKey, limit int, each func(place int, b *Block)) error
	// PutBlocks inserts blocks that are not stored.
	PutBlocks(ctx context.Context, blocks []Block) error
	DeleteBlocks(ctx context.Context, keys []BlockKey) error
}

// BlockSpan selects blocks of an account with FromMonth <= month < ToMonth and plays between two instants.
type BlockSpan struct {
	Account            Number
	FromMonth, ToMonth int64
	// From is the first instant and To the instant after the last.
	From, To event.Instant
	// Summaries requests summaries. Voided selects only blocks with voided plays.
	Summaries, Voided bool
}

// blocksOf returns the span of the blocks of an account that may have plays in a period.
func blocksOf(account Number, from, to event.Instant) BlockSpan {
	s := BlockSpan{Account: account, FromMonth: math.MinInt32, ToMonth: math.MaxInt32, From: from, To: to}
	if from > noFrom {
		s.FromMonth = Month.Bucket(from)
	}
	if to < noTo {
		s.ToMonth = Month.Bucket(to-1) + 1
	}
	return s
}

// blocksAtOnce is the number of blocks, of up to some ten kilobytes each, that one call reads or writes.
const blocksAtOnce = 16

// readPlays calls each with all plays in a span, in any order. The callback must not retain the play or its Subjects.
func readPlays(ctx context.Context, source BlockSource, span PlaySpan, each func(*Play)) error {
	var persons, videos []Number
	if span.Persons != nil && !slices.Contains(span.Persons, 0) {
		persons = sortedOnce(slices.Clone(span.Persons))
	}
	if span.OfVideo {
		videos = []Number{span.Video}
	}
	of := blocksOf(span.Account, span.From, span.To)
	of.Summaries = persons != nil || videos != nil
	keys, err := keysOf(ctx, source, of, persons, videos)
	if err != nil {
		return err
	}
	return decodeBlocks(ctx, source, keys, func(_ *Block, plays []Play) error {
		for i := range plays {
			p := &plays[i]
			if p.At < span.From || p.At >= span.To || p.Void > span.MaxVoid() || p.Sandbox && !span.Sandbox || span.OfVideo && p.Video != span.Video {
				continue
			}
			if persons != nil {
				if _, found := slices.BinarySearch(persons, p.Person); !found {
					continue
				}
			}
			each(p)
		}
		return nil
	})
}

// keysOf returns the keys of the blocks of a span that may contain plays of the persons and videos; nil stands for all.
func keysOf(ctx context.Context, source BlockSource, span BlockSpan, persons, videos []Number) (keys []BlockKey, err error) {
	err = source.Headers(ctx, span, func(b *Block) error {
		if span.Summaries {
			if has, err := b.has(persons, videos); err != nil || !has {
				return err
			}
		}
		keys = append(keys, b.Key)
		return nil
	})
	return keys, err
}

// decodeBlocks calls each with blocks and their plays. The callback must retain neither.
func decodeBlocks(ctx context.Context, source BlockSource, keys []BlockKey, each func(*Block, []Play) error) error {
	var plays []Play
	for some := range slices.Chunk(keys, blocksAtOnce) {
		err := source.Blocks(ctx, some, func(_ int, b *Block) (err error) {
			if plays, err = b.Decode(plays[:0]); err != nil {
				return err
			}
			return each(b, plays)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const (
	// newestBlocks is the number of blocks that an addition considers for absorption. As sizes halve, few accounts have
	// more blocks that are not full.
	newestBlocks = 16
	// playLength is the expected size of a play in bytes.
	playLength = 16
	// groupsAtOnce is the number of accounts and months whose plays are added together.
	groupsAtOnce = 500
)

// AddPlays adds plays to the blocks. Small new blocks absorb the ones before (Absorbs), until they are full.
func AddPlays(ctx context.Context, tx BlockTx, plays []Play) error {
	groups := map[BlockKey][]Play{}
	for i := range plays {
		p := &plays[i]
		key := BlockKey{Account: p.Account, Month: Month.Bucket(p.At)}
		groups[key] = append(groups[key], *p)
	}
	keys := make([]BlockKey, 0, len(groups))
	for key := range groups {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, BlockKey.compare)
	encoder := &blockEncoder{}
	for some := range slices.Chunk(keys, groupsAtOnce) {
		if err := addGroups(ctx, tx, encoder, some, groups); err != nil {
			return err
		}
	}
	return nil
}

func addGroups(ctx context.Context, tx BlockTx, encoder *blockEncoder, keys []BlockKey, groups map[BlockKey][]Play) error {
	newest := make([][]Block, len(keys))
	err := tx.Newest(ctx, keys, newestBlocks, func(place int, b *Block) { newest[place] = append(newest[place], *b) })
	if err != nil {
		return err
	}
	var absorbed, written []BlockKey
	for i, key := range keys {
		added := playLength * len(groups[key])
		for _, b := range newest[i] {
			if key.Number = b.Key.Number + 1; b.Plays >= BlockPlays || !Absorbs(int(b.Size), added) {
				break
			}
			absorbed, added, key.Number = append(absorbed, b.Key), added+int(b.Size), b.Key.Number
		}
		written = append(written, key)
	}
	earlier := map[BlockKey][]Play{}
	slices.SortFunc(absorbed, BlockKey.compare)
	err = decodeBlocks(ctx, tx, absorbed, func(b *Block, plays []Play) error {
		key := BlockKey{Account: b.Key.Account, Month: b.Key.Month}
		earlier[key] = append(earlier[key], plays...)
		return nil
	})
	if err != nil {
		return err
	}
	if err := tx.DeleteBlocks(ctx, absorbed); err != nil {
		return err
	}
	var blocks []Block
	for i, key := range written {
		all := append(earlier[keys[i]], groups[keys[i]]...)
		delete(groups, keys[i])
		if !slices.IsSortedFunc(all, byPosition) {
			slices.SortFunc(all, byPosition)
		}
		for some := range slices.Chunk(all, BlockPlays) {
			blocks = append(blocks, encoder.encode(key, some))
			if key.Number++; len(blocks) == blocksAtOnce {
				if err := tx.PutBlocks(ctx, blocks); err != nil {
					return err
				}
				blocks = blocks[:0]
			}
		}
	}
	return tx.PutBlocks(ctx, blocks)
}

// changeBlocks calls change with the plays of blocks, and replaces the blocks for which it returns true.
func changeBlocks(ctx context.Context, tx BlockTx, keys []BlockKey, change func(plays []Play) bool) error {
	for some := range slices.Chunk(keys, blocksAtOnce) {
		var (
			gone    []BlockKey
			changed []Block
		)
		err := decodeBlocks(ctx, tx, some, func(b *Block, plays []Play) error {
			if change(plays) {
				gone, changed = append(gone, b.Key), append(changed, EncodeBlock(b.Key, plays))
			}
			return nil
		})
		if err != nil {
			return err
		}
		if err := tx.DeleteBlocks(ctx, gone); err != nil {
			return err
		}
		if err := tx.PutBlocks(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// replaceInBlocks assigns all plays of a person of an account to another person.
func replaceInBlocks(ctx context.Context, tx BlockTx, account, old, by Number) error {
	span := blocksOf(account, noFrom, noTo)
	span.Summaries = true
	keys, err := keysOf(ctx, tx, span, []Number{old}, nil)
	if err != nil {
		return err
	}
	return changeBlocks(ctx, tx, keys, func(plays []Play) (changed bool) {
		for i := range plays {
			if plays[i].Person == old {
				plays[i].Person, changed = by, true
			}
		}
		return changed
	})
}

// markPlays sets Void of the given plays of one account and month.
func markPlays(ctx context.Context, tx BlockTx, account Number, month usage.Month, marked []Play) error {
	marks, first, last := make(map[event.Position]int64, len(marked)), marked[0].Position, marked[0].Position
	for i := range marked {
		p := &marked[i]
		marks[p.Position], first, last = p.Void, min(first, p.Position), max(last, p.Position)
	}
	var keys []BlockKey
	err := tx.Headers(ctx, blocksOf(account, month.Start(), month.End()), func(b *Block) error {
		if b.First <= last && b.Last >= first {
			keys = append(keys, b.Key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return changeBlocks(ctx, tx, keys, func(plays []Play) (changed bool) {
		for i := range plays {
			if mark, found := marks[plays[i].Position]; found {
				plays[i].Void, changed = mark, true
			}
		}
		return changed
	})
}

// nextPlay returns the start of the first account and month that may have plays of a search.
func nextPlay(ctx context.Context, source Source, search PlaySearch) (place PlayPlace, found bool, err error) {
	accounts := []Number{search.After.Account}
	if search.Void != 0 || search.OfVideo {
		if accounts, err = everyAccount(ctx, source); err != nil {
			return place, false, err
		}
		slices.Sort(accounts)
	}
	for _, account := range accounts {
		from := search.From
		switch {
		case account < search.After.Account:
			continue
		case account == search.After.Account:
			from = max(from, search.After.At)
		}
		if from >= search.To {
			continue
		}
		month, found, err := nextMonth(ctx, source, search, blocksOf(account, from, search.To))
		if found || err != nil {
			return PlayPlace{account, Month.Start(month)}, found, err
		}
	}
	return place, false, nil
}

// nextMonth returns the first month of a span that may have plays of a search. The cells show which months have plays
// of a video that no void takes.
func nextMonth(ctx context.Context, source Source, search PlaySearch, span BlockSpan) (month int64, found bool, err error) {
	span.Voided = search.Void != 0
	var months []int64
	err = source.Headers(ctx, span, func(b *Block) error {
		if n := len(months); n == 0 || months[n-1] != b.Key.Month {
			months = append(months, b.Key.Month)
		}
		return nil
	})
	for _, month := range months {
		found = !search.OfVideo
		if search.OfVideo {
			cells := CellSpan{
				Account: span.Account, Dimension: usage.ByVideo, Grain: Month, From: month, To: month + 1, Values: []Number{search.Video}, Sandbox: true,
			}
			if err := source.Cells(ctx, cells, func(Part) { found = true }); err != nil {
				return 0, false, err
			}
		}
		if found {
			return month, true, err
		}
	}
	return 0, false, err
}

// PlaysOf returns all plays of a person of an account, whose names are given, in the order of positions and without
// channel and subjects.
func PlaysOf(ctx context.Context, source Source, account, person Number, of, name string) (plays []usage.Play, err error) {
	clients, videos := map[Number]string{}, map[Number]string{}
	var found []Play
	span := PlaySpan{Account: account, From: noFrom, To: noTo, Persons: []Number{person}, Sandbox: true, Voided: true}
	err = readPlays(ctx, source, span, func(p *Play) {
		found = append(found, *p)
		clients[p.Client], videos[p.Video] = "", ""
	})
	if err != nil {
		return nil, err
	}
	for _, names := range []struct {
		dimension usage.Dimension
		known     map[Number]string
	}{{usage.ByClient, clients}, {usage.ByVideo, videos}} {
		numbers := make([]Number, 0, len(names.known))
		for number := range names.known {
			numbers = append(numbers, number)
		}
		for some := range slices.Chunk(numbers, maxTexts) {
			if err := source.Texts(ctx, names.dimension, some, func(number Number, text string) { names.known[number] = text }); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(found, byPosition)
	for i := range found {
		p := &found[i]
		plays = append(plays, usage.Play{
			Position: p.Position, At: p.At, Account: of, Client: clients[p.Client], Person: name, Video: videos[p.Video],
			Start: p.Start, End: p.End, Excess: p.Excess, Sandbox: p.Sandbox, Continues: p.Continues,
		})
	}
	return plays, nil
}

// Persons is a set of persons.
type Persons struct{ numbers roaring.Bitmap }

// Add adds the persons of a block, of which only the summary is needed.
func (p *Persons) Add(summary []byte) error {
	r := &blockReader{rest: summary}
	p.numbers.AddMany(r.numbers())
	return r.err
}

// Has reports whether the set contains a person.
func (p *Persons) Has(person Number) bool { return p.numbers.Contains(person) }

// Converter makes blocks of plays that come in the order of account and instant.
type Converter struct {
	put     func(Block) error
	encoder blockEncoder
	key     BlockKey
	plays   []Play
}

// NewConverter returns a Converter that calls put with each block.
func NewConverter(put func(Block) error) *Converter { return &Converter{put: put} }

// Add adds a play, which it does not retain.
func (c *Converter) Add(p *Play) error {
	account, month := p.Account, Month.Bucket(p.At)
	another := account != c.key.Account || month != c.key.Month
	if another || len(c.plays) == BlockPlays {
		if err := c.End(); err != nil {
			return err
		}
	}
	if another {
		c.key = BlockKey{Account: account, Month: month}
	}
	c.plays = append(c.plays, *p)
	c.plays[len(c.plays)-1].Subjects = slices.Clone(p.Subjects)
	return nil
}

// End makes a block of the remaining plays.
func (c *Converter) End() error {
	if len(c.plays) == 0 {
		return nil
	}
	b := c.encoder.encode(c.key, c.plays)
	c.plays = c.plays[:0]
	c.key.Number++
	return c.put(b)
}
