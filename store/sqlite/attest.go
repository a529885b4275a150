package sqlite

import (
	"context"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

var (
	replaceAttestation    = define(`INSERT OR REPLACE INTO attestations (token, position) VALUES (?, ?)`)
	deleteOldAttestations = define(`
		DELETE FROM attestations WHERE number <= (SELECT number FROM attestations ORDER BY number DESC LIMIT 1 OFFSET ?)`)
)

// Attest implements store.Catalogue.
func (c *Catalogue) Attest(ctx context.Context, token string, position store.Position) error {
	return c.write(ctx, func(s *session) error {
		head, err := s.number(ctx, selectHead)
		if err != nil {
			return err
		}
		if position > head {
			return fault.Errorf(fault.Conflict, "the catalogue has not reached position %d", position)
		}
		if _, err := s.exec(ctx, replaceAttestation, token, position); err != nil {
			return err
		}
		_, err = s.exec(ctx, deleteOldAttestations, store.AttestedTokens)
		return err
	})
}

var countAttestations = define(`SELECT COUNT(*) FROM attestations WHERE token = ? AND position = ?`)

// Attested implements store.Catalogue.
func (c *Catalogue) Attested(ctx context.Context, token string, position store.Position) (known bool, err error) {
	err = c.read(ctx, func(s *session) error {
		n, err := s.number(ctx, countAttestations, token, position)
		known = n > 0
		return err
	})
	return known, err
}
