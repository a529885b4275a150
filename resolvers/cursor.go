package resolvers

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// cursors write and read the cursors of the feed: opaque, signed, stateless, without an end. A
// cursor carries the place in the walk and the walk's filter:
//
//	1 byte   format, 1
//	8 bytes  sequence of the last video met
//	8 bytes  day of updatedAsOf, noDay where there is no such filter
//	16 bytes HMAC-SHA256 of all before, cut
//
// 33 bytes are 44 characters of base64url without a bit to spare, so that every changed character
// changes a byte.
type cursors struct{ keys [][]byte }

type cursor struct {
	after       int64
	updatedAsOf *catalogue.Date
}

const (
	cursorFormat  = 1
	cursorPayload = 17
	cursorLength  = cursorPayload + 16
	noDay         = math.MinInt64
)

func (c cursors) write(at cursor) string {
	day := int64(noDay)
	if at.updatedAsOf != nil {
		day = int64(*at.updatedAsOf)
	}
	b := make([]byte, 0, cursorLength)
	b = append(b, cursorFormat)
	b = binary.BigEndian.AppendUint64(b, uint64(at.after))
	b = binary.BigEndian.AppendUint64(b, uint64(day))
	return base64.RawURLEncoding.EncodeToString(append(b, seal(c.keys[0], b)...))
}

// read returns an error of code Invalid for whatever write did not write.
func (c cursors) read(text string) (cursor, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) != cursorLength || len(text) != base64.RawURLEncoding.EncodedLen(cursorLength) ||
		b[0] != cursorFormat || !c.sealed(b) {
		return cursor{}, &fault.Error{
			Code: fault.Invalid, Label: "Invalid cursor id",
			Message: fmt.Sprintf("%q is not a cursor that this feed has handed out", catalogue.Shorten(text)),
		}
	}
	at := cursor{after: int64(binary.BigEndian.Uint64(b[1:]))}
	if day := int64(binary.BigEndian.Uint64(b[9:])); day != noDay {
		date := catalogue.Date(day)
		at.updatedAsOf = &date
	}
	return at, nil
}

func (c cursors) sealed(b []byte) bool {
	valid := false
	for _, key := range c.keys {
		valid = hmac.Equal(seal(key, b[:cursorPayload]), b[cursorPayload:]) || valid
	}
	return valid
}

func seal(key, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(payload)
	return mac.Sum(nil)[:cursorLength-cursorPayload]
}
