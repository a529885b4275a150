package catalogue

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

// cursors write and read cursors that are opaque, signed and stateless, and that do not expire. A cursor is a payload,
// which starts with the format, followed by the first 16 bytes of its HMAC-SHA256, in base64url. Decoding is strict, so
// no character can change without changing a byte.
type cursors struct{ keys [][]byte }

const markLength = 16

func (c cursors) seal(payload []byte) string {
	return base64.RawURLEncoding.EncodeToString(append(payload, markOf(c.keys[0], payload)...))
}

// open returns the payload of a cursor with a format and length, or an error with the code Invalid for a text that seal
// did not write.
func (c cursors) open(text string, format byte, length int) ([]byte, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err == nil && len(b) == length+markLength && len(text) == base64.RawURLEncoding.EncodedLen(len(b)) && b[0] == format {
		valid := false
		for _, key := range c.keys {
			valid = hmac.Equal(markOf(key, b[:length]), b[length:]) || valid
		}
		if valid {
			return b[:length], nil
		}
	}
	return nil, &fault.Error{
		Code: fault.Invalid, Label: "Invalid cursor id",
		Message: fmt.Sprintf("%q is not a cursor of this feed", fault.Shorten(text)),
	}
}

func markOf(key, payload []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(payload)
	return mac.Sum(nil)[:markLength]
}

// cursor is a place in the feed, and the filter of the walk.
type cursor struct {
	// after is the sequence of the last video.
	after       int64
	updatedAsOf *catalogue.Date
}

// The payload of a cursor of the feed consists of the format, 8 bytes for after, and 8 bytes for updatedAsOf, which are
// noDay without this filter.
const (
	cursorFormat = 1
	cursorLength = 17
	noDay        = math.MinInt64
)

func (c cursors) write(at cursor) string {
	day := int64(noDay)
	if at.updatedAsOf != nil {
		day = int64(*at.updatedAsOf)
	}
	b := append(make([]byte, 0, cursorLength+markLength), cursorFormat)
	b = binary.BigEndian.AppendUint64(b, uint64(at.after))
	return c.seal(binary.BigEndian.AppendUint64(b, uint64(day)))
}

func (c cursors) read(text string) (cursor, error) {
	b, err := c.open(text, cursorFormat, cursorLength)
	if err != nil {
		return cursor{}, err
	}
	at := cursor{after: int64(binary.BigEndian.Uint64(b[1:]))}
	if day := int64(binary.BigEndian.Uint64(b[9:])); day != noDay {
		date := catalogue.Date(day)
		at.updatedAsOf = &date
	}
	return at, nil
}
