package archive

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/internal/parquetseconds"
)

// row is the row of an event. The columns that both have bear the names of those in exports (event/export). Missing values
// are null. Seconds are decimals.
type row struct {
	Position  int64    `parquet:"position,delta"`
	ID        [16]byte `parquet:"id,uuid"`
	Kind      string   `parquet:"kind,dict"`
	At        int64    `parquet:"captureTime,timestamp(millisecond),delta"`
	Received  int64    `parquet:"receivedAt,timestamp(millisecond),delta"`
	Account   *string  `parquet:"accountId,optional,dict"`
	Client    *string  `parquet:"clientId,optional,dict"`
	External  *string  `parquet:"userId,optional,dict"`
	User      *string  `parquet:"tokenUserId,optional,dict"`
	Video     *string  `parquet:"videoId,optional,dict"`
	Start     *int64   `parquet:"segmentStartSeconds,optional"`
	End       *int64   `parquet:"segmentEndSeconds,optional"`
	Counted   *int64   `parquet:"countedSeconds,optional"`
	Subtype   *string  `parquet:"subtype,optional,dict"`
	Sandbox   bool     `parquet:"sandbox"`
	Hidden    bool     `parquet:"hidden"`
	Continues bool     `parquet:"continues"`
	Trace     *string  `parquet:"traceId,optional"`
	Referer   *string  `parquet:"referer,optional,dict"`
	Address   *string  `parquet:"address,optional,dict"`
	Details   []byte   `parquet:"details,optional,json"`
	Metadata  []byte   `parquet:"metadata,optional,json"`
}

// The columns, in the order of row.
const (
	colPosition = iota
	colID
	colKind
	colAt
	colReceived
	colAccount
	colClient
	colExternal
	colUser
	colVideo
	colStart
	colEnd
	colCounted
	colSubtype
	colSandbox
	colHidden
	colContinues
	colTrace
	colReferer
	colAddress
	colDetails
	colMetadata
	columns
)

// rowSchema is the schema of rows.
var rowSchema = parquetseconds.SchemaOf("event", row{}, "segmentStartSeconds", "segmentEndSeconds", "countedSeconds")

// rowOf returns the row of an event, which shares its texts.
func rowOf(e *event.Event) row {
	r := row{
		Position: e.Position, ID: e.ID, Kind: e.Kind.String(), At: int64(e.At), Received: int64(e.Received),
		Account: filled(&e.Account), Client: filled(&e.Client), External: filled(&e.ExternalUser), User: filled(&e.User), Video: filled(&e.Video),
		Subtype: filled(&e.Subtype), Sandbox: e.Sandbox, Hidden: e.Hidden, Continues: e.Continues,
		Trace: filled(&e.Trace), Referer: filled(&e.Referer), Address: filled(&e.Address), Details: e.Details, Metadata: e.Metadata,
	}
	if e.Kind == event.Playback || e.Start != 0 || e.End != 0 || e.Counted != 0 {
		r.Start, r.End, r.Counted = &e.Start, &e.End, &e.Counted
	}
	return r
}

// filled returns nil for an empty text.
func filled(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// weigh estimates the bytes of an event in a file.
func weigh(e *event.Event) int64 {
	return 36 + int64(len(e.Trace)+len(e.Details)/3+len(e.Metadata)/3+len(e.Referer)/8)
}

// partOf returns the part of a group of files that contains an event.
func partOf(e *event.Event, of int) int {
	if person := e.Person(); person != "" {
		return partOfPerson(person, of)
	}
	return int(uint64(e.Position) % uint64(of))
}

// partOfPerson returns the part with the events of a person. Files depend on it: it never changes.
func partOfPerson(person string, of int) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(person))
	sum := h.Sum64()
	return int((sum ^ sum>>32) % uint64(of))
}

// digest sums up events in their order.
type digest struct {
	hash.Hash
	buffer []byte
	events int64
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

// add adds an event with all its fields.
func (d *digest) add(e *event.Event) {
	b := d.buffer[:0]
	for _, n := range [...]int64{e.Position, int64(e.Kind), int64(e.At), int64(e.Received), e.Start, e.End, e.Counted} {
		b = binary.AppendVarint(b, n)
	}
	b = append(b, e.ID[:]...)
	flags := byte(0)
	for i, set := range [...]bool{e.Sandbox, e.Hidden, e.Continues} {
		if set {
			flags |= 1 << i
		}
	}
	b = append(b, flags)
	for _, text := range [...]string{e.Account, e.Client, e.User, e.ExternalUser, e.Video, e.Subtype, e.Trace, e.Referer, e.Address} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	for _, text := range [...][]byte{e.Details, e.Metadata} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	_, _ = d.Write(b)
	d.buffer = b
	d.events++
}

// sum returns the sum, and the number of events.
func (d *digest) sum() string { return fmt.Sprintf("%d events, SHA-256 %x", d.events, d.Sum(nil)) }

// videoRow is a row of the files that list files by video, in the order of videos.
type videoRow struct {
	Video  string `parquet:"videoId,delta"`
	File   string `parquet:"file,dict"`
	Events int64  `parquet:"events,delta"`
}
