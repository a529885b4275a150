package auth

import (
	"context"
	"time"

	"github.com/filmstrip/filmstrip/account"
)

// revocations holds what invalidates access tokens (store.SignIns.Revoke).
type revocations struct {
	// marks maps the marks of revoked tokens, sign-ins and sessions to the times until which they apply.
	marks map[string]time.Time
	users map[string][]userRevocation
}

// userRevocation invalidates a user's tokens issued before the given time, or all of them if it is zero.
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

// revokes reports whether a token of a client of the account is revoked. The token of an embed is revoked with the
// user who created the embed, unless the account keeps that user's embeds.
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

// revokeSlack is how much longer a revocation lasts than the tokens it revokes: tokens end on whole seconds, and
// clocks of processes differ.
const revokeSlack = time.Minute

// revoke invalidates all access tokens with a mark: in this process immediately, in others within a second.
func (s *Service) revoke(ctx context.Context, mark string) error {
	until := s.config.Clock().Add(s.config.AccessLifetime + revokeSlack)
	if err := s.accounts.Revoke(ctx, []string{mark}, until); err != nil {
		return err
	}
	return s.Refresh(ctx)
}
