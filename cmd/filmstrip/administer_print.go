package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// records describes how the command queries and lists the records of one kind.
type records struct {
	// kind is the type of a record in the schema, from which the names of its operations derive; name is its name in
	// messages.
	kind, name string
	// arguments are the arguments of the field that lists the records, with types, except first and after.
	arguments string
	// columns are the fields in a table, all the fields of a record.
	columns, all string
	// charged: usage that no invoice charges prevents the deletion of a record.
	charged bool
}

// field returns the field of the schema that yields one record.
func (of records) field() string { return strings.ToLower(of.kind[:1]) + of.kind[1:] }

// create adds a record and prints it.
func (a *administration) create(ctx context.Context, console console, ask asker, of records, in input) error {
	operation := `mutation($input: Create` + of.kind + `Input!) { create` + of.kind + `(input: $input) { ` + of.all + ` } }`
	return a.show(ctx, console, ask, operation, input{"input": in})
}

// update changes a record, unless it has another version than the given one, and prints it.
func (a *administration) update(ctx context.Context, console console, ask asker, of records, id string, version *int, in input) error {
	operation := `mutation($id: String!, $version: Int, $input: Update` + of.kind + `Input!) {
		update` + of.kind + `(id: $id, version: $version, input: $input) { ` + of.all + ` } }`
	return a.show(ctx, console, ask, operation, input{"id": id, "version": version, "input": in})
}

// show runs an operation and prints the record that it yields.
func (a *administration) show(ctx context.Context, console console, ask asker, operation string, variables input) error {
	answer, err := ask(ctx, operation, variables)
	if err != nil {
		return err
	}
	return printOne(console, answer)
}

// kind is a type that stands for the records of one kind.
type kind interface{ records() records }

// listing is the command that lists all records of a kind.
type listing[K kind] struct{ administration }

// Run lists the records.
func (c *listing[K]) Run(ctx context.Context, console console) error {
	var of K
	return c.list(ctx, console, of.records(), input{})
}

// showing is the command that shows a record. The variable record of its help is the name of the kind.
type showing[K kind] struct {
	administration
	ID string `arg:"" name:"id" help:"The ${record}."`
}

// Run shows the record, which must exist.
func (c *showing[K]) Run(ctx context.Context, console console) error {
	var kind K
	of := kind.records()
	answer, err := c.ask(ctx, `query($id: String!) { `+of.field()+`(id: $id) { `+of.all+` } }`, input{"id": c.ID})
	if answer, err = existing(answer, err, of.name, c.ID); err != nil {
		return err
	}
	return printOne(console, answer)
}

// deleting is the command that deletes a record.
type deleting[K kind] struct {
	administration
	ID        string `arg:"" name:"id" help:"The id."`
	IfVersion *int   `help:"Delete nothing if the record has another version."`
}

// Run deletes the record.
func (c *deleting[K]) Run(ctx context.Context, console console) error {
	var kind K
	of, ask := kind.records(), c.ask
	if of.charged {
		ask = c.askNaming
	}
	answer, err := ask(ctx, `mutation($id: String!, $version: Int) { delete`+of.kind+`(id: $id, version: $version) }`,
		input{"id": c.ID, "version": c.IfVersion})
	if err != nil {
		return err
	}
	return console.printf(answer, "%s is deleted\n", c.ID)
}

// pageSize is the number of records in one query.
const pageSize = 200

// list prints the records that the variables select.
func (a *administration) list(ctx context.Context, console console, of records, variables input) error {
	fields := of.columns
	if console.json {
		fields = of.all
	}
	nodes, err := allNodes(ctx, a.ask, of.operation(fields), variables, "after")
	if err != nil {
		return err
	}
	return console.print(nodes, func(w io.Writer) error { return printTable(w, strings.Fields(of.columns), nodes) })
}

// allNodes returns the nodes of all pages of a list. cursor is the variable of the cursor, which allNodes sets.
func allNodes(ctx context.Context, ask asker, operation string, variables input, cursor string) ([]json.RawMessage, error) {
	nodes := []json.RawMessage{}
	err := eachPage(ctx, ask, operation, variables, cursor, func(page []json.RawMessage) error {
		nodes = append(nodes, page...)
		return nil
	})
	return nodes, err
}

