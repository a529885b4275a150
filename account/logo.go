package account

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	_ "image/jpeg" // the formats of logos
	_ "image/png"

	_ "golang.org/x/image/webp" // registers the format

	"github.com/filmstrip/filmstrip/fault"
)

const (
	// MaxLogoBytes is the maximum size of a logo in bytes.
	MaxLogoBytes = 64 << 10
	// MaxLogoSide is the maximum width and height of a logo in pixels.
	MaxLogoSide = 2048
)

// Logo is the image that the sign-in pages show for an account. It never changes: a new image is a new logo, so that
// browsers may keep it. SVG images are refused, because they can contain scripts.
type Logo struct {
	// ID is the SHA-256 sum of the account's ID and the image, in 64 lower-case hexadecimal characters.
	ID string `json:"id"`
	Meta
	AccountID string `json:"accountId"`
	// MediaType is image/png, image/jpeg or image/webp.
	MediaType string `json:"mediaType"`
	Data      []byte `json:"data,omitempty"`
}

// LogoInfo describes an account's logo without its data.
type LogoInfo struct {
	ID        string `json:"id"`
	MediaType string `json:"mediaType"`
	// Bytes is the size of the image.
	Bytes int `json:"bytes"`
}

// NewLogo returns the logo of an account. If the image may not be a logo, problem says why.
func NewLogo(accountID string, data []byte) (logo *Logo, problem string) {
	mediaType, problem := checkImage(data)
	if problem != "" {
		return nil, problem
	}
	return &Logo{ID: logoID(accountID, data), AccountID: accountID, MediaType: mediaType, Data: data}, ""
}

func logoID(accountID string, data []byte) string {
	sum := sha256.Sum256(append([]byte(NameOf(accountID)), data...))
	return hex.EncodeToString(sum[:])
}

// checkImage decodes an image and returns its media type, or a problem.
func checkImage(data []byte) (mediaType, problem string) {
	if len(data) > MaxLogoBytes {
		return "", fmt.Sprintf("the image has %d bytes; the maximum is %d", len(data), MaxLogoBytes)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return "", "the image is not PNG, JPEG or WebP, or it is damaged; SVG is not accepted"
	}
	if config.Width > MaxLogoSide || config.Height > MaxLogoSide {
		return "", fmt.Sprintf("the image has %d x %d pixels; the maximum is %d x %d", config.Width, config.Height, MaxLogoSide, MaxLogoSide)
	}
	if _, _, err := image.Decode(bytes.NewReader(data)); err != nil {
		return "", "the image is damaged: " + err.Error()
	}
	return "image/" + format, ""
}

// Info returns the description of the logo.
func (l *Logo) Info() *LogoInfo {
	return &LogoInfo{ID: l.ID, MediaType: l.MediaType, Bytes: len(l.Data)}
}

// Key returns the logo's key.
func (l *Logo) Key() EntityKey { return EntityKey{KindLogo, l.ID} }

// Owner returns the ID of the account.
func (l *Logo) Owner() string { return l.AccountID }

// Validate checks all fields.
func (l *Logo) Validate() fault.FieldErrors {
	var f faults
	f.id("accountId", l.AccountID)
	mediaType, problem := checkImage(l.Data)
	switch {
	case problem != "":
		f.Add("logo", "%s", problem)
	case mediaType != l.MediaType:
		f.Add("mediaType", "%q is not that of the image, %q", l.MediaType, mediaType)
	case l.ID != logoID(l.AccountID, l.Data):
		f.Add("id", "is not the sum of the image")
	}
	return f.List()
}

// Redacted returns a copy without the image, which would make the audit log large.
func (l *Logo) Redacted() Entity {
	shown := *l
	shown.Data = nil
	return &shown
}
