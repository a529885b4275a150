package importer

import (
	"bufio"
	"encoding/gob"
	"fmt"
	"io"
	"os"

	"github.com/filmstrip/filmstrip/catalogue"
)

// spool keeps import lines and their positions in a temporary file: callers add all lines first, then read them in the
// same order, once or, after rewind, again. The zero value is empty.
type spool struct {
	file   *os.File
	buffer *bufio.Writer // of out
	out    *gob.Encoder
	in     *gob.Decoder // nil at the first line
	kinds  map[catalogue.Kind]bool
	// count and written are the number of lines and the bytes of their texts; taken and read are those of the lines that were
	// read.
	count, taken  int
	written, read int64
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

// size returns the number of bytes of the lines.
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
	s.count++
	s.written += int64(len(e.text))
	s.kinds[e.record.Kind] = true
	return s.out.Encode(spooled{e.file, e.line, e.output, e.text})
}

// spooled is a line of the file.
type spooled struct {
	File         string
	Line, Output int
	Text         []byte
}

func (s *spool) create() (err error) {
	if s.file != nil {
		return nil
	}
	if s.file, err = os.CreateTemp("", "filmstrip-import-*"); err != nil {
		return fmt.Errorf("import: no temporary file: %w", err)
	}
	_ = os.Remove(s.file.Name()) // so that a killed process leaves no file; not every system allows it
	s.buffer = bufio.NewWriterSize(s.file, 64<<10)
	s.out = gob.NewEncoder(s.buffer)
	s.kinds = map[catalogue.Kind]bool{}
	return nil
}

// rewind makes next start at the first line again.
func (s *spool) rewind() { s.in, s.taken, s.read = nil, 0, 0 }

// next returns the next lines.
func (s *spool) next() ([]line, int64, error) {
	if s.taken == s.count {
		return nil, s.read, io.EOF
	}
	if s.in == nil {
		if err := s.buffer.Flush(); err != nil {
			return nil, 0, err
		}
		if _, err := s.file.Seek(0, io.SeekStart); err != nil {
			return nil, 0, err
		}
		s.in = gob.NewDecoder(bufio.NewReaderSize(s.file, 64<<10))
	}
	var piece []line
	for start := s.read; len(piece) < pieceLines && s.read-start < pieceBytes && s.taken < s.count; s.taken++ {
		var l spooled
		if err := s.in.Decode(&l); err != nil {
			return nil, 0, fmt.Errorf("import: the temporary file is damaged: %w", err)
		}
		s.read += int64(len(l.Text))
		piece = append(piece, line{position: position{l.File, l.Line, l.Output}, text: l.Text})
	}
	return piece, s.read, nil
}
