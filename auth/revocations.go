package auth

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// revocations are what says that access tokens do not count (store.SignIns.Revoke).
type revocations struct {
	// marks are of single tokens, sign-ins and sessions, with the instants until which they hold.
	marks map[string]time.Time
	users map[string][]userRevocation
}

// userRevocation ends a user's tokens that were given before an instant; zero: all of them.
type userRevocation struct{ before, until time.Time }

func revocationsOf(marks map[string]time.Time) revocations {
	r := revocations{marks: map[string]time.Time{}, users: map[string][]userRevocation{}}
	for mark, until := range marks {
		if user, before, ok := account.ParseUserMark(mark); ok {
			r.users[user] = append(r.users[user], userRevocation{before, until})
		} else {
			r.marks[mark] = until
		}
	}
	return r
}

// hold reports whether a token of an account's client is revoked. That of an embed ends with the user who made the
// embed, unless the account has taken it over.
func (r *revocations) revokes(token *verified, of *account.Account, now time.Time) bool {
	if len(r.marks) > 0 && (r.marked(token.id, now) || r.marked(token.family, now) || r.marked(token.session, now)) {
		return true
	}
	user := token.user
	if e := token.embed; e != nil && !of.KeepsEmbedsOf(e.User) {
		user = e.User
	}
	if len(r.users) == 0 || user == "" {
		return false
	}
	for _, revoked := range r.users[user] {
		if now.Before(revoked.until) && (revoked.before.IsZero() || token.issued.Before(revoked.before)) {
			return true
		}
	}
	return false
}

func (r *revocations) marked(mark string, now time.Time) bool {
	return mark != "" && now.Before(r.marks[mark])
}

// revokeSlack is by how much a revocation outlives what it revokes: tokens end on whole seconds, and
// clocks of processes differ.
const revokeSlack = time.Minute

// revoke ends all access tokens with a mark: here at once, at other processes within a second.
func (s *Service) revoke(ctx context.Context, mark string) error {
	until := s.config.Clock().Add(s.config.AccessLifetime + revokeSlack)
	if err := s.accounts.Revoke(ctx, []string{mark}, until); err != nil {
		return err
	}
	return s.Refresh(ctx)
}
