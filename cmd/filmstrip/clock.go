package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/clock"
	"github.com/filmstrip/filmstrip/store"
)

type clockCommand struct {
	Status  clockStatus  `cmd:"" help:"Show whether retention and key expiry are stopped because a wall clock is not trusted, and why."`
	Confirm clockConfirm `cmd:"" help:"Confirm that the wall clocks of all servers are correct, which resumes retention and key expiry."`
}

type clockStatus struct{ used }

// Run prints the state that the servers stored.
func (c *clockStatus) Run(ctx context.Context, console console) error {
	return c.using(ctx, func(u *use) error {
		record, err := u.Events.ClockRecord(ctx)
		if err != nil {
			return err
		}
		return console.printf(clockState{record.Hold == nil, record.Hold}, "%s", describeHold(record.Hold))
	})
}

// clockState is the state of the clocks in JSON. Hold is null if they are trusted.
type clockState struct {
	Trusted bool             `json:"trusted"`
	Hold    *store.ClockHold `json:"hold"`
}

func describeHold(hold *store.ClockHold) string {
	if hold == nil {
		return "the clocks are trusted: retention and key expiry run\n"
	}
	return fmt.Sprintf("retention and key expiry are stopped since %s: %s\n", hold.Since.Format(time.RFC3339), hold.Reason)
}

type clockConfirm struct {
	used
	Reason string `required:"" help:"Why the clocks are correct, for the audit log."`
}

// clockNote is the entry of a confirmation in the audit log.
type clockNote struct {
	At     time.Time        `json:"clockConfirmed"`
	Reason string           `json:"reason"`
	Hold   *store.ClockHold `json:"hold"`
}

// Run confirms the clocks, even if nothing is stopped.
func (c *clockConfirm) Run(ctx context.Context, console console) error {
	if err := checkReason(c.Reason); err != nil {
		return err
	}
	return c.using(ctx, func(u *use) error {
		now := time.Now().UTC()
		ended, err := clock.Confirm(ctx, u.Events, now)
		if err != nil {
			return err
		}
		if err := noteOperation(ctx, u.Accounts, clockNote{At: now, Reason: c.Reason, Hold: ended}); err != nil {
			return fmt.Errorf("the clock is confirmed, but the audit log has no entry: %w", err)
		}
		text := "the clocks are confirmed; nothing was stopped"
		if ended != nil {
			text = "the clocks are confirmed; servers resume retention and key expiry within a minute"
		}
		return console.printf(clockNote{At: now, Reason: c.Reason, Hold: ended}, "%s\n", text)
	})
}

// maxReason is the length of the longest reason in the audit log, in bytes.
const maxReason = 500

func checkReason(reason string) error {
	if reason == "" || len(reason) > maxReason {
		return fmt.Errorf("--reason has %d bytes; it must have 1 to %d", len(reason), maxReason)
	}
	return nil
}

// noteOperation adds an entry to the audit log, at the record of the operator's policy. It creates a missing record.
func noteOperation(ctx context.Context, registry store.Registry, note any) error {
	body, err := json.Marshal(note)
	if err != nil {
		return err
	}
	actor := account.Actor{Client: account.CommandLine, User: systemUser()}
	key := (&account.Policy{}).Key()
	err = registry.Note(ctx, actor, key, body)
	if fault.CodeOf(err) != fault.NotFound {
		return err
	}
	err = registry.Edit(ctx, actor, func(ctx context.Context, tx store.RegistryTx) error {
		if stored, err := tx.Entity(ctx, key); err != nil || stored != nil {
			return err
		}
		return tx.Put(ctx, &account.Policy{})
	})
	if err != nil {
		return err
	}
	return registry.Note(ctx, actor, key, body)
}
