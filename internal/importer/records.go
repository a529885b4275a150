package importer

import (
	"errors"
	"io"
	"slices"
)

// Records reads the records of an input one by one, as a run does. Close must follow.
type Records struct {
	// Header are the names of the columns, and Separator is what separates them; nil and 0 for JSON lines.
	Header    []string
	Separator rune

	closer io.Closer
	lines  *lineReader
	csv    *csvReader
	fields []string
}

// RawRecord is one record of an input.
type RawRecord struct {
	// Line is the line on which the record starts, from 1.
	Line int
	// Text is a JSON line; Fields are the values of a CSV record, as many as the header has unless there is a Problem, and
	// valid until the next call.
	Text   []byte
	Fields []string
	// Problem is why there is neither of them, or the number of Fields is wrong.
	Problem string
}

// OpenRecords opens an input and reads the header of CSV.
func OpenRecords(input Input) (_ *Records, err error) {
	file, err := input.Open()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = file.Close()
		}
	}()
	text, err := plain(file, input.MaxPlain)
	if err != nil {
		return nil, err
	}
	r := &Records{closer: file}
	if !input.isCSV() {
		r.lines = &lineReader{in: text}
		return r, nil
	}
	r.csv = newCSVReader(text, func([]string) (func([]string) ([]byte, error), error) {
		return func(record []string) ([]byte, error) { r.fields = record; return nil, nil }, nil
	})
	r.Separator = r.csv.in.Comma
	if _, err := r.csv.readHeader(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.Header = slices.Clone(r.csv.header)
	return r, nil
}

// Next returns the next record. An error ends the input; io.EOF is its regular end.
func (r *Records) Next() (RawRecord, error) {
	if r.lines != nil {
		l, err := r.lines.next()
		return RawRecord{Line: l.line, Text: l.text, Problem: l.problem}, err
	}
	if len(r.Header) == 0 {
		return RawRecord{}, io.EOF
	}
	r.fields = nil
	l, err := r.csv.next()
	if l.fields != nil {
		r.fields = l.fields
	}
	return RawRecord{Line: l.line, Fields: r.fields, Problem: l.problem}, err
}

// Close closes the input.
func (r *Records) Close() error { return r.closer.Close() }
