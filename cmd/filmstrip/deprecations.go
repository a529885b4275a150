package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

type deprecationsCommand struct {
	List    deprecationsList    `cmd:"" default:"withargs" help:"List deprecated items, their sunsets, and the clients that used them (default)."`
	Set     deprecationsSet     `cmd:"" help:"Set or move the sunset of a deprecated item, or extend it for one client."`
	Clear   deprecationsClear   `cmd:"" help:"Remove a sunset."`
	Notices deprecationsNotices `cmd:"" help:"List the clients to notify on a day, and of what."`
}

// deprecationFields are the fields of a deprecated item.
const deprecationFields = `key what instead places since documentation sunset setOn postponed { client sunset setOn } updatedAt version`

type deprecationsList struct {
	administration
	Client *string `help:"Only this client's use."`
}

// deprecatedThing is a deprecated item in a response of the schema.
type deprecatedThing struct {
	Key, What, Since string
	Sunset           *string
	Postponed        []struct{ Client, Sunset string }
	Uses             struct {
		Nodes []struct {
			Client, Account *string
			LastUsedAt      time.Time
			Count           int64
		}
		PageInfo struct{ HasNextPage bool }
	}
}

// Run lists deprecated items.
func (c *deprecationsList) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `query($first: Int!, $client: String) { deprecations { `+deprecationFields+`
		uses(first: $first, client: $client) { nodes { client account firstUsedAt lastUsedAt count } pageInfo { hasNextPage endCursor } } } }`,
		input{"first": pageSize, "client": c.Client})
	if err != nil {
		return err
	}
	var things []deprecatedThing
	if err := json.Unmarshal(answer, &things); err != nil {
		return err
	}
	return console.print(answer, func(w io.Writer) error { return printDeprecations(w, things) })
}

func printDeprecations(out io.Writer, things []deprecatedThing) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KEY\tSINCE\tSUNSET\tCLIENT\tACCOUNT\tUNTIL\tLAST USED\tCALLS")
	for _, thing := range things {
		until := map[string]string{}
		for _, one := range thing.Postponed {
			until[one.Client] = one.Sunset
		}
		head := fmt.Sprintf("%s\t%s\t%s", thing.Key, thing.Since, orDash(thing.Sunset))
		if len(thing.Uses.Nodes) == 0 {
			fmt.Fprintf(table, "%s\t-\t-\t-\t-\t-\n", head)
		}
		for _, use := range thing.Uses.Nodes {
			client, last := orDash(use.Client), orDash(thing.Sunset)
			if later, ok := until[client]; ok {
				last = later
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d\n", head, client, orDash(use.Account), last, use.LastUsedAt.Format(time.RFC3339), use.Count)
		}
		if thing.Uses.PageInfo.HasNextPage {
			fmt.Fprintf(table, "%s\t…\t\t\t\t\n", head)
		}
	}
	return table.Flush()
}

func orDash(text *string) string {
	if text == nil {
		return "-"
	}
	return oneLine(*text)
}

type deprecationsSet struct {
	administration
	Key     string  `arg:"" help:"The key of the deprecated item."`
	Sunset  string  `help:"The first day (UTC) on which the item may be removed, such as 2027-06-30; later than today." required:"" placeholder:"DATE"`
	Client  *string `help:"Extend the sunset only for this client; a sunset for all clients must be set."`
	Version *int    `help:"Change nothing if the item has another version."`
}

// Run sets a sunset.
func (c *deprecationsSet) Run(ctx context.Context, console console) error {
	return c.show(ctx, console, c.ask, `mutation($key: String!, $sunset: Date!, $client: String, $version: Int) {
		setDeprecationSunset(key: $key, sunset: $sunset, client: $client, version: $version) { `+deprecationFields+` } }`,
		input{"key": c.Key, "sunset": c.Sunset, "client": c.Client, "version": c.Version})
}

type deprecationsClear struct {
	administration
	Key     string  `arg:"" help:"The key of the deprecated item."`
	Client  *string `help:"Remove only this client's extension. Without it, the command removes the sunset and all extensions."`
	Version *int    `help:"Change nothing if the item has another version."`
}

// Run removes a sunset.
func (c *deprecationsClear) Run(ctx context.Context, console console) error {
	return c.show(ctx, console, c.ask, `mutation($key: String!, $client: String, $version: Int) {
		clearDeprecationSunset(key: $key, client: $client, version: $version) { `+deprecationFields+` } }`,
		input{"key": c.Key, "client": c.Client, "version": c.Version})
}

// noticeColumns are the fields of a notice.
const noticeColumns = `reason key what instead sunset client clientName account accountName lastUsedAt`

type deprecationsNotices struct {
	administration
	On     *string `help:"The day (UTC); defaults to today." placeholder:"DATE"`
	Format string  `help:"The output format, ${enum}: a table, or one JSON line for each notice." enum:"table,jsonl" default:"table"`
}

// Run lists the clients to notify.
func (c *deprecationsNotices) Run(ctx context.Context, console console) error {
	answer, err := c.ask(ctx, `query($at: Date) { deprecationNotices(at: $at) { `+noticeColumns+` } }`, input{"at": c.On})
	if err != nil {
		return err
	}
	if console.json || c.Format == "table" {
		return printRows(console, answer, noticeColumns)
	}
	return printLines(console.out, answer)
}

// printLines prints each value of a JSON list on a line.
func printLines(out io.Writer, list json.RawMessage) error {
	var values []json.RawMessage
	if err := json.Unmarshal(list, &values); err != nil {
		return err
	}
	return printEach(out, values)
}

// printEach prints each value on a line.
func printEach(out io.Writer, values []json.RawMessage) error {
	lines := bufio.NewWriter(out)
	for _, value := range values {
		fmt.Fprintf(lines, "%s\n", value)
	}
	return lines.Flush()
}
