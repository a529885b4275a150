package export

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	fastjson "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/event"
)

// details are the members that the API defines for single kinds of events, in addition to the members of every event.
type details struct {
	// Player interactions.
	CurrentTime jsontext.Value `json:"currentTime"`
	Payload     jsontext.Value `json:"payload"`
	// Page renders.
	URL      *string   `json:"url"`
	Viewport *viewport `json:"viewport"`
	IsResize *bool     `json:"isResize"`
	// Search completions.
	SearchQuery  *string  `json:"searchQuery"`
	Impressions  []string `json:"impressions"`
	ComponentID  *string  `json:"componentId"`
	CompletionID *string  `json:"completionId"`
	SearchURL    *string  `json:"searchUrl"`
	// Collection interactions.
	CollectionID *string `json:"collectionId"`
}

type viewport struct {
	Width  *int64 `json:"width" parquet:"width,optional"`
	Height *int64 `json:"height" parquet:"height,optional"`
}

// detailsOf decodes the details of an event.
func detailsOf(e *event.Event) (d details, err error) {
	if len(e.Details) == 0 {
		return d, nil
	}
	if err := fastjson.Unmarshal(e.Details, &d); err != nil {
		return d, fmt.Errorf("the event at position %d: %w", e.Position, err)
	}
	return d, nil
}

// known are members that players are known to send in addition to those of the API.
type known struct {
	// Duration is the duration of the video in seconds.
	Duration jsontext.Value `json:"videoDurationSeconds"`
	// Player identifies one player on one page.
	Player jsontext.Value `json:"playerId"`
	// Speed and Language are members of a player's payload.
	Speed    jsontext.Value `json:"speed"`
	Language jsontext.Value `json:"language"`
}

// knownOf returns the known members of an object. Clients send arbitrary JSON: knownOf ignores an object that it cannot
// decode.
func knownOf(object []byte) (k known) {
	if len(object) == 0 || fastjson.Unmarshal(object, &k) != nil {
		return known{}
	}
	return k
}

// number returns a JSON number that is not negative, or nil for any other value.
func number(value jsontext.Value) json.RawMessage {
	if len(value) == 0 || value.Kind() != '0' || value[0] == '-' {
		return nil
	}
	return json.RawMessage(value)
}

// thousandths converts seconds to milliseconds. It returns nil if there is no number, or if the number exceeds
// event.MaxSeconds.
func thousandths(seconds []byte) *int64 {
	f, err := strconv.ParseFloat(string(seconds), 64)
	if err != nil || f > event.MaxSeconds {
		return nil
	}
	n := int64(math.Round(f * 1000)) // exact, because events have at most three decimals
	return &n
}

// text returns the text of a JSON string, or "" for any other value.
func text(value jsontext.Value) string {
	if len(value) == 0 || value.Kind() != '"' {
		return ""
	}
	b, err := jsontext.AppendUnquote(nil, value)
	if err != nil {
		return ""
	}
	return string(b)
}

// deref returns the text, or "" if it is nil.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