// eachPage calls use with the nodes of each page of a list. cursor is the variable of the cursor, which eachPage sets.
func eachPage(ctx context.Context, ask asker, operation string, variables input, cursor string, use func([]json.RawMessage) error) error {
	for {
		answer, err := ask(ctx, operation, variables)
		if err != nil {
			return err
		}
		var page struct {
			Nodes    []json.RawMessage
			PageInfo struct {
				HasNextPage bool
				EndCursor   *string
			}
		}
		if err := json.Unmarshal(answer, &page); err != nil {
			return err
		}
		if err := use(page.Nodes); err != nil {
			return err
		}
		if !page.PageInfo.HasNextPage {
			return nil
		}
		variables[cursor] = page.PageInfo.EndCursor
	}
}

func (of records) operation(fields string) string {
	declared, passed := "$after: String", fmt.Sprintf("first: %d, after: $after", pageSize)
	for _, argument := range strings.Fields(of.arguments) {
		name, kind, _ := strings.Cut(argument, ":")
		declared += ", $" + name + ": " + kind
		passed += ", " + name + ": $" + name
	}
	return "query(" + declared + ") { page: " + of.field() + "s(" + passed + ") { nodes { " + fields + " } pageInfo { hasNextPage endCursor } } }"
}

// printOne prints one record.
func printOne(console console, record json.RawMessage) error {
	return console.print(record, func(w io.Writer) error { return printRecord(w, record) })
}

func printJSON(w io.Writer, value any) error {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

// printRows prints a list of records, in text as a table of some fields.
func printRows(console console, answer json.RawMessage, columns string) error {
	return console.print(answer, func(w io.Writer) error {
		var rows []json.RawMessage
		if err := json.Unmarshal(answer, &rows); err != nil {
			return err
		}
		return printTable(w, strings.Fields(columns), rows)
	})
}

// printTable prints a column for each field, below headings unless there are no names.
func printTable(w io.Writer, columns []string, nodes []json.RawMessage) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, column := range columns {
		columns[i] = heading(column)
	}
	if len(columns) > 0 {
		fmt.Fprintln(table, strings.Join(columns, "\t"))
	}
	for _, node := range nodes {
		members, err := membersOf(node)
		if err != nil {
			return err
		}
		cells := make([]string, len(members))
		for i, member := range members {
			cells[i] = readable(member.value)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// heading turns the name of a field into the heading of a column: externalId becomes EXTERNAL ID.
func heading(field string) string {
	var b strings.Builder
	for _, letter := range field {
		if unicode.IsUpper(letter) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToUpper(letter))
	}
	return b.String()
}

// printRecord prints a line for each field that has a value.
func printRecord(w io.Writer, record json.RawMessage) error {
	members, err := membersOf(record)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, member := range members {
		fmt.Fprintf(table, "%s\t%s\n", member.name, readable(member.value))
	}
	return table.Flush()
}

// printSecret prints a secret that is shown only once.
func printSecret(w io.Writer, secret string) error {
	_, err := fmt.Fprintf(w, "\nsecret  %s\n\nThis is the only time that the secret is shown.\n", secret)
	return err
}

type jsonMember struct {
	name  string
	value jsontext.Value
}

// membersOf returns the members of a JSON object in their order.
func membersOf(object json.RawMessage) ([]jsonMember, error) {
	decoder := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.ReadToken(); err != nil {
		return nil, err
	}
	members := []jsonMember{}
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, err
		}
		text := name.String() // before the decoder moves on
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, err
		}
		members = append(members, jsonMember{text, value.Clone()})
	}
	return members, nil
}

// readable formats a value on one line: a string without quotes, null as -, a list of strings with commas, and an empty
// list as none.
func readable(value jsontext.Value) string {
	var text string
	var texts []string
	switch {
	case value.Kind() == 'n':
		return "-"
	case string(value) == "[]": // for example of roles: an empty list differs from null
		return "none"
	case json.Unmarshal(value, &text) == nil:
		return oneLine(text)
	case json.Unmarshal(value, &texts) == nil:
		return oneLine(strings.Join(texts, ", "))
	}
	return string(value)
}

// oneLine replaces the line breaks and tabs of a text, which would break a table.
func oneLine(text string) string {
	if text == "" {
		return "-"
	}
	return strings.Join(strings.Fields(text), " ")
}
