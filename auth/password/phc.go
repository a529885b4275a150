package password

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// parameters are the costs of a hash: memory in KiB, passes and lanes.
type parameters struct {
	memory uint32
	passes uint32
	lanes  uint8
}

// current are the parameters of new hashes. Existing hashes contain their own.
var current = parameters{memory: 19 * 1024, passes: 2, lanes: 1}

// Limits of stored hashes: the maximum costs, and the lengths of the parts in bytes.
const (
	maxMemory  = 128 * 1024
	maxPasses  = 16
	maxLanes   = 16
	saltBytes  = 16
	sumBytes   = 32
	minPart    = 8
	maxPart    = 64
	maxEncoded = 300
)

// hash is a stored password hash.
type hash struct {
	parameters
	salt, sum []byte
}

// decoy is verified in place of the hash of a user who has none.
var decoy = hash{parameters: current, salt: make([]byte, saltBytes), sum: make([]byte, sumBytes)}

// phcBase64 is the encoding of the PHC string format: unpadded and unique.
var phcBase64 = base64.RawStdEncoding.Strict()

// String returns the PHC string: $argon2id$v=19$m=19456,t=2,p=1$SALT$SUM.
func (h hash) String() string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes,
		phcBase64.EncodeToString(h.salt), phcBase64.EncodeToString(h.sum))
}

// errUnreadable does not quote the hash, so it may be logged.
var errUnreadable = errors.New("password: the stored hash is not an argon2id hash that this release supports")

// parse parses a PHC string in exactly the form that String returns.
func parse(encoded string) (hash, error) {
	var (
		h       hash
		version int
		rest    string
	)
	if len(encoded) > maxEncoded {
		return hash{}, errUnreadable
	}
	if _, err := fmt.Sscanf(encoded, "$argon2id$v=%d$m=%d,t=%d,p=%d$%s", &version, &h.memory, &h.passes, &h.lanes, &rest); err != nil {
		return hash{}, errUnreadable
	}
	if err := h.parts(rest); err != nil || version != argon2.Version || !h.affordable() || h.String() != encoded {
		return hash{}, errUnreadable
	}
	return h, nil
}

func (h *hash) parts(text string) error {
	salt, sum, _ := strings.Cut(text, "$")
	var err error
	if h.salt, err = phcBase64.DecodeString(salt); err != nil {
		return err
	}
	h.sum, err = phcBase64.DecodeString(sum)
	return err
}

// affordable reports whether the costs of a hash and the lengths of its parts are within limits.
func (h hash) affordable() bool {
	return h.memory >= 8*uint32(h.lanes) && h.memory <= maxMemory && h.passes >= 1 && h.passes <= maxPasses &&
		h.lanes >= 1 && h.lanes <= maxLanes &&
		len(h.salt) >= minPart && len(h.salt) <= maxPart && len(h.sum) >= 2*minPart && len(h.sum) <= maxPart
}
