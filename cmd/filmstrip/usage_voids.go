package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/filmstrip/filmstrip/event"
)

type usageVoid struct {
	used
	Event   string   `help:"The id of one event, as 'events export' shows it; excludes the other selections." placeholder:"ID"`
	Client  string   `help:"A client; requires --from and --to."`
	Video   string   `help:"The video id under which the playback was reported." placeholder:"ID"`
	Account string   `help:"Only playback of this account; required for a deleted client."`
	From    *instant `help:"The start of the period, by time of playback: a time or a day (UTC)." placeholder:"TIME"`
	To      *instant `help:"The end of the period, exclusive: a time or a day (UTC)." placeholder:"TIME"`
	Reason  string   `help:"Why, for the audit log. Only a preview (dry-run) needs none."`
	ID      string   `name:"id" help:"An id for the void; repeating the command with the same id voids only once."`
	DryRun  bool     `help:"Void nothing; show the plays and seconds of each month that would be voided, and whether the month is sealed."`
}

// Validate requires a reason, except for a preview.
func (c *usageVoid) Validate() error {
	if c.Reason == "" && !c.DryRun {
		return fmt.Errorf("--reason is required, except with --dry-run")
	}
	return nil
}

// voidFields are the fields of a void in JSON output.
const voidFields = `id event account client video from to plays milliseconds accounts position
	made { at client user reason } undone { at client user reason }`

// selection is the command's VoidSelection.
func (c *usageVoid) selection() input {
	selection := input{}
	for name, text := range map[string]string{"event": c.Event, "client": c.Client, "video": c.Video, "account": c.Account} {
		if text != "" {
			selection[name] = text
		}
	}
	for name, at := range map[string]*instant{"from": c.From, "to": c.To} {
		if at != nil {
			selection[name] = event.Instant(*at).Time().Format(time.RFC3339Nano)
		}
	}
	return selection
}

// Run voids plays, or previews the void.
func (c *usageVoid) Run(ctx context.Context, console console) error {
	return c.with(ctx, func(u *use) error {
		if c.DryRun {
			answer, err := u.ask(ctx, `query($selection: VoidSelection!) {
				voidPreview(selection: $selection) { account month client billable sealed plays seconds } }`, input{"selection": c.selection()})
			if err != nil {
				return err
			}
			if string(answer) == "[]" {
				return console.printf(answer, "no plays would be voided\n")
			}
			return printRows(console, answer, "account month client billable sealed plays seconds")
		}
		variables := input{"selection": c.selection(), "reason": c.Reason}
		if c.ID != "" {
			variables["id"] = c.ID
		}
		answer, err := u.ask(ctx, `mutation($selection: VoidSelection!, $reason: String!, $id: String) {
			voidPlays(selection: $selection, reason: $reason, id: $id) { `+voidFields+` } }`, variables)
		if err != nil {
			return err
		}
		return printVoid(console, answer, "void %s: voided %d plays, in all %s, of %s\n")
	})
}

type usageUnvoid struct {
	used
	ID     string `arg:"" name:"id" help:"The void."`
	Reason string `required:"" help:"Why, for the audit log."`
}

// Run undoes a void.
func (c *usageUnvoid) Run(ctx context.Context, console console) error {
	return c.with(ctx, func(u *use) error {
		answer, err := u.ask(ctx, `mutation($id: String!, $reason: String!) { undoVoid(id: $id, reason: $reason) { `+voidFields+` } }`,
			input{"id": c.ID, "reason": c.Reason})
		if err != nil {
			return err
		}
		return printVoid(console, answer, "void %s is undone: it had voided %d plays, in all %s, of %s\n")
	})
}

// shownVoid is a void in a response.
type shownVoid struct {
	ID                  string
	Event, Account      *string
	Client, Video       *string
	From, To            *time.Time
	Plays, Milliseconds int64
	Accounts            []string
	Made                struct {
		At                   time.Time
		Client, User, Reason string
	}
	Undone *struct {
		At     time.Time
		Reason string
	}
}

// printVoid prints a void as JSON, or in a sentence with its id, plays, milliseconds and accounts.
func printVoid(console console, answer json.RawMessage, sentence string) error {
	var void shownVoid
	if err := json.Unmarshal(answer, &void); err != nil {
		return err
	}
	accounts := strings.Join(void.Accounts, ", ")
	if accounts == "" {
		accounts = "no account"
	}
	return console.printf(answer, sentence, void.ID, void.Plays, time.Duration(void.Milliseconds)*time.Millisecond, accounts)
}

type usageVoids struct {
	used
	Account *string `help:"Only voids of playback of one account."`
}

// Run lists voids, the newest first.
func (c *usageVoids) Run(ctx context.Context, console console) error {
	return c.with(ctx, func(u *use) error {
		nodes, err := allNodes(ctx, u.ask, `query($account: String, $before: String) {
			voids(account: $account, first: 200, before: $before) { nodes { `+voidFields+` } pageInfo { hasNextPage endCursor } } }`,
			input{"account": c.Account}, "before")
		if err != nil {
			return err
		}
		return console.print(nodes, func(w io.Writer) error { return printVoids(w, nodes) })
	})
}

func printVoids(w io.Writer, nodes []json.RawMessage) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tAT\tWHO\tSELECTED\tPLAYS\tREASON\tUNDONE")
	for _, node := range nodes {
		var void shownVoid
		if err := json.Unmarshal(node, &void); err != nil {
			return err
		}
		undone := ""
		if void.Undone != nil {
			undone = void.Undone.At.Format(time.RFC3339) + ": " + void.Undone.Reason
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", oneLine(void.ID), void.Made.At.Format(time.RFC3339),
			oneLine(strings.TrimSpace(void.Made.Client+" "+void.Made.User)), oneLine(void.selected()), void.Plays, oneLine(void.Made.Reason), oneLine(undone))
	}
	return table.Flush()
}

// selected describes the selection of a void.
func (v *shownVoid) selected() string {
	var parts []string
	for _, part := range []struct {
		name string
		text *string
	}{{"event", v.Event}, {"account", v.Account}, {"client", v.Client}, {"video", v.Video}} {
		if part.text != nil {
			parts = append(parts, part.name+" "+*part.text)
		}
	}
	if v.From != nil {
		parts = append(parts, "from "+v.From.Format(time.RFC3339))
	}
	if v.To != nil {
		parts = append(parts, "to "+v.To.Format(time.RFC3339))
	}
	return strings.Join(parts, ", ")
}
