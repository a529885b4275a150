package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertSession = define(`
		INSERT INTO sessions (hash, id, account, user_id, provider, auth_time, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`)
	selectSession = define(`
		SELECT id, account, user_id, provider, auth_time, expires FROM sessions WHERE hash = $1 AND expires > $2`)
	deleteSession        = define(`DELETE FROM sessions WHERE id = $1`)
	deleteSessionsOfUser = define(`DELETE FROM sessions WHERE user_id = $1`)
)

// PutSession implements store.SignIns.
func (a *Accounts) PutSession(ctx context.Context, signedIn account.Session) error {
	return a.changing(ctx, func(*pipeline) {}, func(ctx context.Context, s *session, _ *pipeline) error {
		added, err := s.change(ctx, insertSession, signedIn.Hash[:], []byte(signedIn.ID), []byte(signedIn.AccountID),
			[]byte(signedIn.User), []byte(signedIn.Provider), storelogic.Stamp(signedIn.AuthTime), micros(signedIn.Expires))
		if err == nil && added == 0 {
			return fault.Errorf(fault.Conflict, "there is a session with this hash or ID already")
		}
		return err
	})
}

// Session implements store.SignIns.
func (a *Accounts) Session(ctx context.Context, hash [32]byte, now time.Time) (found *account.Session, err error) {
	err = a.read(ctx, func(p *pipeline) {
		found = nil
		p.ask(selectSession, func(rows pgx.Rows) error {
			var (
				id, owner, user, provider []byte
				signedIn, expires         int64
			)
			err := rows.Scan(&id, &owner, &user, &provider, &signedIn, &expires)
			found = &account.Session{
				Hash: hash, ID: string(id), AccountID: string(owner), User: string(user), Provider: string(provider),
				AuthTime: storelogic.Stamped(signedIn), Expires: instant(expires),
			}
			return err
		}, hash[:], micros(now))
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// DropSessions implements store.SignIns.
func (a *Accounts) DropSessions(ctx context.Context, id, user string) error {
	st, value := deleteSession, id
	if id == "" {
		st, value = deleteSessionsOfUser, user
	}
	if value == "" {
		return nil
	}
	return a.changing(ctx, func(p *pipeline) { p.do(st, []byte(value)) },
		func(context.Context, *session, *pipeline) error { return nil })
}

var (
	putRevocations = define(`
		INSERT INTO revocations (mark, until) SELECT mark, $2::bigint FROM unnest($1::bytea[]) AS mark
		ON CONFLICT (mark) DO UPDATE SET until = greatest(revocations.until, excluded.until)`)
	nextRevoked   = define(`UPDATE versions SET revoked = revoked + 1 WHERE one`)
	selectRevoked = define(`SELECT mark, until FROM revocations WHERE until > $1`)
)

// Revoke implements store.SignIns.
func (a *Accounts) Revoke(ctx context.Context, marks []string, until time.Time) error {
	if len(marks) == 0 {
		return nil
	}
	// Each once, and in one order, so that calls at once do not wait for each other in a circle.
	marks = slices.Compact(slices.Sorted(slices.Values(marks)))
	return a.changing(ctx, func(p *pipeline) { p.do(putRevocations, bytesOf(marks), micros(until)) },
		func(_ context.Context, _ *session, last *pipeline) error {
			last.do(nextRevoked)
			return nil
		})
}

// Revoked implements store.SignIns.
func (a *Accounts) Revoked(ctx context.Context, now time.Time) (marks map[string]time.Time, err error) {
	err = a.read(ctx, func(p *pipeline) {
		marks = map[string]time.Time{}
		p.ask(selectRevoked, func(rows pgx.Rows) error {
			var (
				mark  []byte
				until int64
			)
			err := rows.Scan(&mark, &until)
			marks[string(mark)] = instant(until)
			return err
		}, micros(now))
	})
	if err != nil {
		return nil, err
	}
	return marks, nil
}

// sweeps forget what expired before an instant; what was used or replaced, once nothing of its family lives.
var sweeps = []*statement{
	define(`
		DELETE FROM codes WHERE expires < $1 AND (NOT used OR NOT EXISTS (
			SELECT 1 FROM grants WHERE grants.family = codes.family AND grants.expires >= $1))`),
	define(`
		DELETE FROM grants WHERE expires < $1 AND (NOT replaced OR NOT EXISTS (
			SELECT 1 FROM grants AS newer WHERE newer.family = grants.family AND newer.expires >= $1))`),
	define(`DELETE FROM sessions WHERE expires < $1`), define(`DELETE FROM revocations WHERE until < $1`),
}

// Sweep implements store.SignIns.
func (a *Accounts) Sweep(ctx context.Context, expiredBefore time.Time) error {
	first := func(p *pipeline) {
		for _, sweep := range sweeps {
			p.do(sweep, micros(expiredBefore))
		}
	}
	return a.changing(ctx, first, func(context.Context, *session, *pipeline) error { return nil })
}
