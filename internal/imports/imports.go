// Package imports runs imports of uploaded files as jobs, shows what a file would become, and writes the rejected lines to
// a file that people can correct and import again.
package imports

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/internal/jobs"
	"github.com/filmstrip/filmstrip/store"
)

// Kind is the kind of the jobs.
const Kind = "import"

// Format is the format of a file.
type Format string

// The formats.
const (
	CSV       Format = "CSV"
	JSONLines Format = "JSON_LINES"
)

// Input is the input of a job.
type Input struct {
	// Upload is the ID of the file, and FileName its name.
	Upload   string `json:"upload"`
	FileName string `json:"fileName"`
	// Format is "" if the file decides.
	Format Format `json:"format,omitempty"`
	// Mapping is what CSV becomes.
	Mapping      *account.Mapping `json:"mapping,omitempty"`
	DryRun       bool             `json:"dryRun,omitempty"`
	Strict       bool             `json:"strict,omitempty"`
	Prune        bool             `json:"prune,omitempty"`
	ConfirmPrune bool             `json:"confirmPrune,omitempty"`
}

// Result is the result of a job.
type Result struct {
	importer.Counts
	ByKind map[catalogue.Kind]importer.Counts `json:"byKind"`
	// NothingWritten: the run was dry, or strict with a rejected line.
	NothingWritten  bool   `json:"nothingWritten,omitempty"`
	PruneRefused    string `json:"pruneRefused,omitempty"`
	CollectionsKept string `json:"collectionsKept,omitempty"`
	// Held counts values that held fields did not take, Differences the fields that a run would change, and Hidden the
	// videos that were left out of users' collections.
	Held        int `json:"held,omitempty"`
	Differences int `json:"differences,omitempty"`
	Hidden      int `json:"hidden,omitempty"`
	// Omitted counts the rejected lines that exceed MaxRejected, and are in no file.
	Omitted int `json:"omitted,omitempty"`
}

// Details are the first findings of a job.
type Details struct {
	// Differences and Held are values of fields, Problems concern the file as a whole, pruning, or lines that were
	// imported nevertheless, and Rejected are lines.
	Differences []Finding  `json:"differences,omitempty"`
	Held        []Finding  `json:"held,omitempty"`
	Problems    []Finding  `json:"problems,omitempty"`
	Rejected    []Rejected `json:"rejected,omitempty"`
}

// Finding is what the importer reports.
type Finding = importer.Fault

// Rejected is a rejected line.
type Rejected struct {
	Line    int      `json:"line"`
	Reasons []string `json:"reasons"`
}

// The bounds of what is kept of a run.
const (
	MaxFindings = 1_000
	MaxRejected = 100_000
	// maxReasons is the maximum number of reasons of one line.
	maxReasons = 20
)

// Config configures Imports.
type Config struct {
	Jobs        store.Jobs
	Catalogue   store.Catalogue
	Collections *importer.Collections
	// MaxPlain is the maximum size of a decompressed file in bytes.
	MaxPlain int64
}

// Imports imports uploads.
type Imports struct{ Config }

// New returns Imports.
func New(config Config) *Imports { return &Imports{config} }

// Upload returns a whole upload of an account. The error has the code NotFound if there is none, and Conflict if bytes are
// missing.
func (i *Imports) Upload(ctx context.Context, id, of string) (*store.File, error) {
	file, err := i.Jobs.File(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case file == nil || file.Account != of:
		return nil, fault.Errorf(fault.NotFound, "there is no upload %q; uploads stay for --upload-days", fault.Shorten(id))
	case !file.Complete():
		return nil, fault.Errorf(fault.Conflict, "the upload %q has %d of %d bytes", id, file.Received, file.Size)
	}
	return file, nil
}

// input returns an upload as the importer reads it, and its format.
func (i *Imports) input(ctx context.Context, file *store.File, format Format) (importer.Input, Format, error) {
	input := importer.Input{
		Name: file.Name, Size: file.Received, MaxPlain: i.MaxPlain,
		Open: func() (io.ReadCloser, error) { return jobs.OpenFile(ctx, i.Jobs, file, 0), nil },
	}
	if format == "" {
		var err error
		if format, err = formatOf(input); err != nil {
			return input, "", err
		}
	}
	input.CSV = format == CSV
	if !input.CSV { // regardless of its name
		input.Name += ".jsonl"
	}
	return input, format, nil
}

// formatOf returns the format of a file by its name, or else by its first character.
func formatOf(input importer.Input) (Format, error) {
	switch strings.ToLower(path.Ext(strings.TrimSuffix(strings.ToLower(input.Name), ".gz"))) {
	case ".csv", ".tsv":
		return CSV, nil
	case ".jsonl", ".ndjson", ".json":
		return JSONLines, nil
	}
	input.Name = "unknown.jsonl"
	records, err := importer.OpenRecords(input)
	if err != nil {
		return "", fault.InvalidRequest("the file cannot be read: %v", err)
	}
	defer records.Close()
	first, err := records.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fault.InvalidRequest("the file cannot be read: %v", err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(first.Text), []byte("{")) {
		return JSONLines, nil
	}
	return CSV, nil
}

