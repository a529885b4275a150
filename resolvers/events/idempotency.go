package events

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// request is what two requests with the same idempotency key must agree in.
type request struct {
	kind event.Kind
	// of is the video or collection in the address.
	of, subtype string
	anonymous   bool
	// input is an input, a list of inputs, or nil.
	input any
	// key is the Idempotency-Key; nil: there is none.
	key *string
}

// checkKey checks that a key, which comes from a header, is visible ASCII.
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

// fingerprint is equal for equal requests of one user, however their JSON is formatted. It covers the user,
// because a client that runs in many browsers has many users, who may choose the same key.
func (t *request) fingerprint(from *sender) (sum [32]byte) {
	hash := sha256.New()
	for _, part := range []string{
		t.kind.String(), t.of, t.subtype, strconv.FormatBool(t.anonymous), from.user, from.named, string(canonical(t.input)),
	} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	hash.Sum(sum[:0])
	return sum
}

// canonical returns the canonical form of an input (RFC 8785).
func canonical(input any) []byte {
	text, err := json.Marshal(input)
	if err != nil {
		panic(err) // an input consists of JSON values
	}
	value := jsontext.Value(text)
	if err := value.Canonicalize(); err != nil {
		return text // of a number that is out of range
	}
	return value
}
