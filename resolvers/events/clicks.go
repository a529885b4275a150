package events

import (
	"bytes"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
)

// logClicks records the videos of stored events that followed a search, each once for each text, because a batch has many
// events of one video. Visitors of embeds could claim any search, so their events do not count. Searches do not find
// hidden videos.
func (r *Resolver) logClicks(by *account.Caller, stored []event.Event) {
	if r.Clicks == nil || by.Account == nil || by.Stranger() || by.Permissions.Has(account.Operate) {
		return
	}
	type click struct{ text, video string }
	var logged map[click]bool
	for i := range stored {
		e := &stored[i]
		if e.Video == "" || e.Hidden || e.Kind != event.Playback && e.Kind != event.VideoInteraction {
			continue
		}
		one := click{searchedBefore(e), e.Video}
		if one.text == "" || logged[one] {
			continue
		}
		if logged == nil {
			logged = map[click]bool{}
		}
		logged[one] = true
		r.Clicks.Clicked(by.Account, one.text, one.video)
	}
}

// queryMember is the name under which clients report the text of a search.
const queryMember = "query"

// searchedBefore returns the text of the search that led to an event: the one that the client reports, or else that in
// the address of the page. It returns "" if neither has one.
func searchedBefore(e *event.Event) string {
	if bytes.Contains(e.Metadata, []byte(queryMember)) {
		var members map[string]jsontext.Value
		if json.Unmarshal(e.Metadata, &members) == nil && members[queryMember].Kind() == '"' {
			var text string
			if json.Unmarshal(members[queryMember], &text) == nil && text != "" {
				return text
			}
		}
	}
	if !strings.Contains(e.Referer, "?") {
		return ""
	}
	page, err := url.Parse(e.Referer)
	if err != nil {
		return ""
	}
	parameters := page.Query()
	if text := parameters.Get(queryMember); text != "" {
		return text
	}
	return parameters.Get("q")
}
