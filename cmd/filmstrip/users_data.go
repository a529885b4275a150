package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/export"
	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/store"
)

// person selects a user of an account by ID or external ID, or a person without an account by external ID.
type person struct {
	used
	Account   string `help:"The account of the user." xor:"whose" required:""`
	NoAccount bool   `help:"The events came without a token and belong to no account." xor:"whose" required:""`
	ID        string `name:"id" help:"The user's id." xor:"who" required:""`
	External  string `help:"The user's id at the clients." xor:"who" required:""`
	// hasRecord reports whether the store has a record of the user.
	hasRecord bool
}

// Validate refuses an empty account, which would select all.
func (c *person) Validate() error {
	switch {
	case c.NoAccount && c.ID != "":
		return fmt.Errorf("--id %s: users have an account; with --no-account, use --external", c.ID)
	case !c.NoAccount && c.Account == "":
		return errors.New("--account or --no-account is required")
	}
	return nil
}

// identify completes ID and external ID from the record of the user, if there is one.
func (c *person) identify(ctx context.Context, u *use) error {
	if c.NoAccount {
		return nil
	}
	operation := `query($account: String, $external: String) {
		found: users(account: $account, externalId: $external) { nodes { id externalId account } } }`
	if c.ID != "" {
		operation = `query($id: String!) { found: user(id: $id) { id externalId account } }`
	}
	answer, err := u.ask(ctx, operation, input{"id": c.ID, "account": c.Account, "external": c.External})
	if err != nil {
		return err
	}
	type record struct{ ID, ExternalID, Account string }
	var found *record
	if c.ID != "" {
		err = json.Unmarshal(answer, &found)
	} else {
		var page struct{ Nodes []*record }
		if err = json.Unmarshal(answer, &page); len(page.Nodes) > 0 {
			found = page.Nodes[0]
		}
	}
	if err != nil || found == nil {
		return err // a user without a record may still have events
	}
	if found.Account != c.Account {
		return fmt.Errorf("the user %s does not belong to the account %s", c.ID, c.Account)
	}
	c.ID, c.External, c.hasRecord = found.ID, found.ExternalID, true
	return nil
}

// checkKnown refuses an account that is probably misspelled: neither the registry, the audit log of the user nor the
// event log contains it. The event log is last, because it may be read as a whole.
func (c *person) checkKnown(ctx context.Context, u *use) error {
	if c.NoAccount || c.hasRecord || checkAccount(ctx, u.ask, c.Account) == nil {
		return nil
	}
	if audited, err := c.audited(ctx, u); audited || err != nil {
		return err
	}
	return checkKnown(ctx, u.Events, u.ask, c.Account)
}

// names returns the external ID and its pseudonym, under either of which events may be stored.
func (c *person) names(u *use) []string {
	if c.External == "" {
		return nil
	}
	return slices.Compact([]string{c.External, event.Pseudonym(u.personKey, c.Account, c.External)})
}

// events yields the events of the user, under any of the names.
func (c *person) events(ctx context.Context, u *use) iter.Seq2[[]event.Event, error] {
	query := store.EventQuery{Account: c.Account}
	if c.ID != "" {
		query.Names = append(query.Names, "u"+c.ID)
	}
	for _, name := range c.names(u) {
		query.Names = append(query.Names, "x"+name)
	}
	return logged(ctx, u.Events, query, 0)
}

type usersExport struct {
	person
	Output string `help:"The output file instead of standard output; it appears once it is complete." placeholder:"FILE"`
	app.AddressSettings
}

// Run writes JSON lines: the user's events with all stored fields, the counted plays whose events are no longer in the
// log, the user's collections, saved collections and comments, and the user's record with its changes.
func (c *usersExport) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		if err := c.identify(ctx, u); err != nil {
			return err
		}
		own, err := c.userCollections(ctx, u)
		if err != nil {
			return err
		}
		if err := c.checkKnown(ctx, u); err != nil {
			return err
		}
		return writeOutput(console, c.Output, func(w io.Writer) error {
			to, err := export.NewEvents(w, export.JSONL, export.Options{Addresses: c.KeepAddresses})
			if err != nil {
				return err
			}
			logged := map[event.Position]bool{}
			if _, err = export.Copy(to, noting(c.events(ctx, u), logged)); err != nil {
				return err
			}
			if err := c.writePlays(ctx, u, logged, w); err != nil {
				return err
			}
			if err := c.writeCollections(ctx, u, own, w); err != nil {
				return err
			}
			return c.writeRecord(ctx, u, w)
		})
	})
}

// noting yields the batches and records the positions of their events.
func noting(batches iter.Seq2[[]event.Event, error], positions map[event.Position]bool) iter.Seq2[[]event.Event, error] {
	return func(yield func([]event.Event, error) bool) {
		for events, err := range batches {
			for i := range events {
				positions[events[i].Position] = true
			}
			if !yield(events, err) {
				return
			}
		}
	}
}

