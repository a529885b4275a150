package resolvers

import (
	"crypto/hmac"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/store"
)

// The cursors of removed videos are made as those of the feed are:
//
//	1 byte    format, 2
//	8 bytes   time of the last write met
//	8 bytes   position of it
//	4 bytes   last day of the last video met whose day had passed
//	12 bytes  its ID, nothing but zeros where there was none
//	4 bytes   day of updatedAsOf, noRemovalDay where there is no such filter
//	16 bytes  HMAC-SHA256 of all before, cut

type removalCursor struct {
	place       store.RemovalPlace
	updatedAsOf *catalogue.Date
}

const (
	removalFormat  = 2
	removalPayload = 37
	removalLength  = removalPayload + 16
	noRemovalDay   = math.MinInt32
)

// noID is what stands for no ID.
var noID = catalogue.ID(strings.Repeat("0", catalogue.IDLength))

func (c cursors) writeRemoval(at removalCursor) string {
	day := int32(noRemovalDay)
	if at.updatedAsOf != nil {
		day = int32(*at.updatedAsOf)
	}
	id := at.place.ID
	if id == "" {
		id = noID
	}
	b := make([]byte, 0, removalLength)
	b = append(b, removalFormat)
	b = binary.BigEndian.AppendUint64(b, uint64(at.place.At))
	b = binary.BigEndian.AppendUint64(b, uint64(at.place.Position))
	b = binary.BigEndian.AppendUint32(b, uint32(at.place.Until))
	b, _ = hex.AppendDecode(b, []byte(id)) // the store's IDs are hexadecimal
	b = binary.BigEndian.AppendUint32(b, uint32(day))
	return base64.RawURLEncoding.EncodeToString(append(b, seal(c.keys[0], b)...))
}

// readRemoval returns an error of code Invalid for whatever writeRemoval did not write.
func (c cursors) readRemoval(text string) (at removalCursor, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != removalLength || len(text) != base64.RawURLEncoding.EncodedLen(removalLength) ||
		b[0] != removalFormat || !c.sealedRemoval(b) {
		return at, &fault.Error{
			Code: fault.Invalid, Label: "Invalid cursor id",
			Message: fmt.Sprintf("%q is not a cursor that this feed has handed out", catalogue.Shorten(text)),
		}
	}
	at.place = store.RemovalPlace{
		At:       int64(binary.BigEndian.Uint64(b[1:])),
		Position: int64(binary.BigEndian.Uint64(b[9:])),
		Until:    catalogue.Date(binary.BigEndian.Uint32(b[17:])),
		ID:       catalogue.ID(hex.EncodeToString(b[21:33])),
	}
	if at.place.ID == noID {
		at.place.ID = ""
	}
	if day := int32(binary.BigEndian.Uint32(b[33:])); day != noRemovalDay {
		date := catalogue.Date(day)
		at.updatedAsOf = &date
	}
	return at, nil
}

func (c cursors) sealedRemoval(b []byte) bool {
	valid := false
	for _, key := range c.keys {
		valid = hmac.Equal(seal(key, b[:removalPayload]), b[removalPayload:]) || valid
	}
	return valid
}
