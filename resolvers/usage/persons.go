package usage

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

// persons returns the persons that either list names, or nil if both are nil. The users that clients name are stored
// under a pseudonym, or by their names from a time without a key.
func (r *Resolver) persons(accounts, users, externalUsers []string) ([]string, error) {
	if users == nil && externalUsers == nil {
		return nil, nil
	}
	persons := values.Map(users, userPerson)
	key := r.config.PersonKey
	if len(key) == 0 {
		key = r.config.FormerPersonKey
	}
	if len(externalUsers) > 0 && len(key) > 0 && accounts == nil {
		return nil, inputs.Invalid("externalUsers", "needs accounts, because each account has its own pseudonyms")
	}
	if len(accounts)*len(externalUsers) > catalogue.MaxFilterValues && len(key) > 0 {
		return nil, inputs.Invalid("externalUsers", "has too many values for so many accounts")
	}
	for _, user := range externalUsers {
		persons = append(persons, externalPerson(user))
		for _, account := range accounts {
			if len(key) > 0 {
				persons = append(persons, externalPerson(event.Pseudonym(key, account, user)))
			}
		}
	}
	return persons, nil
}

// userPerson returns the person (event.Event.Person) of a user of a token.
func userPerson(user string) string {
	e := event.Event{User: user}
	return e.Person()
}

// externalPerson returns the person of a user that clients name.
func externalPerson(user string) string {
	e := event.Event{ExternalUser: user}
	return e.Person()
}

// namesOf returns the user or external user of a person.
func namesOf(person string) (user, externalUser *string) {
	if person == "" {
		return nil, nil
	}
	name := person[1:]
	if person == externalPerson(name) {
		return nil, &name
	}
	return &name, nil
}

// ForgetPerson adds an entry to the audit log that does not say who was forgotten. It finishes even if the
// request ends.
func (r *Resolver) ForgetPerson(ctx context.Context, of *string, noAccount bool, user, externalUser *string) (int64, error) {
	account := values.Or(of)
	persons, err := r.personsToForget(account, noAccount, values.Or(user), values.Or(externalUser))
	if err != nil {
		return 0, err
	}
	if r.config.Persons == nil {
		return 0, errNoUsage
	}
	if _, err := r.config.Registry.Store(); err != nil { // which has the audit log
		return 0, err
	}
	ctx = context.WithoutCancel(ctx)
	var events int64
	for _, person := range persons {
		forgotten, err := r.config.Persons.Forget(ctx, account, person)
		if err != nil {
			return 0, err
		}
		events += forgotten
	}
	return events, r.config.Registry.Note(ctx, account, forgetNote{At: event.InstantOf(r.config.Now()).String(), Account: account, Events: events})
}

// forgetNote is the body of an entry of the audit log.
type forgetNote struct {
	At      string `json:"forgotPersonAt"`
	Account string `json:"account"`
	Events  int64  `json:"events"`
}

// personsToForget returns the persons under which the events of a user may be stored.
func (r *Resolver) personsToForget(account string, noAccount bool, user, externalUser string) ([]string, error) {
	switch {
	case account == "" && !noAccount:
		return nil, inputs.Invalid("account", "is required")
	case noAccount && (account != "" || user != ""):
		return nil, fault.InvalidRequest("noAccount allows only externalUser beside it")
	case (user == "") == (externalUser == ""):
		return nil, fault.InvalidRequest("exactly one of user and externalUser is required")
	case user != "":
		return []string{userPerson(user)}, nil
	}
	return r.persons([]string{account}, nil, []string{externalUser})
}
