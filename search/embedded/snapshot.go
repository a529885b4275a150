package embedded

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
	"unsafe"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
)

// A snapshot is one file: a header, the parts, and a checksum of everything before it. The length of a list precedes the list.
// Numbers have the byte order of the machine, so that a list is read and written as it is in memory; to a machine of another
// order, the format in the header is unknown.

// snapshotFormat is the version of the format. It changes whenever the contents of a snapshot change, and whenever the
// analysis of documents changes outside the analyzer (for example, the field weights).
const snapshotFormat = 9

var snapshotMagic = [8]byte{'f', 's', 't', 'r', 'i', 'p', 'i', 'x'}

type snapshotHeader struct {
	Magic       [8]byte
	Format      uint32
	Fingerprint uint64
	Token       [16]byte // random; identifies this snapshot
	Position    int64
	Parts       uint32
}

func snapshotPath(dir string) string { return filepath.Join(dir, "search.snapshot") }

var errTorn = errors.New("the snapshot is torn")

// writeSnapshot writes a view to a file with a temporary name, syncs it to disk and then renames it. The temporary name
// is always the same, so that a crash leaves at most one file behind.
func writeSnapshot(ctx context.Context, path string, header snapshotHeader, v *view) error {
	unfinished := path + ".new"
	file, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(encodeSnapshot(ctx, file, header, v), file.Sync(), file.Close()); err != nil {
		return errors.Join(err, os.Remove(unfinished))
	}
	if err := os.Rename(unfinished, path); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(path))
}

func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// newHeader returns the header of a snapshot of a view, with a new random token.
func newHeader(fingerprint uint64, v *view) snapshotHeader {
	header := snapshotHeader{
		Magic: snapshotMagic, Format: snapshotFormat, Fingerprint: fingerprint,
		Position: v.position, Parts: uint32(len(v.parts)),
	}
	_, _ = rand.Read(header.Token[:]) // never fails
	return header
}

// snapshot returns the token and position of the snapshot.
func (h *snapshotHeader) snapshot() search.Snapshot {
	return search.Snapshot{Token: hex.EncodeToString(h.Token[:]), Position: h.Position}
}

func encodeSnapshot(ctx context.Context, w io.Writer, header snapshotHeader, v *view) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	c := &codec{hash: crc32.New(castagnoli), writer: buffered}
	c.number(&header)
	for _, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.part(&p)
	}
	sum := c.hash.Sum32()
	c.number(&sum)
	return errors.Join(c.err, buffered.Flush())
}

