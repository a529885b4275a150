package event

import (
	"crypto/rand"
	"encoding/binary"
)

// NewID returns an ID for an event received at this time (RFC 9562, section 5.7): the first 48 bits are the time, the rest
// except version and variant is random.
func NewID(received Instant) (id ID) {
	rand.Read(id[6:]) // never fails (crypto/rand)
	binary.BigEndian.PutUint16(id[:2], uint16(uint64(received)>>32))
	binary.BigEndian.PutUint32(id[2:6], uint32(uint64(received)))
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}
