package resolvers

import (
	"bytes"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/store"
)

// Asked is told what accounts search for and what they click after it, and knows what several of them share. None of
// its methods waits for a store.
type SearchRecorder interface {
	// Searched notes a search of an account whose answer is known: the text as typed, whether filters were set,
	// and how many videos were found.
	Searched(by *account.Account, text string, filtered bool, found int)
	// Clicked notes that a video was clicked after a search for a text.
	Clicked(by *account.Account, text, video string)
	// Shared are the texts that enough accounts have searched for, the most shared first. They must not be changed.
	Shared() []store.SharedSearch
}

// noteSearch notes the first page of a search with a text.
func (r *resolver) noteSearch(by *account.Caller, text *string, filter *graph.VideoFilter, page, found int) {
	if r.asked == nil || by.Account == nil || by.Permissions.Has(account.Operate) || page > 0 || text == nil {
		return
	}
	filtered := filter != nil && !reflect.ValueOf(filter).Elem().IsZero()
	r.asked.Searched(by.Account, *text, filtered, found)
}

// noteClicks notes the videos that stored events tell of, each once for each search that it came from: a batch has
// many events of one. What strangers say that they searched for is nothing of the account's.
// Searches do not show hidden videos, so there are no clicks on them.
func (r *resolver) noteClicks(by *account.Caller, told []event.Event) {
	if r.asked == nil || by.Account == nil || by.Stranger() || by.Permissions.Has(account.Operate) {
		return
	}
	type click struct{ text, video string }
	var noted map[click]bool
	for i := range told {
		e := &told[i]
		if e.Video == "" || e.Hidden || e.Kind != event.Playback && e.Kind != event.VideoInteraction {
			continue
		}
		one := click{searchedBefore(e), e.Video}
		if one.text == "" || noted[one] {
			continue
		}
		if noted == nil {
			noted = map[click]bool{}
		}
		noted[one] = true
		r.asked.Clicked(by.Account, one.text, one.video)
	}
}

// queryMember is what clients call the text that they searched for.
const queryMember = "query"

// searchedBefore is the text of the search that an event came from: what the client says, else that of the page's
// address; "": none is known.
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
