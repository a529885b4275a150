package importer

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/filmstrip/filmstrip/fault"
)

// Input is a file to import: JSON lines or, if the name ends in .csv, comma-separated values whose first line names the
// columns. Either may be compressed with gzip, regardless of its name.
type Input struct {
	// Name identifies the input in faults, and determines the format.
	Name string
	// Size is the number of bytes that Open yields, or -1 if unknown.
	Size int64
	// CSV: the input is comma-separated values, regardless of its name.
	CSV bool
	// MaxPlain is the maximum size of the decompressed input in bytes; 0: unlimited. Reading fails beyond it.
	MaxPlain int64
	// Open is called once.
	Open func() (io.ReadCloser, error)
}

// StandardInput is the path that stands for standard input.
const StandardInput = "-"

// Files returns the inputs for paths. The error has code Invalid and names the first path that cannot be opened or is
// not a file, or says that standard input occurs twice. No file remains open.
func Files(paths []string, stdin io.Reader) ([]Input, error) {
	var inputs []Input
	var named bool
	for _, path := range paths {
		if path == StandardInput {
			if named {
				return nil, fault.InvalidRequest("standard input (-) can be read only once")
			}
			named = true
			inputs = append(inputs, Input{
				Name: "standard input", Size: -1,
				Open: func() (io.ReadCloser, error) { return io.NopCloser(stdin), nil },
			})
			continue
		}
		input, err := fileInput(path)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, input)
	}
	return inputs, nil
}

func fileInput(path string) (Input, error) {
	open := func() (io.ReadCloser, error) { return os.Open(path) }
	info, err := os.Stat(path)
	if err != nil {
		return Input{}, fault.InvalidRequest("%s", err)
	}
	if info.IsDir() {
		return Input{}, fault.InvalidRequest("%s is a directory", path)
	}
	size := int64(-1) // a pipe has no size
	if info.Mode().IsRegular() {
		file, err := open()
		if err != nil {
			return Input{}, fault.InvalidRequest("%s", err)
		}
		_ = file.Close()
		size = info.Size()
	}
	return Input{Name: path, Size: size, Open: open}, nil
}

func (i Input) isCSV() bool {
	return i.CSV || strings.EqualFold(filepath.Ext(strings.TrimSuffix(i.Name, ".gz")), ".csv")
}

// checkFormats rejects CSV without anything that turns it into import lines.
func checkFormats(inputs []Input, translated bool) error {
	for _, input := range inputs {
		if input.isCSV() && !translated {
			return fault.InvalidRequest("%s: CSV needs a jq program (--jq) that makes import lines of it", input.Name)
		}
	}
	return nil
}

// inputReader reads inputs one after the other. If one cannot be read to its end, it yields a line with a problem and
// continues with the next input.
type inputReader struct {
	rest    []Input
	foreign bool
	columns columns
	current recordReader
	closer  io.Closer
	count   countingReader
	size    int64 // of all inputs; -1 if unknown
}

// recordReader reads the records of one input.
type recordReader interface {
	// next returns the next line. An error ends the input; io.EOF is its regular end.
	next() (line, error)
}

// columns is Options.Columns.
type columns func(header []string) (func(record []string) ([]byte, error), error)

// errColumns is an error of Options.Columns, which ends the run.
type errColumns struct{ error }

func newInputReader(inputs []Input, foreign bool, columns columns) *inputReader {
	r := &inputReader{rest: inputs, foreign: foreign, columns: columns}
	for _, input := range inputs {
		if input.Size < 0 || r.size < 0 {
			r.size = -1
		} else {
			r.size += input.Size
		}
	}
	return r
}

func (r *inputReader) close() {
	if r.closer != nil {
		_ = r.closer.Close()
		r.closer = nil
	}
}

