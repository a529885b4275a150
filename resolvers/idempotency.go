package resolvers

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// telling is a request to store events, as far as another with the same key has to be equal.
type telling struct {
	what event.Kind
	// of is the video, or the collection, that the address names.
	of, subtype string
	anonymous   bool
	body        event.Body
	// key is the Idempotency-Key; nil: there is none.
	key *string
}

// checkKey holds a key to visible ASCII: it comes from a header.
func checkKey(key *string) error {
	if key == nil {
		return nil
	}
	visible := *key != "" && len(*key) <= event.KeyLength
	for _, c := range []byte(*key) {
		visible = visible && c > ' ' && c <= '~'
	}
	if !visible {
		return fault.InvalidRequest("the Idempotency-Key %.50q is not 1 to %d visible ASCII characters", *key, event.KeyLength)
	}
	return nil
}

// fingerprint is the same for requests of one user that ask for the same, however their JSON is written (RFC 8785).
// A client that is a page in many browsers has many users, whose keys may meet.
func (t *telling) fingerprint(from *sender) (sum [32]byte) {
	hash := sha256.New()
	for _, part := range []string{
		t.what.String(), t.of, t.subtype, strconv.FormatBool(t.anonymous), from.user, from.named, string(canonical(t.body)),
	} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	hash.Sum(sum[:0])
	return sum
}

// canonical is a body in one form for all that mean the same. One that has none is its own.
func canonical(body event.Body) []byte {
	value := jsontext.Value(bytes.Clone(body))
	if err := value.Canonicalize(); err != nil {
		return body
	}
	return value
}

// strangerAt is who a stranger is to the memory of keys: whoever calls from that address, or from that embed. It is
// the id of no client, and without the service's key nobody finds the address out: there are few enough to try
// them all.
func (r *resolver) strangerAt(address string) string {
	var key []byte
	if len(r.cursors.keys) > 0 {
		key = r.cursors.keys[0]
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("stranger " + address))
	return "@" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:16])
}
