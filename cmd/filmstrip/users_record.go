package main

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/store"
)

// The kinds of the last lines of an export of a user.
const (
	lineUser   = "USER"
	lineChange = "USER_CHANGE"
)

// userLine is the user's record, without the hash of a password.
type userLine struct {
	Kind string         `json:"kind"`
	User account.Entity `json:"user"`
}

// changeLine is an entry of the audit log about the user's record: its author, and the record before and after.
type changeLine struct {
	Kind        string          `json:"kind"`
	At          time.Time       `json:"at"`
	Client      string          `json:"clientId"`
	TokenUserID string          `json:"tokenUserId,omitempty"`
	Before      json.RawMessage `json:"before,omitempty"`
	After       json.RawMessage `json:"after,omitempty"`
}

func (c *person) key() account.EntityKey {
	return account.KindUser.Key(c.ID)
}

// writeRecord writes the user's record and its entries of the audit log as JSON lines.
func (c *person) writeRecord(ctx context.Context, u *use, w io.Writer) error {
	if c.ID == "" {
		return nil
	}
	lines := json.NewEncoder(w)
	record, err := u.Accounts.Entity(ctx, c.key())
	if err != nil {
		return err
	}
	if record != nil && c.hasRecord {
		if err := lines.Encode(userLine{lineUser, record.Redacted()}); err != nil {
			return err
		}
	}
	const page = 1000
	for below := int64(0); ; {
		entries, err := u.Accounts.Audit(ctx, store.AuditQuery{Key: c.key(), Owner: c.Account}, below, page)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			line := changeLine{lineChange, entry.At, entry.Actor.Client, entry.Actor.User, entry.Before, entry.After}
			if err := lines.Encode(line); err != nil {
				return err
			}
			below = entry.Number
		}
		if len(entries) < page {
			return nil
		}
	}
}

// forgetRecord deletes the user's record, which ends sessions, tokens and embeds, and redacts its entries of the audit
// log.
func (c *usersForget) forgetRecord(ctx context.Context, u *use, result *forgotten) error {
	if c.ID == "" || c.KeepRecord {
		return nil
	}
	if c.hasRecord {
		if _, err := u.ask(ctx, `mutation($id: String!) { deleteUser(id: $id) }`, input{"id": c.ID}); err != nil {
			return err
		}
		result.RecordDeleted = true
	}
	audited, err := c.audited(ctx, u)
	if err != nil || !audited { // the ID belongs to another account, or never existed
		return err
	}
	result.AuditEntries, err = u.Accounts.RedactAudit(ctx, c.key())
	return err
}

// audited reports whether the audit log has entries about the user in the account.
func (c *person) audited(ctx context.Context, u *use) (bool, error) {
	if c.ID == "" {
		return false, nil
	}
	entries, err := u.Accounts.Audit(ctx, store.AuditQuery{Key: c.key(), Owner: c.Account}, 0, 1)
	return len(entries) > 0, err
}
