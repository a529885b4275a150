package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
)

type auditCommand struct {
	administration
	Catalogue bool    `help:"Show changes of the catalogue instead of those of accounts."`
	Kind      *string `help:"account, client, user, tier, contentPackage, policy or deprecation; with --catalogue a kind of docs/import.md."`
	ID        *string `name:"id" help:"The id of the record or item; requires --kind."`
	Account   *string `help:"An account and its clients, users and other records."`
	First     int     `help:"The maximum number of entries, up to 200." default:"50"`
	Before    *string `help:"Only entries before the one with this number."`
}

// auditEntry is an entry of the audit log in a response.
type auditEntry struct {
	Number        int64
	At            time.Time
	Client        string
	User          string
	Kind, ID      string
	Before, After json.RawMessage
	ofCatalogue   bool
}

// Run lists changes, the newest first.
func (c *auditCommand) Run(ctx context.Context, console console) error {
	answer, err := c.entries(ctx)
	if err != nil {
		return err
	}
	var page struct{ Nodes []auditEntry }
	if err := json.Unmarshal(answer, &page); err != nil {
		return err
	}
	for i := range page.Nodes {
		page.Nodes[i].ofCatalogue = c.Catalogue
	}
	return console.print(answer, func(w io.Writer) error { return printAuditLog(w, page.Nodes) })
}

// entries queries one page.
func (c *auditCommand) entries(ctx context.Context) (json.RawMessage, error) {
	if !c.Catalogue {
		return c.ask(ctx, `query($kind: RecordKind, $id: String, $account: String, $first: Int!, $before: String) {
		auditLog(kind: $kind, id: $id, account: $account, first: $first, before: $before) {
			nodes { number at client user kind id account before after } pageInfo { hasNextPage endCursor } } }`,
			input{"kind": c.Kind, "id": c.ID, "account": c.Account, "first": c.First, "before": c.Before})
	}
	if c.Account != nil {
		return nil, fault.InvalidRequest("--account says nothing of the catalogue")
	}
	if c.Kind != nil {
		*c.Kind = enumOf(*c.Kind)
	}
	return c.askCatalogue(ctx, `query($kind: CatalogueKind, $id: ID, $first: Int!, $before: String) {
		catalogueAuditLog(kind: $kind, id: $id, first: $first, before: $before) {
			nodes { number at client user kind id before after } pageInfo { hasNextPage endCursor } } }`,
		input{"kind": c.Kind, "id": c.ID, "first": c.First, "before": c.Before})
}

// enumOf returns the value of the schema for a value on the command line: without-results becomes WITHOUT_RESULTS.
func enumOf(text string) string { return strings.ToUpper(strings.ReplaceAll(text, "-", "_")) }

func printAuditLog(out io.Writer, entries []auditEntry) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NUMBER\tAT\tWHO\tKIND\tID\tWHAT")
	for _, entry := range entries {
		what, err := entry.what()
		if err != nil {
			return err
		}
		who := strings.TrimSpace(entry.Client + " " + entry.User)
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\t%s\n", entry.Number, entry.At.Format(time.RFC3339), oneLine(who), entry.Kind, entry.ID, what)
	}
	return table.Flush()
}

// what describes a change: added, deleted, the changed fields with their new values, or a note.
func (e auditEntry) what() (string, error) {
	before, err := bodyOf(e.Before)
	if err != nil {
		return "", err
	}
	after, err := bodyOf(e.After)
	if err != nil {
		return "", err
	}
	switch {
	case after == nil:
		return "deleted", nil
	case e.ofCatalogue && e.ID == "":
		return "imported " + string(e.After), nil
	case before == nil && (e.ofCatalogue || has(after, "id")):
		return "added", nil
	case before == nil && e.Kind != string(account.KindPolicy):
		return "noted " + string(e.After), nil
	}
	if list := changed(before, after); len(list) > 0 {
		return strings.Join(list, ", "), nil
	}
	return "a secret", nil // which neither body contains
}

func bodyOf(body json.RawMessage) ([]jsonMember, error) {
	if len(body) == 0 || string(body) == "null" {
		return nil, nil
	}
	return membersOf(body)
}

func valueOf(members []jsonMember, name string) []byte {
	for _, member := range members {
		if member.name == name {
			return member.value
		}
	}
	return nil
}

func has(members []jsonMember, name string) bool { return valueOf(members, name) != nil }

// longestValue is the length above which the log does not show a value.
const longestValue = 60

func changed(before, after []jsonMember) []string {
	var list []string
	for _, member := range after {
		if bytes.Equal(valueOf(before, member.name), member.value) {
			continue
		}
		text := readable(member.value)
		if utf8.RuneCountInString(text) > longestValue {
			text = "…"
		}
		list = append(list, member.name+" = "+text)
	}
	for _, member := range before {
		if !has(after, member.name) {
			list = append(list, member.name+" = -")
		}
	}
	return list
}
