package rest

import (
	"bytes"
	"net/http"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// shareLink is the subtype of events for a shared link of a video or collection.
const shareLink = "SHARE_LINK"

// recordVideoShare serves POST /v1/videos/{id}/track-share-link; the body is optional.
func recordVideoShare(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["videoId"], values["type"] = idIn(r), shareLink
	return recordEvent("RecordVideoInteraction", event.MaxBody)(f, r, values)
}

// recordCollectionShare serves POST /v1/collections/{id}/track-share-link; the body is optional.
func recordCollectionShare(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if err := readEvent(r, event.MaxBody, values); err != nil {
		return nil, err
	}
	values["id"], values["event"] = idIn(r), sayingShared(values["event"].(event.Body))
	return f.record(r, "RecordCollectionInteraction", values)
}

// sayingShared adds the subtype, which the address implies, to a body. It returns a body that is not an object unchanged, so
// that the domain reports the error.
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
