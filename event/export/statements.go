package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/spreadsheet"
	"github.com/filmstrip/filmstrip/usage"
)

// Statements writes statements of usage. JSON lines have one complete statement per line, in the encoding of its
// checksum; CSV and Parquet have one row per line of a statement. The error has code Invalid if the format does not
// apply to statements.
func Statements(w io.Writer, format Format, statements []usage.Statement) error {
	switch format {
	case JSONL:
		return statementsAsLines(w, statements)
	case CSV:
		return statementsAsCSV(w, statements)
	case Parquet:
		return statementsAsTable(w, statements)
	}
	return fault.InvalidRequest("statements have no format %q", format)
}

func statementsAsLines(w io.Writer, statements []usage.Statement) error {
	buffered := bufio.NewWriter(w)
	for i := range statements {
		line, err := json.Marshal(&statements[i]) // the encoding of the checksum
		if err != nil {
			return err
		}
		if _, err := buffered.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// statementRow is a line of a statement together with the fields of the statement. Months have the form YYYY-MM.
type statementRow struct {
	Account      string     `parquet:"account,dict"`
	Statement    string     `parquet:"statement,dict"`
	Month        string     `parquet:"month,dict"`
	Client       string     `parquet:"client,dict"`
	Billable     bool       `parquet:"billable"`
	Adjustment   bool       `parquet:"adjustment"`
	Plays        int64      `parquet:"plays"`
	Milliseconds int64      `parquet:"milliseconds"`
	Seconds      int64      `parquet:"seconds"`
	Excess       int64      `parquet:"excessMilliseconds"`
	SealedAt     *time.Time `parquet:"sealedAt,optional,timestamp(millisecond)"`
	Checksum     string     `parquet:"checksum,dict"`
	Void         string     `parquet:"void,dict"`
	SealDigest   string     `parquet:"sealDigest,dict"`
}

var statementSchema = parquet.NewSchema("statement", parquet.SchemaOf(statementRow{}))

// statementColumns are the column names of both formats.
var statementColumns = []string{
	"account", "statement", "month", "client", "billable", "adjustment", "plays", "milliseconds", "seconds", "excessMilliseconds", "sealedAt", "checksum", "void", "sealDigest",
}

// rowsOf returns a row for each line of a statement.
func rowsOf(s *usage.Statement) []statementRow {
	rows := make([]statementRow, len(s.Lines))
	digest := ""
	if s.Seal != nil {
		digest = s.Seal.Digest
	}
	for i, line := range s.Lines {
		rows[i] = statementRow{
			Account: s.Account, Statement: s.Month.String(), Month: line.Month.String(), Client: line.Client,
			Billable: line.Billable, Adjustment: line.Adjustment,
			Plays: line.Plays, Milliseconds: line.Milliseconds, Seconds: line.Seconds, Excess: line.ExcessMilliseconds,
			SealedAt: s.SealedAt, Checksum: s.Checksum, Void: line.Void, SealDigest: digest,
		}
	}
	return rows
}

func statementsAsCSV(w io.Writer, statements []usage.Statement) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true // RFC 4180
	if err := out.Write(statementColumns); err != nil {
		return err
	}
	for i := range statements {
		for _, row := range rowsOf(&statements[i]) {
			if err := out.Write(row.cells()); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (r *statementRow) cells() []string {
	sealed := ""
	if r.SealedAt != nil {
		sealed = r.SealedAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return []string{
		spreadsheet.Inert(r.Account), r.Statement, r.Month, spreadsheet.Inert(r.Client), strconv.FormatBool(r.Billable), strconv.FormatBool(r.Adjustment),
		strconv.FormatInt(r.Plays, 10), strconv.FormatInt(r.Milliseconds, 10), strconv.FormatInt(r.Seconds, 10),
		strconv.FormatInt(r.Excess, 10), sealed, r.Checksum, spreadsheet.Inert(r.Void), r.SealDigest,
	}
}

func statementsAsTable(w io.Writer, statements []usage.Statement) error {
	table := parquet.NewGenericWriter[statementRow](w, statementSchema, parquet.Compression(&parquet.Zstd), parquet.CreatedBy("filmstrip", "1", ""))
	for i := range statements {
		if _, err := table.Write(rowsOf(&statements[i])); err != nil {
			return err
		}
	}
	return table.Close()
}
