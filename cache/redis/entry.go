package redis

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"

	"github.com/filmstrip/filmstrip/cache"
)

// An entry in Redis consists of a header and the value. The header consists of the mark, the version (8 bytes), the
// length of the value (4 bytes), and a checksum (8 bytes) over the key, the preceding header fields, and the value.
// Numbers are big-endian. The scripts read the mark and the version.
const (
	mark = "fsc\x01" // the last byte is the number of the format

	versionAt  = len(mark)
	lengthAt   = versionAt + 8
	checksumAt = lengthAt + 4
	headerSize = checksumAt + 8
)

func encode(item *cache.Item) []byte {
	b := make([]byte, 0, headerSize+len(item.Value))
	b = append(b, mark...)
	b = binary.BigEndian.AppendUint64(b, uint64(item.Version))
	b = binary.BigEndian.AppendUint32(b, uint32(len(item.Value)))
	b = binary.BigEndian.AppendUint64(b, checksum(item.Key, b, item.Value))
	return append(b, item.Value...)
}

// decode returns the entry of a key, whose value is a slice of b. It returns false if b is not a valid entry of the
// key.
func decode(key string, b []byte) (cache.Entry, bool) {
	if len(b) < headerSize || string(b[:versionAt]) != mark {
		return cache.Entry{}, false
	}
	e := cache.Entry{Version: int64(binary.BigEndian.Uint64(b[versionAt:])), Value: b[headerSize:]}
	sound := e.Version > 0 &&
		uint64(binary.BigEndian.Uint32(b[lengthAt:])) == uint64(len(e.Value)) &&
		binary.BigEndian.Uint64(b[checksumAt:]) == checksum(key, b[:checksumAt], e.Value)
	if !sound {
		return cache.Entry{}, false
	}
	return e, true
}

func checksum(key string, head, value []byte) uint64 {
	var length [4]byte
	binary.BigEndian.PutUint32(length[:], uint32(len(key)))
	var digest xxhash.Digest
	digest.Reset()
	_, _ = digest.Write(length[:])
	_, _ = digest.WriteString(key)
	_, _ = digest.Write(head)
	_, _ = digest.Write(value)
	return digest.Sum64()
}
