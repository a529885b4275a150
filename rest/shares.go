package rest

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/internal/jsonobject"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// shareLink is the subtype of events for a shared link of a video or collection.
const shareLink = "SHARE_LINK"

// recordVideoShare serves POST /v1/videos/{id}/track-share-link; the body is optional.
func recordVideoShare(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["videoId"], values["type"] = idIn(r), shareLink
	return recordEvent("RecordVideoInteraction", interactionFields)(f, r, values)
}

// collectionShareFields refuse a subtype, which the address implies.
var collectionShareFields = append(withReport(), optional("subtype", func(in *jsonobject.Reader, _ jsontext.Value) any {
	in.Fault("is not allowed here: the address belongs to %s", shareLink)
	return nil
}))

// recordCollectionShare serves POST /v1/collections/{id}/track-share-link; the body is optional.
func recordCollectionShare(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	input, err := readEvent(r, collectionShareFields)
	if err != nil {
		return nil, err
	}
	input["subtype"] = shareLink
	values["id"], values["event"] = idIn(r), input
	return f.record(r, "RecordCollectionInteraction", values)
}