// Run is the jobs.Func of the kind.
func (i *Imports) Run(ctx context.Context, run *jobs.Run) error {
	var input Input
	if err := json.Unmarshal(run.Input, &input); err != nil {
		return err
	}
	file, err := i.Upload(ctx, input.Upload, run.Account)
	if err != nil {
		return err
	}
	source, format, err := i.input(ctx, file, input.Format)
	if err != nil {
		return err
	}
	options := importer.Options{
		Inputs: []importer.Input{source}, DryRun: input.DryRun, Strict: input.Strict, Prune: input.Prune, ConfirmPrune: input.ConfirmPrune,
		Collections: i.Collections, Client: run.Actor.Client, User: run.Actor.User, Progress: &jobs.Progress{Run: run},
	}
	if format == CSV {
		if input.Mapping == nil {
			return fault.InvalidRequest("mapping: is required for CSV")
		}
		directory, err := i.Catalogue.Directory(ctx, 0)
		if err != nil {
			return err
		}
		options.Columns = func(header []string) (func([]string) ([]byte, error), error) {
			return columnsOf(input.Mapping, header, directory)
		}
	}
	found := &findings{rejected: map[int][]string{}}
	options.Report = found.add
	summary, err := importer.Run(ctx, i.Catalogue, options)
	run.Result, run.Details = found.result(summary), &found.details
	if err != nil {
		return err
	}
	return i.writeRejected(ctx, run, source, found.rejected)
}

// findings collects the faults of a run, within bounds.
type findings struct {
	details           Details
	differences, held int
	rejected          map[int][]string // reasons by line
	omitted           map[int]bool
}

func (f *findings) add(found importer.Fault) {
	keep := func(list *[]Finding) {
		if len(*list) < MaxFindings {
			*list = append(*list, found)
		}
	}
	switch {
	case found.Differs:
		f.differences++
		keep(&f.details.Differences)
	case found.Held:
		f.held++
		keep(&f.details.Held)
	case found.Line == 0 || found.Warning:
		keep(&f.details.Problems)
	default:
		f.reject(found)
	}
}

func (f *findings) reject(found importer.Fault) {
	reasons, known := f.rejected[found.Line]
	if !known && len(f.rejected) == MaxRejected {
		if f.omitted == nil {
			f.omitted = map[int]bool{}
		}
		f.omitted[found.Line] = true
		return
	}
	reason := found.Problem
	if found.Field != "" {
		reason = found.Field + ": " + found.Problem
	}
	if len(reasons) < maxReasons {
		f.rejected[found.Line] = append(reasons, reason)
	}
}

func (f *findings) result(s importer.Summary) *Result {
	for line, reasons := range f.rejected {
		f.details.Rejected = append(f.details.Rejected, Rejected{line, reasons})
	}
	slices.SortFunc(f.details.Rejected, func(a, b Rejected) int { return cmp.Compare(a.Line, b.Line) })
	f.details.Rejected = f.details.Rejected[:min(len(f.details.Rejected), MaxFindings)]
	return &Result{
		Counts: s.Counts, ByKind: s.ByKind, NothingWritten: s.Undone || s.DryRun, PruneRefused: s.PruneRefused, CollectionsKept: s.CollectionsKept,
		Held: s.Held, Differences: f.differences, Hidden: s.Hidden, Omitted: len(f.omitted),
	}
}

// The columns that writeRejected adds.
const (
	lineColumn    = "line"
	reasonsColumn = "reasons"
)

// writeRejected writes a file with the rejected lines: of CSV, the records with two more columns, which mappings ignore;
// of JSON lines, an object for each, which has the line as it was.
func (i *Imports) writeRejected(ctx context.Context, run *jobs.Run, source importer.Input, rejected map[int][]string) (err error) {
	if len(rejected) == 0 {
		return nil
	}
	records, err := importer.OpenRecords(source)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, records.Close()) }()
	name, _, _ := strings.Cut(strings.TrimSuffix(path.Base(source.Name), ".jsonl"), ".")
	extension, filetype := ".csv", "text/csv"
	if records.Header == nil {
		extension, filetype = ".jsonl", "application/jsonl"
	}
	file, err := run.NewFile(ctx, strings.TrimSuffix(cmp.Or(name, "upload"), "-rejected")+"-rejected"+extension, filetype)
	if err != nil {
		return err
	}
	text := bufio.NewWriter(file)
	write, err := rejectedWriter(text, records)
	for err == nil {
		var record importer.RawRecord
		if record, err = records.Next(); err == nil {
			if reasons := rejected[record.Line]; reasons != nil {
				err = write(record, reasons)
			}
		}
	}
	if !errors.Is(err, io.EOF) && ctx.Err() != nil {
		return ctx.Err()
	}
	// Another error has ended the import at the same record, and is among its problems.
	return errors.Join(text.Flush(), file.Flush())
}

