package auth

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// serviceUserID reads the Service-User-Id header (spec.md, "Full user context"); "": it was not sent, or
// empty. The problem, a text for the caller, is "" where there is none.
func serviceUserID(header http.Header) (id, problem string) {
	values := header["Service-User-Id"]
	switch len(values) {
	case 0:
		return "", ""
	case 1:
		id = values[0]
	default:
		return "", fmt.Sprintf("there must be at most one Service-User-Id header, not %d", len(values))
	}
	switch chars := utf8.RuneCountInString(id); {
	case !utf8.ValidString(id):
		return "", "Service-User-Id is not UTF-8"
	case chars > account.MaxExternalID:
		return "", fmt.Sprintf("Service-User-Id %s has %d characters; at most %d are allowed", quoted(id), chars, account.MaxExternalID)
	case strings.ContainsFunc(id, unicode.IsControl):
		return "", "Service-User-Id holds a control character"
	}
	return id, ""
}

// personalised returns the user that a client calls by an ID, who comes to be at first sight: one for each
// ID and account, whichever client sends it.
func (s *Service) personalised(ctx context.Context, client *account.Client, externalID string) (*account.User, error) {
	var id [catalogue.IDLength / 2]byte
	rand.Read(id[:]) // never fails (crypto/rand)
	user, err := s.accounts.EnsureUser(ctx, &account.User{
		ID: hex.EncodeToString(id[:]), AccountID: client.AccountID, ExternalID: externalID,
	}, false)
	switch {
	case catalogue.CodeOf(err) == catalogue.NotFound: // the account has just been deleted, and its clients with it
		return nil, invalidClient()
	case err != nil:
		return nil, err
	}
	return user, mayHaveTokens(user, client)
}

// userOf returns the user on whose behalf a client may have tokens.
func (s *Service) userOf(ctx context.Context, client *account.Client, id string) (*account.User, error) {
	record, err := s.accounts.Record(ctx, account.RecordKey{Kind: account.KindUser, ID: id})
	if err != nil {
		return nil, err
	}
	user, _ := record.(*account.User)
	return user, mayHaveTokens(user, client)
}

// mayHaveTokens refuses a user who is gone, disabled, or of another account than the client.
func mayHaveTokens(user *account.User, client *account.Client) error {
	if user == nil || user.Disabled || user.AccountID != client.AccountID {
		return invalidGrant("the user is disabled or gone", nil)
	}
	return nil
}
