package signin

import (
	"errors"
	"html/template"
	"net/http"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httperror"
	"github.com/filmstrip/filmstrip/internal/secondfactor"
)

// CodePath receives the form that asks for the code of a second factor, and EnrollPath those that enroll one.
const (
	CodePath   = "/v1/authorize/code"
	EnrollPath = "/v1/authorize/enroll"
)

// codeLifetime is how long a user may take from the password to the code, and for each step of an enrollment.
const codeLifetime = 5 * time.Minute

// provenPassword is a sign-in whose user has entered the right password. It is valid while the user's record has this
// version, so a change of the password or of the user ends it.
type provenPassword struct {
	Request request `json:"q"`
	User    string  `json:"u"`
	Version int64   `json:"n"`
	// Secret is that of the second factor that the user is about to enroll.
	Secret string `json:"s,omitempty"`
}

// afterPassword asks a user who has entered the right password for the second factor, if the user has one or must have
// one. Users who sign in at an identity provider are not asked, because how they prove who they are is its decision.
func (h *Handler) afterPassword(w http.ResponseWriter, r *http.Request, p relyingParty, q *request, user *account.User) error {
	factor, err := secondfactor.Of(r.Context(), h.Store, user.ID)
	if err != nil {
		return err
	}
	proven := provenPassword{Request: *q, User: user.ID, Version: user.Version}
	switch {
	case factor != nil:
		state, err := h.sealProven(w, r, forCode, proven)
		if err != nil {
			return err
		}
		return h.writeCode(w, r, http.StatusOK, p, &proven, state, "")
	case h.Roster().RequiresFactor(p.account, user.ID):
		proven.Secret = secondfactor.NewSecret()
		state, err := h.sealProven(w, r, forEnrollment, proven)
		if err != nil {
			return err
		}
		return h.writeEnrollment(w, r, http.StatusOK, p, user, &proven, state, "")
	}
	return h.startSession(w, r, p, q, user, "", h.Clock())
}

func (h *Handler) sealProven(w http.ResponseWriter, r *http.Request, use purpose, proven provenPassword) (string, error) {
	return sealValue(h.seal, use, h.cookies.browser(w, r), proven, h.Clock().Add(codeLifetime))
}

// openProven returns the sign-in of a form with its relying party and its user, whose record has not changed. It returns
// a nil user if it has written the response.
func (h *Handler) openProven(w http.ResponseWriter, r *http.Request, use purpose, state string) (proven provenPassword, p relyingParty, user *account.User, err error) {
	proven, err = openValue[provenPassword](h.seal, use, h.cookies.get(r, browserCookie), state, h.Clock())
	if err != nil {
		return proven, p, nil, h.expiredProblem(proven.Request, err)
	}
	q := &proven.Request
	if p, err = h.findRelyingParty(r.Context(), q.ClientID, q.RedirectURI); err != nil {
		return proven, p, nil, err
	}
	if refused := h.checkAccess(p); refused != nil {
		h.sendError(w, r, q, refused)
		return proven, p, nil, nil
	}
	if user, err = h.user(r.Context(), proven.User); err != nil {
		return proven, p, nil, err
	}
	if user == nil || user.Disabled || user.Version != proven.Version || user.AccountID != p.account.ID || !p.account.TakesPasswords() {
		return proven, p, nil, h.expiredProblem(*q, errUserChanged)
	}
	return proven, p, user, nil
}

var errUserChanged = errors.New("the user has changed since the password was checked")

// serveCode serves CodePath.
func (h *Handler) serveCode(w http.ResponseWriter, r *http.Request) error {
	values, err := h.readForm(w, r)
	if err != nil {
		return err
	}
	state := values.Get("request")
	proven, p, user, err := h.openProven(w, r, forCode, state)
	if err != nil || user == nil {
		return err
	}
	factor, err := secondfactor.Of(r.Context(), h.Store, user.ID)
	switch {
	case err != nil:
		return err
	case factor == nil: // removed meanwhile
		return h.expiredProblem(proven.Request, errUserChanged)
	case values.Get("code") == "":
		return h.writeCode(w, r, http.StatusBadRequest, p, &proven, state, "Enter a code.")
	case !h.withinCodeLimits(w, r, &proven, user):
		return nil
	}
	actor := account.Actor{Client: proven.Request.ClientID, User: user.ID}
	err = secondfactor.Use(r.Context(), h.Store, actor, factor, values.Get("code"), h.Clock())
	if errors.Is(err, secondfactor.ErrWrong) {
		h.Refused(r, "wrong_code", proven.Request.ClientID)
		return h.writeCode(w, r, http.StatusForbidden, p, &proven, state, "This code is wrong or was used before. Wait for the next one.")
	}
	if err != nil {
		return err
	}
	return h.startSession(w, r, p, &proven.Request, user, "", h.Clock())
}

