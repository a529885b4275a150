package importer

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"

	"github.com/filmstrip/filmstrip/catalogue"
)

// spool keeps import lines and their positions in a temporary file: callers add all lines first, then read them in the
// same order, once or, after rewind, again. The zero value is empty.
type spool struct {
	file    *os.File
	out     *bufio.Writer
	in      *bufio.Reader
	count   int
	kinds   map[catalogue.Kind]bool
	written int64
	read    int64
}

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
		_ = os.Remove(s.file.Name())
	}
}

// len returns the number of lines.
func (s *spool) len() int { return s.count }

// size returns the number of bytes.
func (s *spool) size() int64 { return s.written }

// firstKind returns the kind that the other kinds of the spool may refer to or mention; "" if the spool is empty.
func (s *spool) firstKind() (first catalogue.Kind) {
	for kind := range s.kinds {
		if first == "" || rank[kind] < rank[first] {
			first = kind
		}
	}
	return first
}

// add adds an entry that has a text.
func (s *spool) add(e entry) error {
	if err := s.create(); err != nil {
		return err
	}
	var frame []byte
	frame = appendText(frame, []byte(e.file))
	frame = binary.AppendUvarint(frame, uint64(e.line))
	frame = binary.AppendUvarint(frame, uint64(e.output))
	frame = appendText(frame, e.text)
	s.count++
	s.kinds[e.record.Kind] = true
	s.written += int64(len(frame))
	_, err := s.out.Write(frame)
	return err
}

func (s *spool) create() (err error) {
	if s.file != nil {
		return nil
	}
	if s.file, err = os.CreateTemp("", "filmstrip-import-*"); err != nil {
		return fmt.Errorf("import: no temporary file: %w", err)
	}
	_ = os.Remove(s.file.Name()) // so that a killed process leaves no file; not every system allows it
	s.out = bufio.NewWriterSize(s.file, 64<<10)
	s.kinds = map[catalogue.Kind]bool{}
	return nil
}

func appendText(frame, text []byte) []byte {
	frame = binary.AppendUvarint(frame, uint64(len(text)))
	return append(frame, text...)
}

// rewind makes next start at the first line again.
func (s *spool) rewind() { s.in, s.read = nil, 0 }

// next returns the next lines.
func (s *spool) next() ([]line, int64, error) {
	if s.count == 0 {
		return nil, 0, io.EOF
	}
	if s.in == nil {
		if err := s.out.Flush(); err != nil {
			return nil, 0, err
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, 0, err
		}
		s.in = bufio.NewReaderSize(s.file, 64<<10)
	}
	var piece []line
	for start := s.read; len(piece) < pieceLines && s.read-start < pieceBytes && s.read < s.written; {
		l, err := s.nextLine()
		if err != nil {
			return nil, 0, fmt.Errorf("import: the temporary file is damaged: %w", err)
		}
		piece = append(piece, l)
	}
	if len(piece) == 0 {
		return nil, s.read, io.EOF
	}
	return piece, s.read, nil
}

func (s *spool) nextLine() (line, error) {
	var l line
	file, err := s.nextText()
	if err != nil {
		return l, err
	}
	number, err := s.nextNumber()
	if err != nil {
		return l, err
	}
	output, err := s.nextNumber()
	if err != nil {
		return l, err
	}
	l.file, l.line, l.output = string(file), number, output
	l.text, err = s.nextText()
	return l, err
}

func (s *spool) nextNumber() (int, error) {
	n, err := binary.ReadUvarint(s.in)
	s.read += int64(len(binary.AppendUvarint(nil, n)))
	return int(n), err
}

func (s *spool) nextText() ([]byte, error) {
	n, err := s.nextNumber()
	if err != nil {
		return nil, err
	}
	text := make([]byte, n)
	_, err = io.ReadFull(s.in, text)
	s.read += int64(n)
	return text, err
}
