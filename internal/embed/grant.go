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

// Path is what the paths of all embeds begin with.
const Path = "/embed/"

// How long an address may hold, and does where nothing is said.
const (
	MinLife     = time.Minute
	MaxLife     = 31 * 24 * time.Hour
	DefaultLife = 24 * time.Hour
)

// MaxOrigins is how many origins an address may name, so that it stays one that browsers and proxies take.
const MaxOrigins = 20

// Grant is what an address allows.
type Grant struct {
	Video catalogue.ID
	// Client is who made the address; what is played under it is told in the client's name.
	Client string
	// User is the ID of the user on whose behalf the client made it; "": none.
	User string
	// Issued and Expires are when it was made and ends, in whole seconds.
	Issued, Expires time.Time
	// Start and End are the segment that is played, in seconds of the video; an End of 0 is the video's.
	Start, End float64
	// Origins are those of the account's that may show it; nil: all of them, as they are then.
	Origins []string
}

// The parameters of an address. It has no others.
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

// query writes what is signed, in its one order and spelling.
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

// Fingerprint identifies the address that a grant is written as: 16 characters, the same for the same grant whichever
// key signs it.
func (g Grant) Fingerprint() string {
	sum := sha256.Sum256([]byte(string(g.Video) + "?" + g.query()))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

func seconds(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// read reads a grant out of the parameters of an address; false where they are not those of one.
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