// withinCodeLimits applies the limits of passwords, and that of codes.
func (h *Handler) withinCodeLimits(w http.ResponseWriter, r *http.Request, proven *provenPassword, user *account.User) bool {
	if !h.withinLimit(w, r, user.AccountID, user.Username) {
		h.Refused(r, "too_many_attempts", proven.Request.ClientID)
		return false
	}
	if err := h.LimitCodes(r.Context(), user.ID); err != nil {
		h.Refused(r, "too_many_attempts", proven.Request.ClientID)
		httperror.SetHeaders(w, err)
		h.writeProblem(w, r, errTooMany)
		return false
	}
	return true
}

// serveEnroll serves EnrollPath. The form of the first page has a code of the new second factor, and that of the second,
// which shows the recovery codes, nothing but its state.
func (h *Handler) serveEnroll(w http.ResponseWriter, r *http.Request) error {
	values, err := h.readForm(w, r)
	if err != nil {
		return err
	}
	if enrolled := values.Get("enrolled"); enrolled != "" {
		proven, p, user, err := h.openProven(w, r, forEnrolled, enrolled)
		if err != nil || user == nil {
			return err
		}
		return h.startSession(w, r, p, &proven.Request, user, "", h.Clock())
	}
	state := values.Get("request")
	proven, p, user, err := h.openProven(w, r, forEnrollment, state)
	if err != nil || user == nil {
		return err
	}
	if values.Get("code") == "" {
		return h.writeEnrollment(w, r, http.StatusBadRequest, p, user, &proven, state, "Enter the code that the app shows.")
	}
	if !h.withinCodeLimits(w, r, &proven, user) {
		return nil
	}
	actor := account.Actor{Client: proven.Request.ClientID, User: user.ID}
	codes, err := secondfactor.Enroll(r.Context(), h.Store, actor, user, proven.Secret, values.Get("code"), h.Clock())
	switch {
	case errors.Is(err, secondfactor.ErrWrong):
		return h.writeEnrollment(w, r, http.StatusForbidden, p, user, &proven, state, "This code is wrong. Check the time of your device, then enter the code that the app shows now.")
	case fault.CodeOf(err) == fault.Conflict:
		return h.expiredProblem(proven.Request, err)
	case err != nil:
		return err
	}
	h.Logger.InfoContext(r.Context(), "enrolled a second factor", "account", user.AccountID, "user", user.ID)
	proven.Secret = ""
	enrolled, err := h.sealProven(w, r, forEnrolled, proven)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(proven.Request.RedirectURI)))
	h.writePage(w, r, http.StatusOK, "recovery", recoveryPage{Action: h.base + EnrollPath, Enrolled: enrolled, Account: p.account.Name, Logo: h.logoPath(p.account), Codes: codes})
	return nil
}

// CodeHandler returns the handler of CodePath.
func (h *Handler) CodeHandler() http.Handler { return h.guarded(h.serveCode, http.MethodPost) }

// EnrollHandler returns the handler of EnrollPath.
func (h *Handler) EnrollHandler() http.Handler { return h.guarded(h.serveEnroll, http.MethodPost) }

// codePage asks for the code of a second factor. Again is the address at which another user can sign in.
type codePage struct {
	Action, Request, Again string
	Account, Client, Logo  string
	Fault                  string
}

// enrollmentPage shows the secret of a new second factor.
type enrollmentPage struct {
	codePage
	Secret  string // in groups
	Address template.URL
	QRCode  template.HTML
}

type recoveryPage struct {
	Action, Enrolled, Account, Logo string
	Codes                           []string
}

func (h *Handler) codePage(path string, p relyingParty, proven *provenPassword, state, wrong string) codePage {
	return codePage{
		Action: h.base + path, Request: state, Again: proven.Request.address(h.base),
		Account: p.account.Name, Client: nameOf(p.client), Logo: h.logoPath(p.account), Fault: wrong,
	}
}

func (h *Handler) writeCode(w http.ResponseWriter, r *http.Request, status int, p relyingParty, proven *provenPassword, state, wrong string) error {
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(proven.Request.RedirectURI)))
	h.writePage(w, r, status, "code", h.codePage(CodePath, p, proven, state, wrong))
	return nil
}

func (h *Handler) writeEnrollment(w http.ResponseWriter, r *http.Request, status int, p relyingParty, user *account.User, proven *provenPassword, state, wrong string) error {
	address := secondfactor.Address(p.account.Name, user.Username, proven.Secret)
	code, err := secondfactor.QRCode(address)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", contentPolicy(formTargets(proven.Request.RedirectURI)))
	h.writePage(w, r, status, "enroll", enrollmentPage{
		codePage: h.codePage(EnrollPath, p, proven, state, wrong), Secret: secondfactor.Grouped(proven.Secret),
		Address: template.URL(address), QRCode: template.HTML(code), // both are made here
	})
	return nil
}