// rejectedWriter writes the header of CSV, and returns a function that writes a rejected record.
func rejectedWriter(to *bufio.Writer, records *importer.Records) (func(importer.RawRecord, []string) error, error) {
	if records.Header == nil {
		return func(record importer.RawRecord, reasons []string) error {
			line := struct {
				Line    int             `json:"line"`
				Reasons []string        `json:"reasons"`
				Record  json.RawMessage `json:"record,omitempty"`
				Text    string          `json:"text,omitempty"`
			}{Line: record.Line, Reasons: reasons}
			if json.Valid(record.Text) {
				line.Record = bytes.TrimSpace(record.Text)
			} else {
				line.Text = strings.ToValidUTF8(string(record.Text), "\ufffd")
			}
			encoder := json.NewEncoder(to)
			encoder.SetEscapeHTML(false)
			return encoder.Encode(line)
		}, nil
	}
	header := records.Header
	if n := len(header); n > 2 && header[n-2] == lineColumn && header[n-1] == reasonsColumn { // the file of an earlier import
		header = header[:n-2]
	}
	table := csv.NewWriter(to)
	table.Comma = records.Separator
	row := func(fields []string, more ...string) error {
		err := table.Write(append(slices.Clone(fields), more...))
		table.Flush()
		return errors.Join(err, table.Error())
	}
	return func(record importer.RawRecord, reasons []string) error {
		fields := make([]string, len(header)) // empty if the record could not be read
		copy(fields, record.Fields)
		if last := len(fields) - 1; len(record.Fields) > len(records.Header) {
			fields[last] = strings.Join(record.Fields[last:], string(records.Separator))
		}
		return row(fields, strconv.Itoa(record.Line), strings.Join(reasons, "; "))
	}, row(header, lineColumn, reasonsColumn)
}

// Preview is what the first records of a file would become.
type Preview struct {
	Format Format
	// Header are the columns of CSV.
	Header []string
	// Mapping is the given mapping, or one that was guessed from the header; nil for JSON lines.
	Mapping *account.Mapping
	Lines   []PreviewLine
}

// PreviewLine is what a record would become.
type PreviewLine struct {
	Line int
	// Text is the import line as JSON, or nil.
	Text     []byte
	Problems []string
}

// Preview shows the first records of an upload. A nil mapping is guessed.
func (i *Imports) Preview(ctx context.Context, file *store.File, format Format, mapping *account.Mapping, first int) (*Preview, error) {
	source, format, err := i.input(ctx, file, format)
	if err != nil {
		return nil, err
	}
	records, err := importer.OpenRecords(source)
	if err != nil {
		return nil, fault.InvalidRequest("the file cannot be read: %v", err)
	}
	defer records.Close()
	preview := &Preview{Format: format, Header: records.Header, Mapping: mapping}
	if format == CSV && len(records.Header) == 0 {
		return nil, fault.InvalidRequest("the file has no header")
	}
	var read []importer.RawRecord
	for len(read) < first {
		record, err := records.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fault.InvalidRequest("the file cannot be read: %v", err)
		}
		record.Fields = slices.Clone(record.Fields)
		read = append(read, record)
	}
	columns := func([]string) ([]byte, error) { return nil, nil }
	if format == CSV {
		if mapping == nil {
			preview.Mapping = Guess(records.Header, read)
		}
		directory, err := i.Catalogue.Directory(ctx, 0)
		if err != nil {
			return nil, err
		}
		if columns, err = columnsOf(preview.Mapping, records.Header, directory); err != nil {
			return nil, err
		}
	}
	for _, record := range read {
		line := PreviewLine{Line: record.Line, Text: record.Text}
		if format == CSV && record.Problem == "" {
			if line.Text, err = columns(record.Fields); err != nil {
				record.Problem = err.Error()
			}
		}
		if record.Problem != "" {
			line.Problems = []string{record.Problem}
		} else {
			for _, one := range importline.Decode(line.Text).Faults {
				line.Problems = append(line.Problems, one.Error())
			}
		}
		if !json.Valid(line.Text) {
			line.Text = nil
		}
		preview.Lines = append(preview.Lines, line)
	}
	return preview, nil
}

// CheckMapping returns the faults of a mapping, including fields that its kind does not have.
func CheckMapping(m *account.Mapping) fault.FieldErrors {
	faults := m.Validate()
	fields := importline.ColumnFields(m.Kind)
	if fields == nil {
		return append(faults, fault.FieldError{Field: "kind", Problem: fault.NotOneOf(string(m.Kind), importline.Kinds())})
	}
	names := []string{"id", "ref"}
	for _, field := range fields {
		names = append(names, field.Name)
	}
	for at, field := range m.Fields {
		if !slices.Contains(names, field.Field) {
			faults = append(faults, fault.FieldError{Field: fmt.Sprintf("fields[%d].field", at), Problem: fault.NotOneOf(field.Field, names)})
		}
	}
	return faults
}
