package account

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// User is a person on whose behalf a client calls. Users are created by a Service-User-Id header, by signing in at
// the customer's identity provider, or by the operator.
type User struct {
	// ID is 24 random lower-case hexadecimal characters. It is the subject of the user's tokens.
	ID string `json:"id"`
	Meta
	AccountID string `json:"account"`
	// ExternalID is the name that the customer's clients give the user (Service-User-Id); "" if none.
	ExternalID string `json:"externalId,omitempty"`
	// Username is the name for password sign-in, often an e-mail address; "" if none.
	Username string `json:"username,omitempty"`
	// PasswordHash is an argon2id hash in the PHC string format; "" if the user has no password.
	PasswordHash string `json:"passwordHash,omitempty"`
	// Issuer and Subject identify the user at an identity provider (OpenID Connect Core, section 2); "" if the user
	// never signed in at one.
	Issuer  string `json:"issuer,omitempty"`
	Subject string `json:"subject,omitempty"`

	Email         string `json:"email,omitempty"`
	EmailVerified bool   `json:"emailVerified,omitempty"`
	GivenName     string `json:"givenName,omitempty"`
	FamilyName    string `json:"familyName,omitempty"`
	Disabled      bool   `json:"disabled,omitempty"`

	UserDetails
}

// UserDetails are what users state about themselves. No rule depends on them.
type UserDetails struct {
	JobTitle         string   `json:"jobTitle,omitempty"`
	DesiredContent   string   `json:"desiredContent,omitempty"`
	Audiences        []string `json:"audiences,omitempty"`
	DiscoveryMethods []string `json:"discoveryMethods,omitempty"`
	TermsAccepted    bool     `json:"termsAccepted,omitempty"`
	// Subjects and Ages are what the user teaches and the ages of the students.
	Subjects []catalogue.ID `json:"subjects,omitempty"`
	Ages     []int          `json:"ages,omitempty"`
}

// MaxUserSubjects is the maximum number of subjects a user may teach (contract of the API, "User PUT body").
const MaxUserSubjects = 50

func (d *UserDetails) validate(f *faults) {
	f.Line("jobTitle", d.JobTitle, 0, MaxNameLength)
	f.Line("desiredContent", d.DesiredContent, 0, MaxURLLength)
	f.names("audiences", d.Audiences)
	f.names("discoveryMethods", d.DiscoveryMethods)
	f.Length("subjects", len(d.Subjects), MaxUserSubjects)
	for i, id := range d.Subjects {
		if !id.Valid() {
			f.Add(fmt.Sprintf("subjects[%d]", i), "%q is not an id", fault.Shorten(string(id)))
		}
	}
	f.Length("ages", len(d.Ages), catalogue.MaxAge+1)
	for i, age := range d.Ages {
		if age < 0 || age > catalogue.MaxAge {
			f.Add(fmt.Sprintf("ages[%d]", i), "%d is not an age between 0 and %d", age, catalogue.MaxAge)
		}
	}
}

// Name returns the user's full name, or "" if it is unknown.
func (u *User) Name() string { return strings.TrimSpace(u.GivenName + " " + u.FamilyName) }

// DisplayName returns the user's full name or, if it is unknown, the user name or e-mail address.
func (u *User) DisplayName() string { return cmp.Or(u.Name(), u.Username, u.Email) }

// Key returns the user's key.
func (u *User) Key() EntityKey { return EntityKey{KindUser, u.ID} }

// Owner returns the ID of the user's account.
func (u *User) Owner() string { return u.AccountID }

// Names returns the unique names of the user that are set: ExternalUserName, LocalUserName and FederatedUserName.
func (u *User) Names() []string {
	var names []string
	if u.ExternalID != "" {
		names = append(names, ExternalUserName(u.AccountID, u.ExternalID))
	}
	if u.Username != "" {
		names = append(names, LocalUserName(u.AccountID, u.Username))
	}
	if u.Subject != "" {
		names = append(names, FederatedUserName(u.AccountID, u.Issuer, u.Subject))
	}
	return names
}

// ExternalUserName returns the unique name of a user with the given Service-User-Id, compared byte by byte.
func ExternalUserName(account, id string) string { return NameOf("external", account, id) }

// LocalUserName returns the unique name of a user with the given sign-in name, compared regardless of case.
func LocalUserName(account, username string) string {
	return NameOf("local", account, catalogue.FoldName(username))
}

// FederatedUserName returns the unique name of a user of an identity provider.
func FederatedUserName(account, issuer, subject string) string {
	return NameOf("federated", account, issuer, subject)
}

// Links returns the user's account.
func (u *User) Links() []EntityKey { return []EntityKey{{KindAccount, u.AccountID}} }

// Validate checks all fields except that linked entities exist.
func (u *User) Validate() fault.FieldErrors {
	var f faults
	if !catalogue.ID(u.ID).Valid() {
		f.Add("id", "%q is not an id of %d lower-case hexadecimal characters", fault.Shorten(u.ID), catalogue.IDLength)
	}
	if u.AccountID == "" {
		f.Add("account", "is required")
	}
	f.Line("externalId", u.ExternalID, 0, MaxExternalID)
	f.Line("username", u.Username, 0, MaxNameLength)
	if u.PasswordHash != "" && u.Username == "" {
		f.Add("username", "is required with a password")
	}
	f.Line("issuer", u.Issuer, 0, MaxURLLength)
	f.Line("subject", u.Subject, 0, maxEmailLength+1) // OpenID Connect Core, section 2: at most 255
	if (u.Issuer == "") != (u.Subject == "") {
		f.Add("subject", "must be set together with issuer")
	}
	f.Line("email", u.Email, 0, maxEmailLength)
	if u.Email != "" && !strings.Contains(u.Email, "@") {
		f.Add("email", "%q is not an e-mail address", fault.Shorten(u.Email))
	}
	f.Line("givenName", u.GivenName, 0, MaxNameLength)
	f.Line("familyName", u.FamilyName, 0, MaxNameLength)
	u.validate(&f)
	return f.List()
}

func (f *faults) names(field string, names []string) {
	f.Length(field, len(names), MaxListLength)
	for i, name := range names {
		f.Line(fmt.Sprintf("%s[%d]", field, i), name, 1, MaxNameLength)
	}
}

// Redacted returns a copy without the password hash.
func (u *User) Redacted() Entity {
	shown := *u
	if shown.PasswordHash != "" {
		shown.PasswordHash = redacted
	}
	return &shown
}
