package restorelist

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/usage"
)

// The kinds of entries. A restore refuses a kind that it does not know.
const (
	// kindPerson: a person was forgotten.
	kindPerson = "person"
	// kindCredential: a credential of a record ended, such as a client's secret, a user's password, or the identity
	// provider of an account or a user.
	kindCredential = "credential"
	// kindBlocked: an account, a client or a user was blocked or unblocked.
	kindBlocked = "blocked"
	// kindDeleted: an account, a client or a user was deleted.
	kindDeleted = "deleted"
	// kindNotBefore: only tokens issued at this instant or later are valid.
	kindNotBefore = "notBefore"
	// kindTokens: access tokens with certain marks were revoked.
	kindTokens = "tokens"
	// kindKeys: keys of the service were withdrawn.
	kindKeys = "keys"
	// kindVoid: plays were voided, or a void was undone.
	kindVoid = "void"
)

// Entry is one line of the list. Except for an operator's text in the reason of a void, it contains no personal name,
// no secret and nothing from which a secret could be guessed.
type Entry struct {
	At   time.Time `json:"at"`
	Kind string    `json:"kind"`

	// Account and Person belong to kindPerson. Person is the HMAC-SHA256 of the name under which events are stored,
	// with a key of the store.
	Account string `json:"account,omitempty"`
	Person  string `json:"person,omitempty"`
	// User is the random id of a forgotten user whose collections are deleted too.
	User string `json:"user,omitempty"`

	// Record is the record that was changed.
	Record *Record `json:"record,omitempty"`
	// Credential distinguishes the credentials of a record.
	Credential string `json:"credential,omitempty"`
	// Blocked belongs to kindBlocked.
	Blocked bool `json:"blocked,omitempty"`
	// Until is when a credential or revoked tokens end, or the instant of kindNotBefore. For a credential, the zero
	// time means immediately.
	Until time.Time `json:"until,omitzero"`

	// Marks are the marks of revoked tokens.
	Marks []string `json:"marks,omitempty"`
	// Purpose and Keys name the withdrawn keys.
	Purpose string   `json:"purpose,omitempty"`
	Keys    []string `json:"keys,omitempty"`

	// Void is the void that was made or, with Undone, the id of the one that was undone.
	Void *usage.Void `json:"void,omitempty"`
}

// Record is the key of a record.
type Record struct {
	Kind account.Kind `json:"kind"`
	ID   string       `json:"id"`
}

func recordOf(key account.EntityKey) *Record { return &Record{key.Kind, key.ID} }

func (r *Record) key() account.EntityKey { return account.EntityKey{Kind: r.Kind, ID: r.ID} }

// check refuses an entry that this release does not fully understand.
func (e *Entry) check() error {
	complete := false
	switch e.Kind {
	case kindPerson:
		complete = e.Person != "" || e.User != ""
	case kindCredential:
		complete = e.Record != nil && e.Credential != ""
	case kindBlocked, kindDeleted:
		complete = e.Record != nil
	case kindNotBefore:
		complete = true
	case kindTokens:
		complete = len(e.Marks) > 0 && !e.Until.IsZero()
	case kindKeys:
		complete = e.Purpose != "" && len(e.Keys) > 0
	case kindVoid:
		complete = e.Void != nil && e.Void.ID != ""
	default:
		return fmt.Errorf("entries of kind %q are not known to this release", e.Kind)
	}
	if !complete || e.At.IsZero() {
		return fmt.Errorf("the entry of kind %q is not complete", e.Kind)
	}
	return nil
}

// blocked reports whether a record may not be used at all.
func blocked(record account.Entity) bool {
	switch r := record.(type) {
	case *account.Account:
		return r.Status == account.Suspended
	case *account.Client:
		return r.Disabled
	case *account.User:
		return r.Disabled
	}
	return false
}

// credentials returns the credentials of a record with the instants at which they end (zero: never). Their names are
// random ids, or hashes under the list's key.
func credentials(key []byte, record account.Entity) map[string]time.Time {
	found := map[string]time.Time{}
	switch r := record.(type) {
	case *account.Client:
		for _, secret := range r.Secrets {
			found[secretCredential(secret)] = endOf(secret)
		}
	case *account.User:
		if r.PasswordHash != "" {
			found[passwordCredential(key, r)] = time.Time{}
		}
		if r.Subject != "" {
			found[identityCredential(key, r)] = time.Time{}
		}
	case *account.Account:
		for _, provider := range r.IdentityProviders {
			found[providerCredential(key, provider)] = time.Time{}
		}
	}
	return found
}

func endOf(secret account.Secret) time.Time {
	if secret.ExpiresAt == nil {
		return time.Time{}
	}
	return *secret.ExpiresAt
}

func secretCredential(secret account.Secret) string { return "secret:" + secret.ID }

func passwordCredential(key []byte, user *account.User) string {
	return "password:" + keyed(key, user.PasswordHash)
}

func identityCredential(key []byte, user *account.User) string {
	return "identity:" + keyed(key, user.Issuer, user.Subject)
}

// providerCredential identifies the settings that sign-in at a provider depends on. Name and scopes may change.
func providerCredential(key []byte, provider account.IdentityProvider) string {
	return "provider:" + keyed(key, provider.Alias, provider.Issuer, provider.ClientID)
}

// changes returns the entries for a change of a record: for everything taken away, and for a block that ended.
func changes(key []byte, before, after account.Entity) (entries []Entry) {
	switch record := after.(type) {
	case *account.Account, *account.Client, *account.User:
	case *account.Policy:
		if old, ok := before.(*account.Policy); !ok && record.NotBefore.IsZero() || ok && old.NotBefore.Equal(record.NotBefore) {
			return nil
		}
		return []Entry{{Kind: kindNotBefore, Until: record.NotBefore}}
	default:
		return nil
	}
	of := recordOf(after.Key())
	if before == nil {
		if blocked(after) {
			entries = append(entries, Entry{Kind: kindBlocked, Record: of, Blocked: true})
		}
		return entries
	}
	if is := blocked(after); is != blocked(before) {
		entries = append(entries, Entry{Kind: kindBlocked, Record: of, Blocked: is})
	}
	now := credentials(key, after)
	for credential, end := range credentials(key, before) {
		left, still := now[credential]
		if !still || !left.IsZero() && (end.IsZero() || left.Before(end)) {
			entries = append(entries, Entry{Kind: kindCredential, Record: of, Credential: credential, Until: left})
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return strings.Compare(a.Credential, b.Credential) })
	return entries
}
