package secondfactor

import (
	"crypto/rand"
	"encoding/base32"
	"fmt"
	"net/url"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// unpadded is the encoding of secrets and recovery codes.
var unpadded = base32.StdEncoding.WithPadding(base32.NoPadding)

// secretBytes is the length of a secret: 160 bits, as RFC 4226 section 4 recommends.
const secretBytes = 20

// NewSecret returns a random secret in base32.
func NewSecret() string { return randomText(secretBytes) }

func randomText(bytes int) string {
	random := make([]byte, bytes)
	rand.Read(random) // never fails (crypto/rand)
	return unpadded.EncodeToString(random)
}

// The longest issuer and username of an address in characters. With them, a QR code can hold every address.
const (
	maxIssuer   = 40
	maxUsername = 80
)

// Address returns the otpauth address by which an app takes over a secret. The app shows issuer and username, shortened if
// they are long.
func Address(issuer, username, secret string) string {
	issuer = shortened(strings.ReplaceAll(issuer, ":", ""), maxIssuer) // a colon separates issuer and username
	username = shortened(username, maxUsername)
	query := "secret=" + secret + "&issuer=" + url.PathEscape(issuer) + "&algorithm=SHA1&digits=6&period=30"
	return (&url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + username, RawQuery: query}).String()
}

func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

// quiet is the width of the margin around a QR code in modules (ISO/IEC 18004).
const quiet = 4

// QRCode returns a text as a QR code, an SVG element without styles and scripts. The error says that the text is too long.
func QRCode(text string) (string, error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return "", fmt.Errorf("secondfactor: %w", err)
	}
	size := code.Bounds().Dx()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]d %[1]d" role="img" aria-label="QR code"><path fill="#fff" d="M0 0h%[1]dv%[1]dH0z"/><path fill="#000" d="`, size+2*quiet)
	for y := range size {
		for x := range size {
			if red, _, _, _ := code.At(x, y).RGBA(); red == 0 {
				fmt.Fprintf(&b, "M%d %dh1v1h-1z", x+quiet, y+quiet)
			}
		}
	}
	b.WriteString(`"/></svg>`)
	return b.String(), nil
}

// Grouped returns a secret in groups of four characters, in which people type it.
func Grouped(secret string) string {
	var groups []string
	for at := 0; at < len(secret); at += 4 {
		groups = append(groups, secret[at:min(at+4, len(secret))])
	}
	return strings.Join(groups, " ")
}
