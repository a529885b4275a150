package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	selectHead     = define(`SELECT position FROM head WHERE one`)
	selectHeadSalt = define(`SELECT position, salt FROM head WHERE one`)
)

// Head implements store.Catalogue.
func (c *Catalogue) Head(ctx context.Context) (store.Position, error) { return c.head(ctx) }

func (d *Database) head(ctx context.Context) (position store.Position, err error) {
	var salt string
	err = d.read(ctx, func(p *pipeline) {
		p.ask(selectHeadSalt, func(rows pgx.Rows) error { return rows.Scan(&position, &salt) })
	})
	if err != nil {
		return 0, err
	}
	d.learn(position)
	if d.standby != nil {
		d.standby.salt.Store(&salt)
	}
	return position, nil
}

var selectChanges = define(`SELECT position, kind, id, deleted FROM outbox WHERE position > $1 ORDER BY position LIMIT $2`)

// Changes implements store.Catalogue. It also returns ErrTrimmed for a position that the log has not reached, because
// the database was replaced by an older one.
func (c *Catalogue) Changes(ctx context.Context, after store.Position, limit int) ([]store.Change, error) {
	var (
		head    int64
		changes []store.Change
	)
	err := c.readTogether(ctx, func(p *pipeline) {
		changes = nil
		p.number(selectHead, &head)
		p.ask(selectChanges, func(rows pgx.Rows) error {
			var change store.Change
			err := rows.Scan(&change.Position, (*string)(&change.Kind), (*string)(&change.ID), &change.Deleted)
			changes = append(changes, change)
			return err
		}, after, max(1, limit))
	})
	if err != nil {
		return nil, err
	}
	c.learn(head)
	return storelogic.Behind(after, head, changes, limit)
}

var (
	selectFirst = define(`SELECT COALESCE((SELECT position FROM outbox ORDER BY position LIMIT 1), 0)`)
	deleteUpTo  = define(`DELETE FROM outbox WHERE position <= $1`)
)

// Trim implements store.Catalogue.
func (c *Catalogue) Trim(ctx context.Context, keep int) error {
	for more := true; more; {
		err := c.change(ctx, func(ctx context.Context, t *transaction) error {
			var first int64
			if err := t.send(ctx, func(p *pipeline) { p.number(selectFirst, &first) }); err != nil {
				return err
			}
			var upTo store.Position
			if upTo, more = storelogic.TrimTo(first, t.Position, keep); upTo == 0 {
				return nil
			}
			return t.send(ctx, func(p *pipeline) { p.do(deleteUpTo, upTo) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	deleteAttestation     = define(`DELETE FROM attestations WHERE token = $1`)
	insertAttestation     = define(`INSERT INTO attestations (token, position) VALUES ($1, $2)`)
	deleteOldAttestations = define(`
		DELETE FROM attestations WHERE number <= (SELECT number FROM attestations ORDER BY number DESC LIMIT 1 OFFSET $1)`)
)

// Attest implements store.Catalogue.
func (c *Catalogue) Attest(ctx context.Context, token string, position store.Position) error {
	return c.change(ctx, func(ctx context.Context, t *transaction) error {
		if position > t.Position {
			return fault.Errorf(fault.Conflict, "the catalogue has not reached position %d", position)
		}
		return t.send(ctx, func(p *pipeline) {
			p.do(deleteAttestation, []byte(token))
			p.do(insertAttestation, []byte(token), position)
			p.do(deleteOldAttestations, store.AttestedTokens)
		})
	})
}

var countAttestations = define(`SELECT COUNT(*) FROM attestations WHERE token = $1 AND position = $2`)

// Attested implements store.Catalogue.
func (c *Catalogue) Attested(ctx context.Context, token string, position store.Position) (bool, error) {
	var n int64
	err := c.read(ctx, func(p *pipeline) { p.number(countAttestations, &n, []byte(token), position) })
	return n > 0, err
}
