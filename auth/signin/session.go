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
)

// session returns the session of this browser with an account, nil where nobody is signed in who may be:
// a disabled user is not, nor one who came by a way that the account no longer allows, nor one who came
// before the instant before which nothing counts.
func (h *Handler) session(r *http.Request, owner *account.Account) (*account.Session, error) {
	session, err := h.storedSession(r, owner.ID)
	if session == nil || err != nil || h.sessionStart(session).Before(h.Roster().NotBefore) {
		return nil, err
	}
	user, err := h.user(r.Context(), session.User)
	if err != nil || user == nil || user.Disabled || user.AccountID != owner.ID || !methodAllowed(owner, session, user) {
		return nil, err
	}
	return session, nil
}

// begun is when a session began. Who came from an identity provider may have proved who they are there
// long before, and would prove it by nothing newer if they came again.
func (h *Handler) sessionStart(session *account.Session) time.Time {
	if session.Provider == "" {
		return session.AuthTime
	}
	return session.Expires.Add(-h.SessionLifetime)
}

// allows reports whether the way by which a session's user came leads to the account still. An alias that
// stands for another issuer by now is another way.
func methodAllowed(owner *account.Account, session *account.Session, user *account.User) bool {
	if session.Provider == "" {
		return takesPasswords(owner)
	}
	provider := owner.Provider(session.Provider)
	return provider != nil && provider.Issuer == user.Issuer
}

// stored returns what the store has of this browser's session with an account, nil where it has none.
// What was a session of another account is none.
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
	record, err := h.Store.Entity(ctx, account.EntityKey{Kind: account.KindUser, ID: id})
	user, _ := record.(*account.User)
	return user, err
}

// enter lets a user in who has proved who they are, and answers the request that led here. The browser
// gets a new cookie each time: whoever knew the old one knows nothing now.
func (h *Handler) startSession(w http.ResponseWriter, r *http.Request, p relyingParty, q *request, user *account.User, provider string, authTime time.Time) error {
	switch {
	case user.Disabled || user.AccountID != p.account.ID:
		h.sendError(w, r, q, newOAuthError("access_denied", "the user may not sign in"))
		return nil
	case q.User != "" && q.User != user.ID:
		h.sendError(w, r, q, newOAuthError("login_required", "another user has signed in than was asked for"))
		return nil
	}
	id, err := h.replaceSession(r, p.account, user)
	if err != nil {
		return err
	}
	secret, now := newSecret(), h.Clock()
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
	if current, err := h.user(r.Context(), user.ID); err != nil || current == nil || current.PasswordHash != user.PasswordHash {
		return h.abortSession(w, r, q, session.ID, err)
	}
	h.Logger.InfoContext(r.Context(), "signed in", "account", p.account.ID, "user", user.ID, "client", q.ClientID, "provider", provider)
	h.cookies.set(w, sessionCookie+p.account.ID, secret, h.SessionLifetime)
	h.cookies.drop(w, browserCookie)
	return h.issueCode(w, r, q, &session)
}

// tooLate ends a session that began while its user's password was changed, or its user deleted: whoever did
// that has ended all sessions that there were by then.
func (h *Handler) abortSession(w http.ResponseWriter, r *http.Request, q *request, id string, err error) error {
	if err := errors.Join(err, h.Store.DropSessions(r.Context(), id, "")); err != nil {
		return err
	}
	h.sendError(w, r, q, newOAuthError("access_denied", "the user may not sign in"))
	return nil
}

// leaveBehind ends what this browser had with the account before, and returns the ID of the session that
// begins: that of the old one where its user has signed in again, so that signing out ends all that came
// of either. Another user's session ends with all that came of it.
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

// revokeSlack is by how much a revocation outlives what it revokes: tokens end on whole seconds, one may
// just be made, and clocks of processes differ.
const revokeSlack = time.Minute

// end ends a session, its refresh tokens and its access tokens.
func (h *Handler) endSession(ctx context.Context, id string) error {
	if err := h.Store.DropSessions(ctx, id, ""); err != nil {
		return err
	}
	if err := h.Store.DropGrants(ctx, account.GrantFilter{Session: id}); err != nil {
		return err
	}
	return h.Store.Revoke(ctx, []string{id}, h.Clock().Add(h.AccessLifetime+revokeSlack))
}
