package sqlite

import (
	"context"
	"database/sql"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store/storelogic"
)

var (
	insertSession = define(`
		INSERT INTO sessions (hash, id, account, user_id, provider, auth_time, expires) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT DO NOTHING`)
	selectSession = define(`
		SELECT id, account, user_id, provider, auth_time, expires FROM sessions WHERE hash = ? AND expires > ?`)
	deleteSession        = define(`DELETE FROM sessions WHERE id = ?`)
	deleteSessionsOfUser = define(`DELETE FROM sessions WHERE user_id = ?`)
)

// PutSession implements store.SignIns.
func (a *Accounts) PutSession(ctx context.Context, signedIn account.Session) error {
	return a.write(ctx, func(s *session) error {
		added, err := s.exec(ctx, insertSession, signedIn.Hash[:], signedIn.ID, signedIn.AccountID, signedIn.User,
			signedIn.Provider, storelogic.Stamp(signedIn.AuthTime), micros(signedIn.Expires))
		if err == nil && added == 0 {
			return fault.Errorf(fault.Conflict, "there is a session with this hash or ID already")
		}
		return err
	})
}

// Session implements store.SignIns.
func (a *Accounts) Session(ctx context.Context, hash [32]byte, now time.Time) (found *account.Session, err error) {
	err = a.read(ctx, func(s *session) error {
		return s.query(ctx, selectSession, func(rows *sql.Rows) error {
			var signedIn, expires int64
			found = &account.Session{Hash: hash}
			err := rows.Scan(&found.ID, &found.AccountID, &found.User, &found.Provider, &signedIn, &expires)
			found.AuthTime, found.Expires = storelogic.Stamped(signedIn), instant(expires)
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
	return a.write(ctx, func(s *session) error {
		_, err := s.exec(ctx, st, value)
		return err
	})
}

var (
	putRevocation = define(`
		INSERT INTO revocations (mark, until) VALUES (?, ?)
		ON CONFLICT (mark) DO UPDATE SET until = max(until, excluded.until)`)
	nextRevoked   = define(`UPDATE versions SET revoked = revoked + 1 WHERE one = 1`)
	selectRevoked = define(`SELECT mark, until FROM revocations WHERE until > ?`)
)

// Revoke implements store.SignIns.
func (a *Accounts) Revoke(ctx context.Context, marks []string, until time.Time) error {
	if len(marks) == 0 {
		return nil
	}
	return a.write(ctx, func(s *session) error {
		for _, mark := range marks {
			if _, err := s.exec(ctx, putRevocation, mark, micros(until)); err != nil {
				return err
			}
		}
		_, err := s.exec(ctx, nextRevoked)
		return err
	})
}

// Revoked implements store.SignIns.
func (a *Accounts) Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	marks := map[string]time.Time{}
	err := a.read(ctx, func(s *session) error {
		return s.query(ctx, selectRevoked, func(rows *sql.Rows) error {
			var (
				mark  string
				until int64
			)
			err := rows.Scan(&mark, &until)
			marks[mark] = instant(until)
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
		DELETE FROM codes WHERE expires < ?1 AND (used = 0 OR family NOT IN (SELECT family FROM grants WHERE expires >= ?1))`),
	define(`
		DELETE FROM grants WHERE expires < ?1 AND (replaced = 0 OR family NOT IN (SELECT family FROM grants WHERE expires >= ?1))`),
	define(`DELETE FROM sessions WHERE expires < ?`), define(`DELETE FROM revocations WHERE until < ?`),
}

// Sweep implements store.SignIns.
func (a *Accounts) Sweep(ctx context.Context, expiredBefore time.Time) error {
	return a.write(ctx, func(s *session) error {
		for _, sweep := range sweeps {
			if _, err := s.exec(ctx, sweep, micros(expiredBefore)); err != nil {
				return err
			}
		}
		return nil
	})
}
