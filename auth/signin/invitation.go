package signin

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

// InvitationPath is the page at which an invited user chooses a password.
const InvitationPath = "/v1/authorize/invitation"

// invitation is the content of an invitation. It is valid while the user's record has this version, so it can be used
// once, and not after an operator has changed the user.
type invitation struct {
	User    string `json:"u"`
	Version int64  `json:"n"`
}

// anyBrowser stands for the browser to which an invitation belongs: its address is opened wherever it was sent.
const anyBrowser = "any"

// NewInvitation returns the address at which a user, as stored, chooses a password before an instant. authURL and
// sealingKey are those of Config.
func NewInvitation(authURL string, sealingKey []byte, user *account.User, expires time.Time) (string, error) {
	seal, err := newSealer(sealingKey)
	if err != nil {
		return "", err
	}
	text, err := sealValue(seal, forInvitation, anyBrowser, invitation{User: user.ID, Version: user.Version}, expires)
	if err != nil {
		return "", err
	}
	return authURL + InvitationPath + "?" + url.Values{"invitation": {text}}.Encode(), nil
}

// InvitationHandler returns the handler of InvitationPath.
func (h *Handler) InvitationHandler() http.Handler {
	return h.guarded(h.serveInvitation, http.MethodGet, http.MethodPost)
}

type invitationPage struct {
	Action, Invitation string
	Account, Username  string
	Fault              string
}

// serveInvitation shows the form, and sets the password that it contains.
func (h *Handler) serveInvitation(w http.ResponseWriter, r *http.Request) error {
	read := readParameters
	if r.Method == http.MethodPost {
		read = h.readForm
	}
	values, err := read(w, r)
	if err != nil {
		return err
	}
	user, err := h.invited(r.Context(), values.Get("invitation"))
	if err != nil {
		return err
	}
	page := invitationPage{Action: h.base + InvitationPath, Invitation: values.Get("invitation"), Username: user.Username}
	if owner := h.Roster().Accounts[user.AccountID]; owner != nil {
		page.Account = owner.Name
	}
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(h.AfterInvitation)))
	if r.Method != http.MethodPost {
		h.writePage(w, r, http.StatusOK, "invitation", page)
		return nil
	}
	switch err := h.SetPassword(r.Context(), user, values.Get("password")); fault.CodeOf(err) {
	case fault.Invalid:
		page.Fault = sentence(err.Error())
		h.writePage(w, r, http.StatusBadRequest, "invitation", page)
		return nil
	case fault.Conflict:
		return errInvitation(err)
	default:
		if err != nil {
			return err
		}
	}
	h.Logger.InfoContext(r.Context(), "an invited user chose a password", "account", user.AccountID, "user", user.ID)
	redirect(w, r, h.AfterInvitation)
	return nil
}

// invited returns the user of an invitation that is still valid.
func (h *Handler) invited(ctx context.Context, text string) (*account.User, error) {
	invited, err := openValue[invitation](h.seal, forInvitation, anyBrowser, text, h.Clock())
	if err != nil {
		return nil, errInvitation(err)
	}
	user, err := h.user(ctx, invited.User)
	if err != nil {
		return nil, err
	}
	if user == nil || user.Disabled || user.Version != invited.Version {
		return nil, errInvitation(fmt.Errorf("the user %s is disabled, deleted or has changed", invited.User))
	}
	return user, nil
}

func errInvitation(cause error) error {
	return &problem{
		status: http.StatusForbidden, code: "access_denied", cause: cause,
		message: "this invitation has expired or was used already; ask for another one",
	}
}
