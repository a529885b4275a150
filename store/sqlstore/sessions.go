package sqlstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

var (
	insertSession = define(`
		INSERT INTO sessions (hash, id, account, user_id, provider, auth_time, expires) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING`)
	selectSession = define(`
		SELECT id, account, user_id, provider, auth_time, expires FROM sessions WHERE hash = $1 AND expires > $2`)
	// The limits bound what a program can cause that signs in again and again.
	selectUserSessions = define(`
		SELECT id, provider, auth_time, expires FROM sessions WHERE user_id = $1 AND expires > $2 LIMIT 200`)
	selectUserGrants     = define(`SELECT session, client_id, issued_at FROM grants WHERE user_id = $1 LIMIT 10000`)
	deleteSession        = define(`DELETE FROM sessions WHERE id = $1`)
	deleteSessionsOfUser = define(`DELETE FROM sessions WHERE user_id = $1`)
)

// PutSession implements store.SignIns.
func (a *Accounts) PutSession(ctx context.Context, session account.Session) error {
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		return insertNew(ctx, c, "a session with this hash or ID", insertSession, session.Hash[:], session.ID, session.AccountID, session.User,
			session.Provider, optionalMicros(session.AuthTime), micros(session.Expires))
	})
}

// Session implements store.SignIns.
func (a *Accounts) Session(ctx context.Context, hash [32]byte, now time.Time) (*account.Session, error) {
	return readOne(ctx, a.db, func(row Row) (*account.Session, error) {
		var signedIn, expires int64
		session := &account.Session{Hash: hash}
		err := row.Scan(&session.ID, &session.AccountID, &session.User, &session.Provider, &signedIn, &expires)
		session.AuthTime, session.Expires = optionalInstant(signedIn), instant(expires)
		return session, err
	}, selectSession, hash[:], micros(now))
}

// UserSessions implements store.SignIns.
func (a *Accounts) UserSessions(ctx context.Context, user string, now time.Time) ([]account.UserSession, error) {
	return read(ctx, a.db, func(ctx context.Context, c Conn) ([]account.UserSession, error) {
		found, err := selectAll(ctx, c, func(row Row) (session account.UserSession, err error) {
			var signedIn, expires int64
			err = row.Scan(&session.ID, &session.Provider, &signedIn, &expires)
			session.AuthTime, session.Expires = optionalInstant(signedIn), instant(expires)
			return session, err
		}, selectUserSessions, user, micros(now))
		if err != nil {
			return nil, err
		}
		slices.SortFunc(found, func(a, b account.UserSession) int {
			return cmp.Or(b.AuthTime.Compare(a.AuthTime), cmp.Compare(a.ID, b.ID))
		})
		err = c.Query(ctx, selectUserGrants, func(row Row) error {
			var (
				session, client string
				issued          int64
			)
			if err := row.Scan(&session, &client, &issued); err != nil {
				return err
			}
			if i := slices.IndexFunc(found, func(s account.UserSession) bool { return s.ID == session }); i >= 0 {
				found[i].AddGrant(client, optionalInstant(issued))
			}
			return nil
		}, user)
		return found, err
	})
}

// DropSessions implements store.SignIns.
func (a *Accounts) DropSessions(ctx context.Context, id, user string) error {
	switch {
	case id != "":
		return exec(ctx, a.db, deleteSession, id)
	case user != "":
		return exec(ctx, a.db, deleteSessionsOfUser, user)
	}
	return nil
}

var (
	putRevocation = define(`
		INSERT INTO revocations AS known (mark, until) VALUES ($1, $2)
		ON CONFLICT (mark) DO UPDATE SET until = CASE WHEN excluded.until > known.until THEN excluded.until ELSE known.until END`)
	nextRevoked   = define(`UPDATE versions SET revoked = revoked + 1 WHERE one`)
	selectRevoked = define(`SELECT mark, until FROM revocations WHERE until > $1`)
)

// Revoke implements store.SignIns.
func (a *Accounts) Revoke(ctx context.Context, marks []string, until time.Time) error {
	if len(marks) == 0 {
		return nil
	}
	// All writers lock rows in the same order, so that they cannot deadlock.
	marks = slices.Sorted(slices.Values(marks))
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		for _, mark := range marks {
			c.Do(ctx, putRevocation, mark, micros(until))
		}
		c.Do(ctx, nextRevoked)
		return nil
	})
}

// Revoked implements store.SignIns.
func (a *Accounts) Revoked(ctx context.Context, now time.Time) (map[string]time.Time, error) {
	return read(ctx, a.db, func(ctx context.Context, c Conn) (map[string]time.Time, error) {
		marks := map[string]time.Time{}
		return marks, c.Query(ctx, selectRevoked, func(row Row) error {
			var (
				mark  string
				until int64
			)
			err := row.Scan(&mark, &until)
			marks[mark] = instant(until)
			return err
		}, micros(now))
	})
}

var useStep = define(`
	INSERT INTO used_steps AS known (user_id, step, expires) VALUES ($1, $2, $3)
	ON CONFLICT (user_id) DO UPDATE SET step = excluded.step, expires = excluded.expires WHERE excluded.step > known.step`)

// UseStep implements store.SignIns.
func (a *Accounts) UseStep(ctx context.Context, of string, step int64, until time.Time) (bool, error) {
	return write(ctx, a.db, func(ctx context.Context, c Conn) (bool, error) {
		changed, err := c.Exec(ctx, useStep, of, step, micros(until))
		return changed > 0, err
	})
}

// sweeps contains the statements that delete rows that expired before an instant. Used codes and replaced grants remain
// until every grant of their family has expired.
var sweeps = []*Statement{
	define(`
		DELETE FROM codes WHERE expires < $1 AND (NOT used OR NOT EXISTS (
			SELECT 1 FROM grants WHERE grants.family = codes.family AND grants.expires >= $1))`),
	define(`
		DELETE FROM grants WHERE expires < $1 AND (NOT replaced OR NOT EXISTS (
			SELECT 1 FROM grants AS newer WHERE newer.family = grants.family AND newer.expires >= $1))`),
	define(`DELETE FROM sessions WHERE expires < $1`),
	define(`DELETE FROM revocations WHERE until < $1`),
	define(`DELETE FROM used_steps WHERE expires < $1`),
}

// Sweep implements store.SignIns.
func (a *Accounts) Sweep(ctx context.Context, expiredBefore time.Time) error {
	return a.db.Write(ctx, func(ctx context.Context, c Conn) error {
		for _, sweep := range sweeps {
			c.Do(ctx, sweep, micros(expiredBefore))
		}
		return nil
	})
}
