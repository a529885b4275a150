package account

import (
	"fmt"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// User is a person on whose behalf a client calls. It came to be by a Service-User-Id, by signing in at
// the customer's identity provider, or by the operator's hand.
type User struct {
	// ID is 24 lower-case hexadecimal characters, random, and the subject of the user's tokens.
	ID string `json:"id"`
	Meta
	AccountID string `json:"account"`
	// ExternalID is how the customer's clients call the user (Service-User-Id), "": not at all.
	ExternalID string `json:"externalId,omitempty"`
	// Username is what a user with a password signs in with, often an e-mail address; "": there is none.
	Username string `json:"username,omitempty"`
	// PasswordHash is an argon2id hash in the PHC string format; "": there is no password.
	PasswordHash string `json:"passwordHash,omitempty"`
	// Issuer and Subject are the user's at an identity provider (OpenID Connect Core, section 2); "":
	// none.
	Issuer  string `json:"issuer,omitempty"`
	Subject string `json:"subject,omitempty"`

	Email         string `json:"email,omitempty"`
	EmailVerified bool   `json:"emailVerified,omitempty"`
	GivenName     string `json:"givenName,omitempty"`
	FamilyName    string `json:"familyName,omitempty"`
	Disabled      bool   `json:"disabled,omitempty"`

	UserDetails
}

// UserDetails are what users tell of themselves. No rule depends on them.
type UserDetails struct {
	JobTitle         string   `json:"jobTitle,omitempty"`
	DesiredContent   string   `json:"desiredContent,omitempty"`
	Audiences        []string `json:"audiences,omitempty"`
	DiscoveryMethods []string `json:"discoveryMethods,omitempty"`
	TermsAccepted    bool     `json:"termsAccepted,omitempty"`
	// Subjects and Ages are those that the user teaches.
	Subjects []catalogue.ID `json:"subjects,omitempty"`
	Ages     []int          `json:"ages,omitempty"`
}

// MaxUserSubjects is the most subjects that a user may teach (contract of the API, "User PUT body").
const MaxUserSubjects = 50

func (d *UserDetails) validate(f *faults) {
	f.Line("jobTitle", d.JobTitle, 0, MaxNameLength)
	f.Line("desiredContent", d.DesiredContent, 0, MaxURLLength)
	f.names("audiences", d.Audiences)
	f.names("discoveryMethods", d.DiscoveryMethods)
	f.Length("subjects", len(d.Subjects), MaxUserSubjects)
	for i, id := range d.Subjects {
		if !id.Valid() {
			f.Add(fmt.Sprintf("subjects[%d]", i), "%q is not an id", catalogue.Shorten(string(id)))
		}
	}
	f.Length("ages", len(d.Ages), catalogue.MaxAge+1)
	for i, age := range d.Ages {
		if age < 0 || age > catalogue.MaxAge {
			f.Add(fmt.Sprintf("ages[%d]", i), "%d is not an age between 0 and %d", age, catalogue.MaxAge)
		}
	}
}

// Name is the user's full name, "" where it is not known.
func (u *User) Name() string { return strings.TrimSpace(u.GivenName + " " + u.FamilyName) }

// Key names the user.
func (u *User) Key() EntityKey { return EntityKey{KindUser, u.ID} }

// Owner is the account.
func (u *User) Owner() string { return u.AccountID }

// Names are those under which the account's users are found: ExternalUserName, LocalUserName and
// FederatedUserName.
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

// ExternalUserName finds a user by the Service-User-Id, byte for byte.
func ExternalUserName(account, id string) string { return NameOf("external", account, id) }

// LocalUserName finds a user by what is typed on the sign-in page, in any case.
func LocalUserName(account, username string) string {
	return NameOf("local", account, catalogue.FoldName(username))
}

// FederatedUserName finds a user by what the identity provider calls it.
func FederatedUserName(account, issuer, subject string) string {
	return NameOf("federated", account, issuer, subject)
}

// Links names the account.
func (u *User) Links() []EntityKey { return []EntityKey{{KindAccount, u.AccountID}} }

// Validate checks every field but what Links names.
func (u *User) Validate() fault.FieldErrors {
	var f faults
	if !catalogue.ID(u.ID).Valid() {
		f.Add("id", "%q is not an id of %d lower-case hexadecimal characters", catalogue.Shorten(u.ID), catalogue.IDLength)
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
		f.Add("subject", "goes with issuer")
	}
	f.Line("email", u.Email, 0, maxEmailLength)
	if u.Email != "" && !strings.Contains(u.Email, "@") {
		f.Add("email", "%q is not an e-mail address", catalogue.Shorten(u.Email))
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

// Redacted leaves the password's hash out.
func (u *User) Redacted() Entity {
	shown := *u
	if shown.PasswordHash != "" {
		shown.PasswordHash = redacted
	}
	return &shown
}
