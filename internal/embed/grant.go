package embed

import (
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Path is the prefix of the paths of all embeds.
const Path = "/embed/"

// The maximum and default lifetimes of an embed URL.
const (
	MinLife     = time.Minute
	MaxLife     = 31 * 24 * time.Hour
	DefaultLife = 24 * time.Hour
)

// MaxOrigins is the maximum number of origins in an embed URL. It keeps the URL short enough for browsers and
// proxies.
const MaxOrigins = 20

// Grant is the content of an embed URL.
type Grant struct {
	Video catalogue.ID
	// Client is the client that created the URL. Playback is reported on its behalf.
	Client string
	// User is the ID of the user on whose behalf the client created the URL; "" if none.
	User string
	// Issued and Expires are in whole seconds.
	Issued, Expires time.Time
	// Start and End delimit the played segment in seconds; an End of 0 is the end of the video.
	Start, End float64
	// Origins restrict the URL to some of the account's origins; nil means all origins that the account has when the
	// URL is opened.
	Origins []string
}

// The parameters of an embed URL. It has no others.
const (
	clientParameter    = "client"
	userParameter      = "user"
	issuedParameter    = "issued"
	expiresParameter   = "expires"
	startParameter     = "start"
	endParameter       = "end"
	originParameter    = "origin"
	signatureParameter = "signature"
)

// query returns the signed text, in its only order and encoding.
func (g Grant) query() string {
	values := url.Values{
		clientParameter:  {g.Client},
		issuedParameter:  {strconv.FormatInt(g.Issued.Unix(), 10)},
		expiresParameter: {strconv.FormatInt(g.Expires.Unix(), 10)},
	}
	if g.User != "" {
		values.Set(userParameter, g.User)
	}
	if g.Start > 0 {
		values.Set(startParameter, seconds(g.Start))
	}
	if g.End > 0 {
		values.Set(endParameter, seconds(g.End))
	}
	if len(g.Origins) > 0 {
		values[originParameter] = g.Origins
	}
	return values.Encode()
}

// Fingerprint identifies the grant's URL with 16 characters, independent of the signing key.
func (g Grant) Fingerprint() string {
	sum := sha256.Sum256([]byte(string(g.Video) + "?" + g.query()))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func seconds(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// parseGrant parses the parameters of an embed URL; ok is false if they are invalid.
func parseGrant(video catalogue.ID, values url.Values) (Grant, bool) {
	g := Grant{Video: video, Client: values.Get(clientParameter), User: values.Get(userParameter), Origins: values[originParameter]}
	readable := video.Valid() && g.Client != "" && len(g.Origins) <= MaxOrigins
	for name, given := range values {
		var err error
		switch name {
		case issuedParameter:
			g.Issued, err = parseTime(given[0])
		case expiresParameter:
			g.Expires, err = parseTime(given[0])
		case startParameter:
			g.Start, err = strconv.ParseFloat(given[0], 64)
		case endParameter:
			g.End, err = strconv.ParseFloat(given[0], 64)
		case clientParameter, userParameter, originParameter, signatureParameter:
		default:
			return Grant{}, false
		}
		readable = readable && err == nil && (len(given) == 1 || name == originParameter)
	}
	return g, readable && isPosition(g.Start) && isPosition(g.End)
}

func isPosition(n float64) bool { return n >= 0 && !math.IsInf(n, 0) && !math.IsNaN(n) }

func parseTime(text string) (time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}
