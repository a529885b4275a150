package hal

import (
	"bytes"
	"strconv"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// A template is a document that contains nothing specific to one caller. Slots mark the positions of values that depend
// on the caller or on the current hour; they are filled last. A slot starts with a zero byte, which cannot come from
// content because JSON escapes it.
//
//	0 'B'            the base address
//	0 'S' <24 bytes> the signed path of the stream of the video with this ID
//	0 'L' <1 byte>   the text up to the end mark appears only for callers with this permission
//	0 'E'            the end mark of L
//	0 'O'            the start of an object whose members may all be missing: "{"
//	0 ','            a comma, unless nothing was written since O
//
// A template is not JSON until its slots are filled.
const (
	slotMark       = 0
	slotBase       = 'B'
	slotStream     = 'S'
	slotPermission = 'L'
	slotEnd        = 'E'
	slotObject     = 'O'
	slotComma      = ','
)

// slotFormat is part of the key of every cached template. It changes whenever the marks above change.
const slotFormat = "1"

// View fills the slots of a template. It is the part of an answer that depends on the caller, the base address and the
// hour.
type View struct {
	// Base is the public base address, without a trailing slash.
	Base        string
	Permissions account.Permissions
	Streams     Streams
	Now         time.Time
}

// Streams signs the addresses of streams.
type Streams interface {
	// AppendPath appends the path of the stream of the video whose ID is id, in text form. The path is valid for at
	// least 48 hours and does not change within one hour.
	AppendPath(b, id []byte, now time.Time) []byte
}

// hour returns the number of the hour in which signatures are made.
func (v *View) hour() int64 { return v.Now.Unix() / 3600 }

// Fill appends a template to b with its slots filled.
func (v *View) Fill(b, template []byte) []byte {
	objectStart := -1
	for {
		at := bytes.IndexByte(template, slotMark)
		if at < 0 {
			return append(b, template...)
		}
		b = append(b, template[:at]...)
		mark := template[at+1]
		template = template[at+2:]
		switch mark {
		case slotBase:
			b = append(b, v.Base...)
		case slotStream:
			b = v.Streams.AppendPath(b, template[:catalogue.IDLength], v.Now)
			template = template[catalogue.IDLength:]
		case slotPermission:
			permission := account.Permission(template[0])
			template = template[1:]
			if !v.Permissions.Has(permission) {
				template = template[bytes.Index(template, endMark)+len(endMark):]
			}
		case slotObject:
			b = append(b, '{')
			objectStart = len(b)
		case slotComma:
			if len(b) > objectStart {
				b = append(b, ',')
			}
		}
	}
}

var endMark = []byte{slotMark, slotEnd}

// Tag returns a tag that identifies a page by its content and by everything that fills its slots: permissions, base
// address and the hour of the signatures.
func (v *View) Tag(content ...[]byte) string {
	var hash xxhash.Digest
	hash.Reset()
	var space [48]byte
	about := strconv.AppendUint(space[:0], uint64(v.Permissions), 36)
	about = strconv.AppendInt(append(about, '@'), v.hour(), 10)
	for _, part := range content {
		_, _ = hash.Write(part)
	}
	_, _ = hash.Write(about)
	_, _ = hash.WriteString(v.Base)
	return strconv.FormatUint(hash.Sum64(), 36)
}
