package media

import (
	"crypto/hmac"
	"net/url"
	"path"
	"strings"
)

// sealedPath begins the files that stand for foreign addresses. Behind it come the address with its
// MAC, and the name of the file there, so that players that look at extensions find one.
const sealedPath = "via/"

// seal writes a foreign address as a file of the stream. It is good as long as the stream's own
// address, and for that stream only: nobody else's address passes through the proxy.
func (g grant) seal(address string) string {
	sealed := make([]byte, macLength, macLength+len(address))
	g.key.mac(sealed, g.expiry[:], g.id, address)
	return spelling.EncodeToString(append(sealed, address...)) + "/" + fileName(address)
}

// unseal reads what seal wrote, and nothing else.
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

// rewritePlaylist seals the addresses of a playlist that came from base: its lines that are no tags
// or comments, and the URI attributes of its tags. What leads elsewhere than to the web (keys in
// the playlist itself, key systems) stays as it is.
func rewritePlaylist(playlist []byte, base *url.URL, seal func(string) string) []byte {
	b := make([]byte, 0, 3*len(playlist))
	for line := range strings.Lines(string(playlist)) {
		content := strings.TrimRight(line, "\r\n")
		switch {
		case strings.HasPrefix(content, "#EXT"):
			b = appendTag(b, content, base, seal)
		case content == "" || content[0] == '#':
			b = append(b, content...)
		default:
			b = append(b, sealReference(content, base, seal)...)
		}
		b = append(b, line[len(content):]...)
	}
	return b
}

// appendTag appends a tag with its URI attribute sealed. Attributes are a comma list; quoted values
// hold no quotes.
func appendTag(b []byte, tag string, base *url.URL, seal func(string) string) []byte {
	rest := tag
	for {
		at := strings.Index(rest, `URI="`)
		if at < 0 {
			return append(b, rest...)
		}
		start := at + len(`URI="`)
		length := strings.IndexByte(rest[start:], '"')
		if length < 0 {
			return append(b, rest...)
		}
		reference := rest[start : start+length]
		if at > 0 && (rest[at-1] == ':' || rest[at-1] == ',') { // not the end of another name
			reference = sealReference(reference, base, seal)
		}
		b = append(append(b, rest[:start]...), reference...)
		rest = rest[start+length:]
	}
}

func sealReference(reference string, base *url.URL, seal func(string) string) string {
	address, err := base.Parse(strings.TrimSpace(reference))
	if err != nil || !isWeb(address) {
		return reference
	}
	return seal(address.String())
}