// countedPlay is the line of a play whose event is no longer in the log.
type countedPlay struct {
	Position    event.Position `json:"position"`
	Kind        string         `json:"kind"`
	CaptureTime string         `json:"captureTime"`
	Account     string         `json:"accountId,omitempty"`
	Client      string         `json:"clientId,omitempty"`
	External    string         `json:"userId,omitempty"`
	User        string         `json:"tokenUserId,omitempty"`
	Video       string         `json:"videoId,omitempty"`
	Start       float64        `json:"segmentStartSeconds"`
	End         float64        `json:"segmentEndSeconds"`
	Counted     float64        `json:"countedSeconds"`
	Sandbox     bool           `json:"sandbox"`
	Continues   bool           `json:"continues"`
}

// writePlays writes the counted plays of the user, except those of logged events.
func (c *person) writePlays(ctx context.Context, u *use, logged map[event.Position]bool, w io.Writer) error {
	persons := []event.Event{{User: c.ID}}
	for _, name := range c.names(u) {
		persons = append(persons, event.Event{ExternalUser: name})
	}
	lines := json.NewEncoder(w)
	for _, person := range persons {
		plays, err := u.Usage.PlaysOf(ctx, c.Account, person.Person())
		if err != nil {
			return err
		}
		for _, p := range plays {
			if logged[p.Position] {
				continue
			}
			err := lines.Encode(countedPlay{
				Position: p.Position, Kind: event.Playback.String(), CaptureTime: p.At.String(), Account: p.Account, Client: p.Client,
				External: person.ExternalUser, User: person.User, Video: p.Video, Start: float64(p.Start) / 1000, End: float64(p.End) / 1000,
				Counted: float64(p.Milliseconds()) / 1000, Sandbox: p.Sandbox, Continues: p.Continues,
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

type usersForget struct {
	person
	KeepRecord bool `help:"Keep the user's record, with name and e-mail address, and the audit log's copies of it."`
}

// Run removes the user from events, deletes the user's collections and record, and prints how many there were.
func (c *usersForget) Run(ctx context.Context, console console) error {
	return c.with(ctx, func(u *use) error {
		if err := c.identify(ctx, u); err != nil {
			return err
		}
		own, err := c.userCollections(ctx, u)
		if err != nil {
			return err
		}
		if err := c.checkKnown(ctx, u); err != nil {
			return err
		}
		var result forgotten
		for _, who := range [][2]string{{"user", c.ID}, {"externalUser", c.External}} {
			if who[1] == "" {
				continue
			}
			answer, err := u.ask(ctx, `mutation($account: String, $noAccount: Boolean!, $user: String, $externalUser: String) {
				forgetPerson(account: $account, noAccount: $noAccount, user: $user, externalUser: $externalUser) }`,
				input{"account": c.Account, "noAccount": c.NoAccount, who[0]: who[1]})
			if err != nil {
				return err
			}
			var events int
			if err := json.Unmarshal(answer, &events); err != nil {
				return err
			}
			result.Events += events
		}
		if c.ID != "" {
			deleted, err := u.Collections.ForgetUser(ctx, c.ID)
			if err != nil {
				return err
			}
			result.Collections = &deleted
		}
		var others []string
		if err = c.forgetRecord(ctx, u, &result); err == nil {
			others, err = c.others(ctx, u)
		}
		result.nothing = err == nil && !c.hasRecord && len(own.Own)+len(own.Saved)+len(others)+result.Events == 0 && result.AuditEntries == 0
		if err := errors.Join(err, console.print(result, result.describe)); err != nil { // what happened stays
			return err
		}
		if len(others) > 0 {
			console.warn("events with the user's token that name another user remain: %s", strings.Join(others, ", "))
		}
		return nil
	})
}

// forgotten is what a command removed of a user. Collections is nil for a person without an ID.
type forgotten struct {
	Events        int   `json:"events"`
	Collections   *int  `json:"collections"`
	RecordDeleted bool  `json:"recordDeleted"`
	AuditEntries  int64 `json:"auditEntriesEmptied"`
	// nothing reports that the command found nothing of the user.
	nothing bool
}

// describe writes the result as text.
func (f forgotten) describe(w io.Writer) error {
	if f.nothing {
		_, err := io.WriteString(w, "no event, collection or record names this user\n")
		return err
	}
	text := fmt.Sprintf("%d events no longer name a user\n", f.Events)
	if f.Collections != nil {
		text += fmt.Sprintf("%d collections are deleted\n", *f.Collections)
	}
	if f.RecordDeleted {
		text += "the user's record is deleted\n"
	}
	if f.AuditEntries > 0 {
		text += fmt.Sprintf("%d entries of the audit log are emptied\n", f.AuditEntries)
	}
	_, err := io.WriteString(w, text)
	return err
}

// others returns the other persons in events with the user's token, because they may be the same person.
func (c *person) others(ctx context.Context, u *use) ([]string, error) {
	left := map[string]bool{}
	for events, err := range c.events(ctx, u) {
		if err != nil {
			return nil, err
		}
		for i := range events {
			left[events[i].ExternalUser] = true
		}
	}
	return slices.Sorted(maps.Keys(left)), nil
}
