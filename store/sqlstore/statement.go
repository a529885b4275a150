package sqlstore

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// Statement is an SQL statement in the dialect of each engine.
type Statement struct {
	// SQLite and PostgreSQL are the texts of the statement. An engine skips a statement whose text is empty.
	SQLite, PostgreSQL string
	// ScansTable explains why SQLite reads a whole table for the statement. It is empty if SQLite finds the rows by an
	// index.
	ScansTable string
}

var statements []*Statement

// Statements returns all statements of the package, and of the engines in the program. Callers must not modify the slice.
func Statements() []*Statement { return statements }

var (
	list    = regexp.MustCompile(`IN LIST \((\$\d+)\)`)
	numbers = regexp.MustCompile(`IN NUMBERS \((\$\d+)\)`)
)

// define defines a statement that both engines understand, with the parameters $1, $2 and so on. The statement may
// contain three extensions:
//
//   - IN LIST ($n), where the argument is a List;
//   - IN NUMBERS ($n), where the argument is a []int64;
//   - FOR UPDATE at its end, which SQLite ignores because it locks the whole file.
func define(text string) *Statement {
	const values = "IN (SELECT value FROM json_each(${1}))"
	sqlite := strings.TrimSuffix(numbers.ReplaceAllString(list.ReplaceAllString(text, values), values), " FOR UPDATE")
	postgreSQL := numbers.ReplaceAllString(list.ReplaceAllString(text, "= ANY (${1}::bytea[])"), "= ANY (${1}::bigint[])")
	return DefinePer(sqlite, postgreSQL)
}

// DefinePer defines a statement with a different text for each engine. An empty text means that the engine skips it.
func DefinePer(sqlite, postgreSQL string) *Statement {
	st := &Statement{SQLite: sqlite, PostgreSQL: postgreSQL}
	statements = append(statements, st)
	return st
}

// scanning marks a statement that reads a whole table on purpose.
func (st *Statement) scanning(why string) *Statement {
	st.ScansTable = why
	return st
}

// Insertion inserts many rows with few statements, because a row in a large statement costs a fraction of a statement
// of its own.
type Insertion struct {
	columns int
	chunks  []chunk // from the largest to the smallest, which has one row
}

type chunk struct {
	rows int
	*Statement
}

// defineInsertion is DefineInsertion for both engines.
func defineInsertion(columns int, before, after string) *Insertion {
	return DefineInsertion(define, columns, before, after)
}

// DefineInsertion defines, with a function like DefinePer, the statements that insert rows of some columns. The texts before
// and after enclose the values.
func DefineInsertion(define func(text string) *Statement, columns int, before, after string) *Insertion {
	in := &Insertion{columns: columns}
	for _, rows := range []int{64, 8, 1} {
		st := define(before + " VALUES " + rowsHere + " " + after)
		// SQLite takes long to find hundreds of parameters by their names.
		unnamed := parameterRows(rows, columns, func(int) string { return "?" })
		numbered := parameterRows(rows, columns, func(number int) string { return "$" + strconv.Itoa(number) })
		st.SQLite = strings.Replace(st.SQLite, rowsHere, unnamed, 1)
		st.PostgreSQL = strings.Replace(st.PostgreSQL, rowsHere, numbered, 1)
		in.chunks = append(in.chunks, chunk{rows, st})
	}
	return in
}

// rowsHere stands for the rows in the text that define searches, because searching the parameters of 64 rows takes long.
const rowsHere = "(ROWS)"

// parameterRows returns the parameters of rows. name returns the parameter with a number, which starts at 1.
func parameterRows(rows, columns int, name func(number int) string) string {
	all := make([]string, rows)
	for row := range all {
		parameters := make([]string, columns)
		for i := range parameters {
			parameters[i] = name(row*columns + i + 1)
		}
		all[row] = "(" + strings.Join(parameters, ", ") + ")"
	}
	return strings.Join(all, ", ")
}

// Insert inserts rows, as Conn.Do does. values contains the values of one row after the other.
func (in *Insertion) Insert(ctx context.Context, c Conn, values []any) {
	for _, chunk := range in.chunks {
		for n := chunk.rows * in.columns; len(values) >= n; values = values[n:] {
			c.Do(ctx, chunk.Statement, values[:n]...)
		}
	}
}

// table inserts and replaces rows of a table.
type table struct {
	name    string
	columns []string
	// insert inserts new rows. replace sets all values of existing rows, except those of fixed columns.
	insert, replace *Insertion
}

// defineTable defines the statements for a table. The first column is its key, and the first fixed columns of a row never
// change. If all are fixed, rows are not replaced.
func defineTable(name string, fixed int, columns ...string) *table {
	before := "INSERT INTO " + name + " (" + strings.Join(columns, ", ") + ")"
	t := &table{name: name, columns: columns, insert: defineInsertion(len(columns), before, "")}
	set := make([]string, 0, len(columns))
	for _, column := range columns[fixed:] {
		set = append(set, column+" = excluded."+column)
	}
	if len(set) > 0 {
		t.replace = defineInsertion(len(columns), before, "ON CONFLICT ("+columns[0]+") DO UPDATE SET "+strings.Join(set, ", "))
	}
	return t
}

// Copier is a Conn that has a faster way to insert many rows than statements.
type Copier interface {
	// Copy inserts rows, after the statements of Do and Ask that have not run yet. values contains the values of one row
	// after the other.
	Copy(ctx context.Context, table string, columns []string, values []any) error
}

// copyFrom is the number of rows from which a Copier copies them.
const copyFrom = 50

// add inserts new rows. values contains the values of one row after the other.
func (t *table) add(ctx context.Context, c Conn, values []any) error {
	if copier, ok := c.(Copier); ok && len(values) >= copyFrom*len(t.columns) {
		return copier.Copy(ctx, t.name, t.columns, values)
	}
	t.insert.Insert(ctx, c, values)
	return nil
}
