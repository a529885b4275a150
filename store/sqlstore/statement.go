package sqlstore

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// Statement is one SQL statement, in the dialect of each engine.
type Statement struct {
	// SQLite and PostgreSQL are the texts. An engine skips a statement whose text is empty.
	SQLite, PostgreSQL string
	// ScansTable explains why SQLite reads a whole table for the statement; empty: it finds the rows by an index.
	ScansTable string
}

var statements []*Statement

// Statements returns all statements of the package.
func Statements() []*Statement { return statements }

var list = regexp.MustCompile(`IN LIST \((\$\d+)\)`)

// define makes a statement that both engines understand, with the parameters $1, $2 and so on. It may say:
//
//   - IN LIST ($n), where the argument is a List;
//   - FOR UPDATE at its end. SQLite locks the whole file instead.
func define(text string) *Statement {
	return definePer(
		strings.TrimSuffix(list.ReplaceAllString(text, "IN (SELECT value FROM json_each(${1}))"), " FOR UPDATE"),
		list.ReplaceAllString(text, "= ANY (${1}::bytea[])"))
}

// definePer makes a statement of which the engines need different texts.
func definePer(sqlite, postgreSQL string) *Statement {
	st := &Statement{SQLite: sqlite, PostgreSQL: postgreSQL}
	statements = append(statements, st)
	return st
}

// scanning marks a statement that reads a whole table on purpose.
func (st *Statement) scanning(why string) *Statement {
	st.ScansTable = why
	return st
}

// insertion writes many rows with few statements: a row costs a fraction of what it costs alone.
type insertion struct {
	columns int
	chunks  []chunk // the largest first; the last holds one row
}

type chunk struct {
	rows int
	*Statement
}

// defineInsertion makes the statements that insert rows of some columns; before and after enclose the values.
func defineInsertion(columns int, before, after string) *insertion {
	in := &insertion{columns: columns}
	for _, rows := range []int{64, 8, 1} {
		values := make([]string, rows)
		for row := range values {
			parameters := make([]string, columns)
			for i := range parameters {
				parameters[i] = fmt.Sprint("$", row*columns+i+1)
			}
			values[row] = "(" + strings.Join(parameters, ", ") + ")"
		}
		in.chunks = append(in.chunks, chunk{rows, define(before + " VALUES " + strings.Join(values, ", ") + " " + after)})
	}
	return in
}

// insert writes the values of rows, one row after the other.
func (in *insertion) insert(ctx context.Context, c Conn, values []any) {
	for _, chunk := range in.chunks {
		for n := chunk.rows * in.columns; len(values) >= n; values = values[n:] {
			c.Do(ctx, chunk.Statement, values[:n]...)
		}
	}
}
