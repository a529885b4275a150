package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/secondfactor"
)

// session returns the browser's session with an account, or nil if there is none that may still be used: the user
// must not be disabled, the sign-in method must still be allowed, the session must not have started before the policy's
// NotBefore or the user's second factor, and the user must have a second factor if the policy requires one.
func (h *Handler) session(r *http.Request, owner *account.Account) (*account.Session, error) {
	session, err := h.storedSession(r, owner.ID)
	if session == nil || err != nil || h.sessionStart(session).Before(h.Roster().NotBefore) {
		return nil, err
	}
	user, err := h.user(r.Context(), session.User)
	if err != nil || user == nil || user.Disabled || user.AccountID != owner.ID {
		return nil, err
	}
	if stands, err := h.methodStands(r.Context(), owner, session, user); err != nil || !stands {
		return nil, err
	}
	return session, nil
}

// sessionStart returns when a session started. For an identity provider this differs from AuthTime: the user may have
// authenticated there long before, and signing in again would not change AuthTime.
func (h *Handler) sessionStart(session *account.Session) time.Time {
	if session.Provider == "" {
		return session.AuthTime
	}
	return session.Expires.Add(-h.SessionLifetime)
}

// methodStands reports whether the method by which the session's user signed in still counts. A provider alias that now
// has another issuer is another method.
func (h *Handler) methodStands(ctx context.Context, owner *account.Account, session *account.Session, user *account.User) (bool, error) {
	if session.Provider != "" {
		provider := owner.Provider(session.Provider)
		return provider != nil && provider.Issuer == user.Issuer, nil
	}
	factor, err := secondfactor.Of(ctx, h.Store, user.ID)
	return err == nil && h.Roster().PasswordStands(owner, user.ID, session.AuthTime, factor), err
}

// storedSession returns the browser's stored session with an account, or nil. A session of another account is
// ignored.
func (h *Handler) storedSession(r *http.Request, accountID string) (*account.Session, error) {
	secret := h.cookies.get(r, sessionCookie+accountID)
	if secret == "" {
		return nil, nil
	}
	session, err := h.Store.Session(r.Context(), sha256.Sum256([]byte(secret)), h.Clock())
	if err != nil || session == nil || session.AccountID != accountID {
		return nil, err
	}
	return session, nil
}

func (h *Handler) user(ctx context.Context, id string) (*account.User, error) {
	return account.As[*account.User](h.Store.Entity(ctx, account.KindUser.Key(id)))
}

// startSession starts a session of an authenticated user and responds to the authorization request. The cookie is
// always new, so that nobody who knew an earlier one can use the session.
func (h *Handler) startSession(w http.ResponseWriter, r *http.Request, p relyingParty, q *request, user *account.User, provider string, authTime time.Time) error {
	switch {
	case user.Disabled || user.AccountID != p.account.ID:
		h.sendError(w, r, q, newOAuthError("access_denied", "the user may not sign in"))
		return nil
	case q.User != "" && q.User != user.ID:
		h.sendError(w, r, q, newOAuthError("login_required", "a different user signed in than requested"))
		return nil
	}
	id, err := h.replaceSession(r, p.account, user)
	if err != nil {
		return err
	}
	secret, now := account.NewSecret(), h.Clock()
	session := account.Session{
		Hash: sha256.Sum256([]byte(secret)), ID: id, AccountID: p.account.ID, User: user.ID,
		Provider: provider, AuthTime: authTime, Expires: now.Add(h.SessionLifetime),
	}
	err = h.Store.PutSession(r.Context(), session)
	if fault.CodeOf(err) == fault.Conflict { // the same form was sent twice at once, and the other has the ID
		session.ID = rand.Text()
		err = h.Store.PutSession(r.Context(), session)
	}
	if err != nil {
		return err
	}
	if current, err := h.user(r.Context(), user.ID); err != nil || current == nil || current.Disabled || current.PasswordHash != user.PasswordHash {
		return h.abortSession(w, r, q, session.ID, err)
	}
	h.Logger.InfoContext(r.Context(), "signed in", "account", p.account.ID, "user", user.ID, "client", q.ClientID, "provider", provider)
	h.cookies.set(w, sessionCookie+p.account.ID, secret, h.SessionLifetime)
	h.cookies.drop(w, browserCookie)
	return h.issueCode(w, r, q, &session)
}

// abortSession ends a session that started while the user's password was being changed, or while the user was being disabled
// or deleted. That change ended only the sessions that existed at the time.
func (h *Handler) abortSession(w http.ResponseWriter, r *http.Request, q *request, id string, err error) error {
	if err := errors.Join(err, h.Store.DropSessions(r.Context(), id, "")); err != nil {
		return err
	}
	h.sendError(w, r, q, newOAuthError("access_denied", "the user may not sign in"))
	return nil
}

// replaceSession ends the browser's earlier session with the account, and returns the ID of the new session. If the
// same user signs in again, the ID stays the same, so that a logout ends everything issued under either. If another
// user signs in, everything issued under the earlier session is revoked.
func (h *Handler) replaceSession(r *http.Request, owner *account.Account, user *account.User) (string, error) {
	before, err := h.storedSession(r, owner.ID)
	switch {
	case err != nil:
		return "", err
	case before == nil:
		return rand.Text(), nil
	case before.User == user.ID:
		return before.ID, h.Store.DropSessions(r.Context(), before.ID, "")
	}
	return rand.Text(), h.endSession(r.Context(), before.ID)
}

// revokeSlack is how much longer a revocation lasts than the tokens it revokes: tokens end on whole seconds, one may
// be issued concurrently, and clocks of processes differ.
const revokeSlack = time.Minute

// endSession ends a session and revokes its refresh and access tokens.
func (h *Handler) endSession(ctx context.Context, id string) error {
	if err := h.Store.DropSessions(ctx, id, ""); err != nil {
		return err
	}
	if err := h.Store.DropGrants(ctx, account.GrantFilter{Session: id}); err != nil {
		return err
	}
	return h.Store.Revoke(ctx, []string{id}, h.Clock().Add(h.AccessLifetime+revokeSlack))
}
