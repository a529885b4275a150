package rest

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/internal/jsonobject"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// The fields of bodies that write collections.
var (
	newCollectionFields = []field{
		optional("title", aText),
		optional("description", aText),
		optional("videos", aList(anIDOrAddress)),
		optional("subjects", aList(anIDOrAddress)),
		optional("discoverable", aBoolean),
		optional("assets", aList(anObject(
			required("videoId", anIDOrAddress),
			optional("highlightId", aText),
			optional("segment", anObject(required("start", aNumber), required("end", aNumber))),
			optional("note", aText),
		))),
	}

	changedCollectionFields = append(slices.Clone(newCollectionFields),
		optional("ageRange", anObject(optional("min", anInteger), optional("max", anInteger))),
		optional("attachment", anObject(
			required("linkToResource", aText),
			required("type", aChoice(catalogue.ParseAttachmentType)),
			optional("description", aText),
		)),
		optional("promoted", aBoolean),
		optional("promotedFor", aList(aChoice(oneOf(account.Products())))),
		optional("subCollections", aList(anIDOrAddress)),
	)

	commentFields = []field{optional("comment", anObject(
		required("videoId", anIDOrAddress),
		optional("highlightId", aText),
		optional("name", aText),
		optional("email", aText),
		required("text", aText),
	))}

	permissionFields = []field{optional("anyone", aChoice(oneOf([]string{"EDIT", "VIEW_ONLY"})))}
)

// anIDOrAddress reads an ID, or a URL that ends with one, which older clients send.
func anIDOrAddress(in *jsonobject.Reader, value jsontext.Value) any {
	id, _, _ := strings.Cut(in.Text(value), "?")
	return id[strings.LastIndexByte(id, '/')+1:]
}

// createCollection serves POST /v1/collections.
func createCollection(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	input, err := readObject(r, newCollectionFields)
	if err != nil {
		return nil, err
	}
	if input["title"] == nil {
		return nil, fault.InvalidRequest("title is required")
	}
	if input["discoverable"] == nil {
		delete(input, "discoverable")
	}
	data, err := f.run(r, "CreateCollection", hal.Variables{"input": input})
	if err != nil {
		return nil, err
	}
	answer, err := f.withVideos(r, data, detailsProjection)
	if err != nil {
		return nil, err
	}
	answer.status, answer.location = http.StatusCreated, f.base(r)+"/v1/collections/"+hal.CollectionID(data)
	return answer, nil
}

// changeCollection serves PATCH /v1/collections/{id}: with ?bookmarked it saves or unsaves the collection, else it changes it.
func changeCollection(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["id"] = idIn(r)
	if values["saved"] != nil {
		return f.saveCollection(r, values)
	}
	input, err := readOptionalObject(r, changedCollectionFields)
	if err != nil {
		return nil, err
	}
	values["input"] = input
	answer, err := f.done(r, "UpdateCollection", values)
	return answer, inWordsOf(collectionNames, err)
}

// saveCollection ignores the body.
func (f *facade) saveCollection(r *http.Request, values hal.Variables) (*reply, error) {
	delete(values, "lastUpdatedAt")
	data, err := f.run(r, "SaveCollection", values)
	if err != nil {
		return nil, err
	}
	return f.withVideos(r, hal.WithoutVideos(data), listProjection)
}

// isWithoutBody reports whether a request has no body, regardless of its Content-Type.
func isWithoutBody(r *http.Request) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength == 0
	}
	var first [1]byte
	n, err := io.ReadFull(r.Body, first[:]) // what is wrong with it is said where it is read
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(first[:n]), r.Body), r.Body}
	return n == 0 && errors.Is(err, io.EOF)
}

// done runs an operation and replies with 204.
func (f *facade) done(r *http.Request, operation string, values hal.Variables) (*reply, error) {
	if _, err := f.run(r, operation, values); err != nil {
		return nil, err
	}
	return &reply{status: http.StatusNoContent}, nil
}

// doing returns the endpoint that runs an operation with parts of the path, which path names by the operation's variables,
// and replies with 204. It ignores the body.
func doing(operation string, path map[string]string) endpoint {
	return func(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
		for variable, name := range path {
			values[variable] = httpserver.Variable(r, name)
		}
		return f.done(r, operation, values)
	}
}

// permitCollection serves PATCH /v1/collections/{id}/permissions.
func permitCollection(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	input, err := readObject(r, permissionFields)
	if err != nil {
		return nil, err
	}
	if input["anyone"] == nil {
		return nil, fault.InvalidRequest("anyone is required")
	}
	return f.done(r, "SetCollectionPermission", hal.Variables{"id": idIn(r), "anyone": input["anyone"]})
}

// commentCollection serves POST /v1/collections/{id}/comments.
func commentCollection(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	input, err := readObject(r, commentFields)
	if err != nil {
		return nil, err
	}
	if input["comment"] == nil {
		return nil, fault.InvalidRequest("comment is required")
	}
	data, err := f.run(r, "AddCollectionComment", hal.Variables{"id": idIn(r), "input": input["comment"]})
	if err != nil {
		return nil, inWordsOf(commentNames, err)
	}
	return f.withVideos(r, data, detailsProjection)
}

// recordCollectionInteraction serves POST /v1/collections/{id}/events. It replies with 200, which its clients expect.
func recordCollectionInteraction(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	values["id"] = idIn(r)
	answer, err := recordEvent("RecordCollectionInteraction", collectionInteractionFields)(f, r, values)
	if err != nil {
		return nil, err
	}
	answer.status = http.StatusOK
	return answer, nil
}
