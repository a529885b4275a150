package sqlstore

import (
	"context"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

// SQLite keeps the highest position that was ever committed, even after the entry was trimmed. It has one writer at a
// time across all processes, and a failed write frees its positions. Therefore positions have no gaps, their order is
// the order of commits, and a reader that sees an entry sees every earlier entry.
var (
	// SelectHead returns the position of the last change.
	SelectHead = DefinePer(
		`SELECT seq FROM sqlite_sequence WHERE name = 'outbox'`, `SELECT position FROM head WHERE one`)
	selectChanges = define(`SELECT position, kind, id, deleted FROM outbox WHERE position > $1 ORDER BY position LIMIT $2`)
	selectFirst   = DefinePer(
		`SELECT COALESCE(MIN(position), 0) FROM outbox`,
		`SELECT COALESCE((SELECT position FROM outbox ORDER BY position LIMIT 1), 0)`)
	deleteUpTo = define(`DELETE FROM outbox WHERE position <= $1`)

	deleteAttestation = DefinePer(``, `DELETE FROM attestations WHERE token = $1`)
	insertAttestation = DefinePer(
		`INSERT OR REPLACE INTO attestations (token, position) VALUES (?, ?)`,
		`INSERT INTO attestations (token, position) VALUES ($1, $2)`)
	deleteOldAttestations = define(`
		DELETE FROM attestations WHERE number <= (SELECT number FROM attestations ORDER BY number DESC LIMIT 1 OFFSET $1)`)
	countAttestations = define(`SELECT COUNT(*) FROM attestations WHERE token = $1 AND position = $2`)
)

// Changes implements store.Catalogue. It also returns ErrTrimmed for a position that the log has not reached, which
// occurs after an older database replaced this one.
func (c *Catalogue) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	var (
		head    store.Position
		changes []store.Change
	)
	err := c.db.ReadTogether(ctx, func(c Conn) {
		askNumber(ctx, c, &head, SelectHead)
		askAll(ctx, c, &changes, scanCatalogueChange, selectChanges, after, max(1, limit))
	})
	if err != nil {
		return nil, err
	}
	c.db.Learn(head)
	return storelogic.Behind(after, head, changes, limit)
}

func scanCatalogueChange(row Row) (change store.Change, err error) {
	err = row.Scan(&change.Position, (*string)(&change.Kind), (*string)(&change.ID), &change.Deleted)
	return change, err
}

// Trim implements store.Catalogue.
func (c *Catalogue) Trim(ctx context.Context, keep int) error {
	return trim(ctx, c.db.Change, selectFirst, deleteUpTo, keep)
}

// trim deletes the entries of a log except the newest keep, in small transactions. oldest selects the position of the first
// entry, and deletion deletes the entries up to a position.
func trim(
	ctx context.Context, change func(ctx context.Context, fn func(ctx context.Context, c Conn, head store.Position) error) error,
	oldest, deletion *Statement, keep int,
) error {
	for more := true; more; {
		err := change(ctx, func(ctx context.Context, c Conn, head store.Position) error {
			first, err := selectOne(ctx, c, number, oldest)
			if err != nil {
				return err
			}
			var upTo store.Position
			if upTo, more = storelogic.TrimTo(first, head, keep); upTo > 0 {
				c.Do(ctx, deletion, upTo)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Attest implements store.Catalogue.
func (c *Catalogue) Attest(ctx context.Context, token string, position store.Position) error {
	return c.db.Change(ctx, func(ctx context.Context, c Conn, head store.Position) error {
		if position > head {
			return fault.Errorf(fault.Conflict, "the catalogue has not reached position %d", position)
		}
		c.Do(ctx, deleteAttestation, token)
		c.Do(ctx, insertAttestation, token, position)
		c.Do(ctx, deleteOldAttestations, store.AttestedTokens)
		return nil
	})
}

// Attested implements store.Catalogue.
func (c *Catalogue) Attested(ctx context.Context, token string, position store.Position) (bool, error) {
	n, err := readOne(ctx, c.db, number, countAttestations, token, position)
	return n > 0, err
}
