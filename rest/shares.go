package rest

import (
	"bytes"
	"net/http"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// shareLink is what the events say, of videos and of collections, that tell of a link that somebody has shared.
const shareLink = "SHARE_LINK"

// recordVideoShare answers POST /v1/videos/{id}/track-share-link; it needs no body.
func recordVideoShare(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["videoId"], values["type"] = idIn(r), shareLink
	return recordEvent("RecordVideoInteraction", event.MaxBody)(f, r, values)
}

// recordCollectionShare answers POST /v1/collections/{id}/track-share-link; it needs no body.
func recordCollectionShare(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if err := readEvent(r, event.MaxBody, values); err != nil {
		return nil, err
	}
	values["id"], values["event"] = idIn(r), sayingShared(values["event"].(event.Body))
	return f.record(r, "RecordCollectionInteraction", values)
}

// sayingShared is a body with the subtype that its address stands for. What is no object stays what it is: the
// domain says what is wrong with it.
func sayingShared(body event.Body) event.Body {
	const subtype = `{"subtype":"` + shareLink + `"`
	said := bytes.TrimSpace(body)
	if len(said) == 0 || string(said) == "null" {
		return event.Body(subtype + "}")
	}
	members, isObject := bytes.CutPrefix(said, []byte("{"))
	switch members = bytes.TrimSpace(members); {
	case !isObject:
		return body
	case bytes.HasPrefix(members, []byte("}")):
		return event.Body(subtype + string(members))
	}
	return event.Body(subtype + "," + string(members))
}
