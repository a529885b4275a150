package media

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"hash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// StreamsPath is the prefix of the paths of all streams.
const StreamsPath = "/v1/streams/"

// playlistFile is the file that links to a stream name.
const playlistFile = "playlist.m3u8"

// A token is the expiry, in seconds since 1970, and the MAC over expiry and video. Together they are a multiple of
// three bytes, so their base64 has neither padding nor unused bits, and each token has one spelling.
const (
	expiryLength = 5
	macLength    = 16
	tokenLength  = (expiryLength + macLength) / 3 * 4
)

// leastKeyLength is the minimum length of a key in bytes.
const leastKeyLength = 16

var spelling = base64.RawURLEncoding.Strict()

// Signer signs and verifies the URLs of streams. It is safe for concurrent use.
type Signer struct {
	documentLife time.Duration
	keys         atomic.Pointer[[]*signingKey] // the newest first
}

// NewSigner returns a Signer with at least one key, the newest first: the newest signs, all verify. documentLife is how
// long a document with a URL may be cached.
func NewSigner(keys []account.Key, documentLife time.Duration) (*Signer, error) {
	s := &Signer{documentLife: documentLife}
	return s, s.Rotate(keys)
}

// Rotate replaces the keys, the newest first. Signatures of removed keys become invalid.
func (s *Signer) Rotate(keys []account.Key) error {
	if len(keys) == 0 {
		return errors.New("media: streams cannot be signed without a key")
	}
	prepared := make([]*signingKey, len(keys))
	for i, key := range keys {
		if len(key.Secret) < leastKeyLength {
			return errors.New("media: the stream key " + key.ID + " is too short")
		}
		prepared[i] = newSigningKey(key.Secret)
	}
	s.keys.Store(&prepared)
	return nil
}

// expiry returns the expiry of URLs signed now: the end of the current hour plus 48 hours plus the time that a document
// may be cached, so that a URL is valid for at least 48 hours after it is read, and the URLs of one hour are equal.
func (s *Signer) expiry(now time.Time) int64 {
	endOfHour := (now.Unix()/3600 + 1) * 3600
	return endOfHour + int64((48*time.Hour+s.documentLife)/time.Second)
}

// Sign returns the path of a video's stream: its playlist, below the base URL. It is the same throughout an hour. The
// ID must be valid.
func (s *Signer) Sign(id catalogue.ID, now time.Time) string {
	var b [len(StreamsPath) + tokenLength + 1 + catalogue.IDLength + 1 + len(playlistFile)]byte
	return string(s.AppendPath(b[:0], []byte(id), now))
}

// AppendPath appends the result of Sign for an ID. It builds the token in the space behind its text, which the rest of
// the path overwrites, so that a page with a hundred of them needs no allocations.
func (s *Signer) AppendPath(b, id []byte, now time.Time) []byte {
	b = append(b, StreamsPath...)
	var space [tokenLength + expiryLength + macLength]byte
	text, token := len(b), len(b)+tokenLength
	b = append(b, space[:]...)
	putExpiry(b[token:], s.expiry(now))
	(*s.keys.Load())[0].sign(b[token+expiryLength:], [expiryLength]byte(b[token:]), id)
	spelling.Encode(b[text:token], b[token:])
	b = append(append(b[:token], '/'), id...)
	return append(append(b, '/'), playlistFile...)
}

// Verify verifies the token of a stream URL. The error is a *fault.Error with code Forbidden, for a URL that was never
// signed or, only if it was signed, has expired.
func (s *Signer) Verify(token string, id catalogue.ID, now time.Time) error {
	_, err := s.verify(token, id, now)
	return err
}

// grant is a verified token.
type grant struct {
	key    *signingKey
	expiry [expiryLength]byte
	id     catalogue.ID
}

