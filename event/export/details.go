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

// details are what the API defines for kinds of events beside what every event may have, by its names.
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

// detailsOf reads an event's details.
func detailsOf(e *event.Event) (d details, err error) {
	if len(e.Details) == 0 {
		return d, nil
	}
	if err := fastjson.Unmarshal(e.Details, &d); err != nil {
		return d, fmt.Errorf("the event at position %d: %w", e.Position, err)
	}
	return d, nil
}

// known are members that players are known to send along.
type known struct {
	// Duration is the video's, in seconds.
	Duration jsontext.Value `json:"videoDurationSeconds"`
	// Player names one player on one page.
	Player jsontext.Value `json:"playerId"`
	// Speed, Language and Kind are of a player's payload.
	Speed    jsontext.Value `json:"speed"`
	Language jsontext.Value `json:"language"`
}

// knownOf reads what an object holds of them. What came along is anything: what cannot be read is not there.
func knownOf(object []byte) (k known) {
	if len(object) == 0 || fastjson.Unmarshal(object, &k) != nil {
		return known{}
	}
	return k
}

// number is a JSON number that is not negative, nil for another value.
func number(value jsontext.Value) json.RawMessage {
	if len(value) == 0 || value.Kind() != '0' || value[0] == '-' {
		return nil
	}
	return json.RawMessage(value)
}

// thousandths are those of a number of seconds; nil where there is none, or one longer than events can be.
func thousandths(seconds []byte) *int64 {
	f, err := strconv.ParseFloat(string(seconds), 64)
	if err != nil || f > event.MaxSeconds {
		return nil
	}
	n := int64(math.Round(f * 1000)) // exact: events have three decimals at the most
	return &n
}

// text is a JSON string's, "" for another value.
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

// deref is "" for a text that is not there.
func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
