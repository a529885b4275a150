package media

import (
	"bytes"
	"context"
	"crypto/hmac"
	"errors"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

// sealedPath is the prefix of files that stand for foreign URLs. The URL with its MAC follows, and the name of the file
// there, because some players look at the extension.
const sealedPath = "via/"

// seal returns a foreign URL as a file of the stream. It is valid as long as the stream's own URL, and for that stream
// only, so nobody can use the proxy for other URLs.
func (g grant) seal(address string) string {
	sealed := make([]byte, macLength, macLength+len(address))
	g.key.mac(sealed, g.expiry[:], g.id, address)
	return spelling.EncodeToString(append(sealed, address...)) + "/" + fileName(address)
}

// unseal reverses seal, and accepts nothing else.
func (g grant) unseal(file string) (address string, ok bool) {
	encoded, name, _ := strings.Cut(file, "/")
	if strings.ContainsAny(encoded, "\r\n") { // the decoder would skip them
		return "", false
	}
	sealed, err := spelling.DecodeString(encoded)
	if err != nil || len(sealed) <= macLength {
		return "", false
	}
	address = string(sealed[macLength:])
	var want [macLength]byte
	g.key.mac(want[:], g.expiry[:], g.id, address)
	return address, hmac.Equal(want[:], sealed[:macLength]) && name == fileName(address)
}

func fileName(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "file"
	}
	name := path.Base(u.Path)
	if strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") != "" ||
		strings.Trim(name, ".") == "" || len(name) > 100 {
		return "file"
	}
	return name
}

// The limits of rewritten playlists. Each reference becomes a whole address, so a small playlist with a long address
// could otherwise become very large.
const (
	// maxAddressBytes bounds the address of a playlist and each address in it. Common origins refuse longer ones. Sealed,
	// an address is a third longer, which is still far below the limit of requests to this service.
	maxAddressBytes = 8 << 10
	// maxSealedBytes bounds the sealed addresses of a playlist together. Twelve hours in segments of two seconds may have
	// addresses of 500 bytes each. A playlist of maxPlaylistBytes that names whole addresses needs about half of it.
	maxSealedBytes = 4 * maxPlaylistBytes
)

var errLongAddress = errors.New("media: an address of the playlist is too long")

// rewritePlaylist seals the URLs of a playlist that came from base: lines that are not tags or comments, and the URI
// attributes of tags. Other than web URLs (keys within the playlist, key systems) remain unchanged. The error says that
// the playlist exceeds a limit, or that the context has ended.
func rewritePlaylist(ctx context.Context, playlist []byte, base *url.URL, seal func(string) string) ([]byte, error) {
	if len(base.String()) > maxAddressBytes {
		return nil, errLongAddress
	}
	s := sealing{base: base, seal: seal, left: maxSealedBytes}
	b := make([]byte, 0, 3*len(playlist))
	for line := range strings.Lines(string(playlist)) {
		content := strings.TrimRight(line, "\r\n")
		var err error
		switch {
		case strings.HasPrefix(content, "#EXT"):
			b, err = s.appendTag(ctx, b, content)
		case content == "" || content[0] == '#':
			b = append(b, content...)
		default:
			b, err = s.appendReference(ctx, b, content)
		}
		if err != nil {
			return nil, err
		}
		b = append(b, line[len(content):]...)
	}
	return b, nil
}

// sealing seals the references of one playlist.
type sealing struct {
	base *url.URL
	seal func(address string) string
	left int // how many bytes further sealed addresses may have
}

// appendTag appends a tag with its URI attribute sealed. Attributes are a comma-separated list; quoted values contain
// no quotes.
func (s *sealing) appendTag(ctx context.Context, b []byte, tag string) ([]byte, error) {
	rest := tag
	for {
		at := strings.Index(rest, `URI="`)
		if at < 0 {
			return append(b, rest...), nil
		}
		start := at + len(`URI="`)
		length := strings.IndexByte(rest[start:], '"')
		if length < 0 {
			return append(b, rest...), nil
		}
		reference := rest[start : start+length]
		b = append(b, rest[:start]...)
		if at > 0 && (rest[at-1] == ':' || rest[at-1] == ',') { // not the end of another name
			var err error
			if b, err = s.appendReference(ctx, b, reference); err != nil {
				return nil, err
			}
		} else {
			b = append(b, reference...)
		}
		rest = rest[start+length:]
	}
}

func (s *sealing) appendReference(ctx context.Context, b []byte, reference string) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	parsed, err := s.base.Parse(strings.TrimSpace(reference))
	if err != nil || !isWeb(parsed) {
		return append(b, reference...), nil
	}
	address := parsed.String()
	if len(address) > maxAddressBytes {
		return nil, errLongAddress
	}
	sealed := s.seal(address)
	if s.left -= len(sealed); s.left < 0 {
		return nil, errors.New("media: the addresses of the playlist are too long together")
	}
	return append(b, sealed...), nil
}

// The tags of media playlists that repeated reads and writes (RFC 8216, section 4.3).
const (
	tagSegment       = "#EXTINF:"
	tagDiscontinuity = "#EXT-X-DISCONTINUITY"
	tagEnd           = "#EXT-X-ENDLIST"
)

// repeated returns a media playlist whose segments repeat until they reach a length; the last segment may exceed it.
// Each repetition begins with a discontinuity, because its timestamps start again. A master playlist, which has no
// segments, and a playlist that is long enough are returned unchanged.
func repeated(playlist asset, length catalogue.Duration) asset {
	head, segments, isMedia := strings.Cut(string(playlist.content), tagSegment)
	segments, _, _ = strings.Cut(segments, tagEnd)
	once := strings.Split(segments, tagSegment)
	b := []byte(head)
	var reached catalogue.Duration
	for i := 0; isMedia && (i < len(once) || reached < length); i++ {
		segment := once[i%len(once)]
		if i > 0 && i%len(once) == 0 {
			b = append(b, tagDiscontinuity+"\n"...)
		}
		b = append(append(b, tagSegment...), segment...)
		reached += segmentLength(segment)
	}
	if reached == 0 || bytes.Count(b, []byte(tagSegment)) == len(once) {
		return playlist
	}
	return newAsset(append(b, tagEnd+"\n"...), playlistType)
}

// segmentLength returns the duration of a segment, whose text follows its #EXTINF: tag.
func segmentLength(segment string) catalogue.Duration {
	seconds, _, _ := strings.Cut(segment, ",")
	n, err := strconv.ParseFloat(seconds, 64)
	must(err)
	return catalogue.Duration(n * float64(catalogue.Second))
}
