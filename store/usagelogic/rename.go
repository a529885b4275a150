package usagelogic

import (
	"context"
	"crypto/sha256"
	"math"

	"github.com/filmstrip/filmstrip/usage"
)

// RenameKey returns the key under which a store keeps the alias of a person while it renames the person. The key is a
// SHA-256 hash, so that it does not contain the person's name.
func RenameKey(account, person string) []byte {
	sum := sha256.Sum256([]byte(account + "\x00" + person))
	return sum[:]
}

// PersonTx is a transaction that assigns plays to another person.
type PersonTx interface {
	BlockTx
	ForgetTx
	GatherTx
}

// ReplacePerson assigns all plays of a person of an account to another person. It reads all cells of the account that
// contain persons.
func ReplacePerson(ctx context.Context, tx PersonTx, account, old, by Number) error {
	if err := replaceInBlocks(ctx, tx, account, old, by); err != nil {
		return err
	}
	moved := map[CellKey]*Cell{}
	err := EachForgettable(func(dimension usage.Dimension, grain Grain) (err error) {
		last := CellKey{Account: account, Dimension: dimension, Grain: grain, Bucket: math.MinInt64}
		for found := true; found && err == nil; {
			last, found, err = replaceInCells(ctx, tx, last, old, by, moved)
		}
		return err
	})
	if err != nil {
		return err
	}
	return tx.AddCells(ctx, inOrder(moved))
}

// replaceInCells replaces a person in the first cells behind a key that have its account, dimension and grain. It
// returns the key of the last one, and whether there are any. moved is that of Cell.replacePerson. The cells keep their
// parts, because some parts from before the horizon have a number of users instead of persons.
func replaceInCells(
	ctx context.Context, tx ForgetTx, after CellKey, old, by Number, moved map[CellKey]*Cell,
) (last CellKey, found bool, err error) {
	var (
		cells   []CellKey // the changed cells before the last one
		parts   []Part    // the parts of these cells and of the last one
		first   int       // where the parts of the last cell begin
		changed bool      // whether the last cell has changed
	)
	last = after
	next := func() {
		if changed {
			cells = append(cells, last)
		} else {
			parts = parts[:first]
		}
		first, changed = len(parts), false
	}
	err = tx.PartsBehind(ctx, after, math.MaxInt64, func(p Part) error {
		if p.Key.CellKey != last {
			next()
			last = p.Key.CellKey
		}
		cell := &Cell{Key: last}
		if err := cell.Absorb(p.Plays, p.Milliseconds, p.Excess, p.Body); err != nil {
			return err
		}
		part := cell.Part(p.Key.Part, append([]byte{}, p.Body...))
		part.Users = p.Users
		if cell.replacePerson(old, by, moved) {
			part, changed = cell.Part(p.Key.Part, cell.Body()), true
		}
		parts = append(parts, part)
		return nil
	})
	next()
	if err != nil || len(cells) == 0 {
		return last, last != after, err
	}
	if err := tx.DeleteCells(ctx, cells); err != nil {
		return last, true, err
	}
	return last, true, tx.PutParts(ctx, parts)
}