// readSnapshot returns the header and parts of a snapshot. If the snapshot does not fit or cannot be read, it returns a
// zero header and no parts.
func readSnapshot(path string, fingerprint uint64) (snapshotHeader, []part) {
	file, err := os.Open(path)
	if err != nil {
		return snapshotHeader{}, nil
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return snapshotHeader{}, nil
	}
	c := &codec{hash: crc32.New(castagnoli), reader: bufio.NewReaderSize(file, 1<<20), left: info.Size()}
	var header snapshotHeader
	c.number(&header)
	if c.err != nil || header.Magic != snapshotMagic || header.Format != snapshotFormat || header.Fingerprint != fingerprint {
		return snapshotHeader{}, nil
	}
	var parts []part
	for range header.Parts {
		p := part{segment: &segment{}}
		if c.part(&p); c.err != nil {
			return snapshotHeader{}, nil
		}
		parts = append(parts, p)
	}
	want := c.hash.Sum32()
	var sum uint32
	if c.number(&sum); c.err != nil || sum != want || c.left != 0 {
		return snapshotHeader{}, nil
	}
	var deriving sync.WaitGroup
	for i := range parts {
		p := &parts[i]
		deriving.Go(func() {
			p.count = p.live.count()
			p.derive()
		})
	}
	deriving.Wait()
	return header, parts
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// codec either writes or reads values, so that the code defines the order of a snapshot only once. After the first
// error, a codec does nothing.
type codec struct {
	writer io.Writer // nil: the codec reads
	reader io.Reader
	left   int64 // bytes not yet read
	hash   hash.Hash32
	buffer []byte
	err    error
}

// part writes or reads one part. Searches may use a part while it is written, so writing does not change it.
func (c *codec) part(p *part) {
	s := p.segment
	size := uint32(s.size)
	if c.number(&size); c.writer == nil {
		s.size = int(size)
	}
	codeList(c, (*[]uint64)(&p.live))
	c.table(&s.ids)
	codeList(c, &s.idOrder)
	codeList(c, &s.texts)
	codeList(c, &s.versions)
	codeList(c, &s.sequences)
	codeList(c, &s.updated)
	codeList(c, &s.released)
	codeList(c, &s.durations.values)
	codeList(c, &s.durations.first)
	codeList(c, &s.durations.docs)
	codeList(c, &s.ends)
	codeList(c, &s.lastDays)
	for f := range s.flags {
		codeList(c, (*[]uint64)(&s.flags[f]))
	}
	for name := range s.attributes {
		c.attribute(&s.attributes[name])
	}
	c.postings(&s.exact)
	c.postings(&s.stems)
	codeList(c, &s.titleFirst)
	codeList(c, &s.titleWords)
	c.table(&s.suggestions.folded)
	c.table(&s.suggestions.texts)
	codeList(c, &s.suggestions.first)
	codeList(c, &s.suggestions.docs)
	c.number(&s.vectors.dimensions)
	codeList(c, &s.vectors.first)
	codeList(c, &s.vectors.values)
}

func (c *codec) attribute(a *attribute) {
	values := analysis.NewTable(a.values)
	c.table(&values)
	if c.writer == nil && c.err == nil {
		a.values = make([]string, values.Len())
		for i := range a.values {
			a.values[i] = string(values.At(i))
		}
	}
	codeList(c, &a.listFirst)
	codeList(c, &a.lists)
	codeList(c, &a.dense)
	codeList(c, &a.denseSets)
}

func (c *codec) postings(p *postings) {
	c.table(&p.terms)
	codeList(c, &p.first)
	codeList(c, &p.docs)
	codeList(c, &p.impacts)
	codeList(c, &p.own.differs)
	codeList(c, &p.own.values)
	codeList(c, &p.own.ranks)
	codeList(c, &p.positions)
	codeList(c, &p.skips)
}

func (c *codec) table(t *analysis.Table) {
	codeList(c, &t.Blob)
	codeList(c, &t.Starts)
}

// number writes or reads a value of fixed size.
func (c *codec) number(value any) {
	bytes := c.scratch(binary.Size(value))
	if c.writer != nil {
		if c.err == nil {
			_, c.err = binary.Encode(bytes, binary.NativeEndian, value)
		}
		c.pass(bytes)
		return
	}
	if c.pass(bytes); c.err == nil {
		_, c.err = binary.Decode(bytes, binary.NativeEndian, value)
	}
}

// codeList writes or reads a slice.
func codeList[T uint8 | uint16 | uint32 | uint64 | int8 | int32 | int64](c *codec, values *[]T) {
	length := uint64(len(*values))
	c.number(&length)
	width := unsafe.Sizeof(T(0))
	if c.writer == nil {
		if c.err == nil && length > uint64(c.left)/uint64(width) {
			c.err = errTorn
		}
		if c.err != nil {
			return
		}
		if *values = nil; length > 0 { // no list, such as that of missing vectors, stays nil
			*values = make([]T, length)
		}
	}
	const piece = 1 << 18 // the checksum reads bytes that the processor still has in its cache
	rest := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*values))), uintptr(length)*width)
	for ; len(rest) > 0 && c.err == nil; rest = rest[min(piece, len(rest)):] {
		c.pass(rest[:min(piece, len(rest))])
	}
}

// scratch returns a byte slice of the given length. The buffer is valid until the next call.
func (c *codec) scratch(length int) []byte {
	if cap(c.buffer) < length {
		c.buffer = make([]byte, length)
	}
	return c.buffer[:length]
}

// pass writes or reads the bytes and adds them to the checksum.
func (c *codec) pass(bytes []byte) {
	switch {
	case c.err != nil:
		return
	case c.writer != nil:
		_, c.err = c.writer.Write(bytes)
	default:
		_, c.err = io.ReadFull(c.reader, bytes)
		c.left -= int64(len(bytes))
	}
	c.hash.Write(bytes)
}