func (s *Signer) verify(token string, id catalogue.ID, now time.Time) (grant, error) {
	var decoded [expiryLength + macLength]byte
	if len(token) != tokenLength || !id.Valid() {
		return grant{}, errNotSigned()
	}
	// Decode skips line breaks, which would give a token a second spelling.
	if n, err := spelling.Decode(decoded[:], []byte(token)); err != nil || n != len(decoded) {
		return grant{}, errNotSigned()
	}
	g := grant{id: id, expiry: [expiryLength]byte(decoded[:])}
	for _, key := range *s.keys.Load() {
		var want [macLength]byte
		key.sign(want[:], g.expiry, []byte(id))
		if hmac.Equal(want[:], decoded[expiryLength:]) {
			g.key = key
		}
	}
	if g.key == nil {
		return grant{}, errNotSigned()
	}
	if now.After(time.Unix(readExpiry(g.expiry[:]), 0)) {
		return grant{}, &fault.Error{
			Code: fault.Forbidden, Label: "Stream address expired",
			Message: "this stream address has expired: read the video again for a new one",
		}
	}
	return g, nil
}

func errNotSigned() error {
	return &fault.Error{
		Code: fault.Forbidden, Label: "Invalid stream address",
		Message: "this stream address was not signed by this service: use the one that the video's hlsStream link gives",
	}
}

func putExpiry(b []byte, seconds int64) {
	b[0] = byte(seconds >> 32)
	binary.BigEndian.PutUint32(b[1:], uint32(seconds))
}

func readExpiry(b []byte) int64 {
	return int64(b[0])<<32 | int64(binary.BigEndian.Uint32(b[1:]))
}

// signingKey is a key with initialized hashes, because initializing one costs a third of computing one.
type signingKey struct {
	hashes sync.Pool
	last   atomic.Pointer[hourKey]
}

// hourKey signs the URLs that expire at one moment.
type hourKey struct {
	expiry [expiryLength]byte
	block  cipher.Block
}

// sign fills out, macLength bytes, with the signature of a video's URL. A page has a hundred of them, so a signature is
// one AES block instead of two hashes: AES under a key for each expiry, over the ID, which always has 12 bytes. For
// messages of one block, AES itself is a MAC (CBC-MAC of a fixed length, NIST SP 800-38B section 6 without the padding
// that only other lengths need).
func (k *signingKey) sign(out []byte, expiry [expiryLength]byte, id []byte) {
	hour := k.last.Load()
	if hour == nil || hour.expiry != expiry {
		hour = k.keyFor(expiry)
		k.last.Store(hour)
	}
	out = out[:aes.BlockSize]
	clear(out)
	_, _ = hex.Decode(out, id[:catalogue.IDLength]) // a valid ID is hexadecimal
	hour.block.Encrypt(out, out)
}

// hourKeyLabel separates the derivation of keys from seals of URLs, whose messages are longer because they contain an
// ID.
const hourKeyLabel = "key of an hour"

func (k *signingKey) keyFor(expiry [expiryLength]byte) *hourKey {
	var derived [aes.BlockSize]byte
	k.mac(derived[:], expiry[:], "", hourKeyLabel)
	block, err := aes.NewCipher(derived[:])
	if err != nil { // only a key of another length fails
		panic(err)
	}
	return &hourKey{expiry: expiry, block: block}
}

type macHash struct {
	hash.Hash
	buffer []byte
}

func newSigningKey(secret []byte) *signingKey {
	k := &signingKey{}
	k.hashes.New = func() any {
		return &macHash{Hash: hmac.New(sha256.New, secret), buffer: make([]byte, 0, sha256.Size)}
	}
	return k
}

// mac fills out with the MAC over expiry, ID and URL. The first two have a fixed length, so no two triples share a
// message.
func (k *signingKey) mac(out, expiry []byte, id catalogue.ID, address string) {
	h := k.hashes.Get().(*macHash)
	h.Reset()
	message := append(append(append(h.buffer[:0], expiry...), id...), address...)
	h.Write(message)
	h.buffer = h.Sum(message[:0])
	copy(out, h.buffer)
	k.hashes.Put(h)
}
