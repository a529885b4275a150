package importer

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// csvReader turns each record of a CSV file into an import line by columns or, without columns, into a JSON object of
// strings, named by the first record.
type csvReader struct {
	in      *csv.Reader
	bound   *boundedReader
	columns columns
	header  []string
	line    func(record []string) ([]byte, error)
}

func newCSVReader(in *bufio.Reader, columns columns) *csvReader {
	comma := separatorOf(in)
	bound := &boundedReader{r: in}
	r := &csvReader{in: csv.NewReader(bound), bound: bound, columns: columns}
	r.in.ReuseRecord, r.in.Comma = true, comma
	return r
}

// separatorOf returns the one of comma, semicolon and tab that is most frequent in the first line, outside of quotes.
func separatorOf(in *bufio.Reader) rune {
	start, _ := in.Peek(maxHeader)
	counts, quoted := map[byte]int{}, false
	for _, b := range start {
		switch {
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '\n':
			return most(counts)
		default:
			counts[b]++
		}
	}
	return most(counts)
}

// maxHeader is the length of the header that separatorOf looks at, in bytes.
const maxHeader = 64 << 10

func most(counts map[byte]int) rune {
	separator := byte(',')
	for _, other := range []byte{';', '\t'} {
		if counts[other] > counts[separator] {
			separator = other
		}
	}
	return rune(separator)
}

func (r *csvReader) next() (line, error) {
	if r.header == nil {
		if at, err := r.readHeader(); err != nil {
			return at, err
		}
	}
	r.bound.left = MaxLineLength
	record, err := r.in.Read()
	if err != nil {
		return r.faultyLine(err, record)
	}
	l := line{position: r.position()}
	l.text, err = r.line(record)
	if err != nil {
		l.problem = err.Error()
	}
	return l, nil
}

func (r *csvReader) position() position {
	number, _ := r.in.FieldPos(0)
	return position{line: number}
}

func (r *csvReader) readHeader() (line, error) {
	r.bound.left = MaxLineLength
	record, err := r.in.Read()
	at := line{position: position{line: 1}}
	if err != nil {
		return at, err
	}
	at.position = r.position()
	named := map[string]bool{}
	for i, name := range record {
		name = strings.TrimSpace(name)
		if !utf8.ValidString(name) {
			return at, fmt.Errorf("the name of column %d is not valid UTF-8: save the file as \"CSV UTF-8\"", i+1)
		}
		if name == "" {
			return at, fmt.Errorf("column %d has no name", i+1)
		}
		if named[name] {
			return at, fmt.Errorf("two columns are named %q", name)
		}
		named[name] = true
		r.header = append(r.header, name)
	}
	r.line = r.object
	if r.columns != nil {
		if r.line, err = r.columns(r.header); err != nil {
			return at, errColumns{err}
		}
	}
	return at, nil
}

// faultyLine distinguishes an error in a record of some fields, after which reading continues, from one that ends the
// input.
func (r *csvReader) faultyLine(err error, record []string) (line, error) {
	var at line
	parseErr, ok := errors.AsType[*csv.ParseError](err)
	if !ok {
		return at, err
	}
	at.line = parseErr.StartLine
	at.problem = "is not valid CSV: " + parseErr.Err.Error()
	if errors.Is(err, csv.ErrFieldCount) {
		at.problem = fmt.Sprintf("number of fields: %d; the first line names %d", len(record), len(r.header))
		at.fields = record
	}
	return at, nil
}

// CheckUTF8 returns an error that names the first column of a record that is not UTF-8.
func CheckUTF8(header, record []string) error {
	for i, value := range record {
		if !utf8.ValidString(value) {
			return fmt.Errorf(`column %q is not valid UTF-8: save the file as "CSV UTF-8"`, header[i])
		}
	}
	return nil
}

// object writes a record as a JSON object.
func (r *csvReader) object(record []string) (text []byte, err error) {
	if err := CheckUTF8(r.header, record); err != nil {
		return nil, err
	}
	text = append(text, '{')
	for i, value := range record {
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = jsontext.AppendQuote(text, r.header[i]); err != nil {
			return nil, err
		}
		text = append(text, ':')
		if text, err = jsontext.AppendQuote(text, value); err != nil {
			return nil, err
		}
	}
	return append(text, '}'), nil
}

// boundedReader fails after a number of bytes, which is reset for each record, so that an unclosed quote does not read
// the whole file into memory.
type boundedReader struct {
	r    io.Reader
	left int
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}