func (r *inputReader) next() ([]line, int64, error) {
	var piece []line
	most := pieceLines
	if r.foreign {
		most = foreignPieceLines
	}
	for bytes := 0; len(piece) < most && bytes < pieceBytes; {
		if r.current == nil {
			if len(r.rest) == 0 {
				break
			}
			if err := r.open(); err != nil {
				piece = append(piece, unreadable(position{file: r.rest[0].Name}, err))
				r.finish()
			}
			continue
		}
		l, err := r.current.next()
		l.file, l.foreign = r.rest[0].Name, r.foreign
		if wrong := (errColumns{}); errors.As(err, &wrong) {
			return nil, 0, wrong.error
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				piece = append(piece, unreadable(l.position, err))
			}
			r.finish()
			continue
		}
		bytes += len(l.text)
		piece = append(piece, l)
	}
	if len(piece) == 0 {
		return nil, r.count.n, io.EOF
	}
	return piece, r.count.n, nil
}

func unreadable(at position, err error) line {
	return line{position: at, problem: "cannot be read any further: " + err.Error()}
}

// open starts reading the next input.
func (r *inputReader) open() error {
	file, err := r.rest[0].Open()
	if err != nil {
		return err
	}
	r.closer, r.count.r = file, file
	text, err := plain(&r.count, r.rest[0].MaxPlain)
	if err != nil {
		return err
	}
	if r.rest[0].isCSV() {
		r.current = newCSVReader(text, r.columns)
	} else {
		r.current = &lineReader{in: text}
	}
	return nil
}

func (r *inputReader) finish() {
	r.close()
	r.current, r.rest = nil, r.rest[1:]
}

const readBuffer = 256 << 10

// plain decompresses, and skips a byte order mark. Reading more than most bytes fails; 0: it does not.
func plain(in io.Reader, most int64) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(in, readBuffer)
	if start, _ := text.Peek(2); bytes.Equal(start, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(text)
		if err != nil {
			return nil, err
		}
		text = bufio.NewReaderSize(bounded(unzipped, most), readBuffer)
	}
	if start, _ := text.Peek(3); bytes.Equal(start, []byte("\ufeff")) {
		_, _ = text.Discard(len(start))
	}
	return text, nil
}

// bounded fails after most bytes; 0: it does not.
func bounded(in io.Reader, most int64) io.Reader {
	if most == 0 {
		return in
	}
	return &sizeReader{r: in, left: most, most: most}
}

type sizeReader struct {
	r          io.Reader
	left, most int64
}

func (s *sizeReader) Read(b []byte) (int, error) {
	if s.left <= 0 {
		return 0, fmt.Errorf("it is larger than %d MiB without compression", s.most>>20)
	}
	n, err := s.r.Read(b[:min(int64(len(b)), s.left)])
	s.left -= int64(n)
	return n, err
}

// countingReader counts the bytes of all inputs.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// lineReader reads JSON lines and skips blank lines.
type lineReader struct {
	in     *bufio.Reader
	number int
}

func (r *lineReader) next() (line, error) {
	for {
		r.number++
		l := line{position: position{line: r.number}}
		text, err := r.read()
		switch {
		case errors.Is(err, errTooLong):
			l.problem = errTooLong.Error()
			return l, nil
		case len(bytes.TrimSpace(text)) > 0 && (err == nil || errors.Is(err, io.EOF)):
			l.text = text
			return l, nil
		case err != nil:
			return l, err
		}
	}
}

var errTooLong = fmt.Errorf("is longer than %d MiB", MaxLineLength>>20)

// read returns the next line, the last one with io.EOF. It skips the rest of a line that is too long.
func (r *lineReader) read() (text []byte, err error) {
	length := 0
	for {
		part, err := r.in.ReadSlice('\n')
		if length += len(part); length <= MaxLineLength {
			text = append(text, part...)
		} else {
			text = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if length > MaxLineLength && (err == nil || errors.Is(err, io.EOF)) {
			return nil, errTooLong
		}
		return text, err
	}
}
