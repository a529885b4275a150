package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/filmstrip/filmstrip/internal/importer"
)

// console contains the input and output of a command. Commands print through its methods, which know both forms: text
// for people, and JSON for programs (--json).
type console struct {
	in       io.Reader
	out, err io.Writer
	// alone reports whether the process runs only this command.
	alone bool
	// json selects JSON: one document, or a line for each record, on out, and one line for each message on err.
	json bool
}

// print prints a result: the value as JSON, or what text writes.
func (c console) print(value any, text func(w io.Writer) error) error {
	if c.json {
		return printJSON(c.out, value)
	}
	return text(c.out)
}

// printf prints a result: the value as JSON, or a text.
func (c console) printf(value any, format string, args ...any) error {
	return c.print(value, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format, args...)
		return err
	})
}

// remark prints a text below a result. With --json it prints nothing, because the result contains the information.
func (c console) remark(format string, args ...any) error {
	if c.json {
		return nil
	}
	_, err := fmt.Fprintf(c.out, format, args...)
	return err
}

// message is a line of JSON on standard error.
type message struct {
	// Error is the error that ends the command, and Status its exit status.
	Error  string `json:"error,omitempty"`
	Status int    `json:"status,omitempty"`
	// Warning does not end the command.
	Warning string `json:"warning,omitempty"`
	// Rejected is a line that an import rejected, Kept one whose value a held field did not take, and Differs one that would
	// change a field (dry run).
	Rejected *importer.Fault `json:"rejected,omitempty"`
	Kept     *importer.Fault `json:"kept,omitempty"`
	Differs  *importer.Fault `json:"differs,omitempty"`
}

// report writes a message to standard error as a line of JSON.
func (c console) report(m message) {
	encoder := json.NewEncoder(c.err)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(m) // as of other messages, nobody learns of a standard error that cannot be written
}

// fail reports the error that ends the command, and returns its exit status.
func (c console) fail(err error, status int) int {
	if c.json {
		c.report(message{Error: err.Error(), Status: status})
	} else {
		fmt.Fprintln(c.err, "filmstrip:", err)
	}
	return status
}

// warn reports what does not end the command.
func (c console) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.json {
		c.report(message{Warning: text})
	} else {
		fmt.Fprintln(c.err, "filmstrip:", text)
	}
}

// checkFormat refuses --json with an export format that is not JSON lines.
func (c console) checkFormat(format string) error {
	if c.json && (format == "csv" || format == "parquet") {
		return fmt.Errorf("--json excludes --format %s; --format jsonl prints JSON lines", format)
	}
	return nil
}

// progress shows the progress and the rejected lines of a run.
func (c console) progress() importer.Console {
	if c.json {
		return &jsonProgress{console: c}
	}
	return importer.ConsoleOn(c.err, shownFaults)
}

// jsonProgress reports the first rejected lines as JSON lines. It shows no progress.
type jsonProgress struct {
	console
	reported int
}

func (*jsonProgress) Begin(string, int64) {}
func (*jsonProgress) Advance(int64, int)  {}
func (*jsonProgress) End()                {}

// Report implements importer.Console.
func (p *jsonProgress) Report(fault importer.Fault) {
	if p.reported++; p.reported <= shownFaults {
		switch {
		case fault.Differs:
			p.report(message{Differs: &fault})
		case fault.Held:
			p.report(message{Kept: &fault})
		case fault.Warning:
			p.report(message{Warning: fault.String()})
		default:
			p.report(message{Rejected: &fault})
		}
	}
}

// writeTable writes a table whose rows contain tabs between columns.
func writeTable(w io.Writer, rows func(w io.Writer)) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	rows(table)
	return table.Flush()
}
