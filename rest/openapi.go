package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// OpenAPIPath is the path of the OpenAPI document.
const OpenAPIPath = "/openapi.json"

// OpenAPI returns the OpenAPI document of the facade for a base address. anonymous means that the server admits requests
// without a token where possible. It fails if the route table and the descriptions disagree.
func OpenAPI(base string, anonymous bool) ([]byte, error) {
	described := make([]openapi.Route, len(routes))
	for i := range routes {
		route := &routes[i]
		described[i] = openapi.Route{
			Method: route.method, Path: route.path, Defaults: route.defaults,
			Anonymous: anonymous && route.anonymous() != nil, Deprecated: route.usesDeprecated(),
		}
		for _, parameter := range route.parameters {
			described[i].Parameters = append(described[i].Parameters, openapi.Parameter{
				Name: parameter.name, Variable: parameter.variable, Schema: parameter.schema, List: parameter.list, Hidden: parameter.hidden,
			})
		}
	}
	return openapi.Document(base, described)
}

// describeOn serves OpenAPIPath. Only the base address in the document varies.
func (f *facade) describeOn() (httpserver.Mount, error) {
	const place = "filmstrip:base"
	text, err := OpenAPI(place, f.Anonymous)
	if err != nil {
		return httpserver.Mount{}, fmt.Errorf("the OpenAPI document: %w", err)
	}
	before, after, _ := strings.Cut(string(text), strconv.Quote(place))
	return httpserver.Mount{Path: OpenAPIPath, Methods: []string{http.MethodGet}, Public: true, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			base, _ := json.Marshal(f.base(r)) // a string always encodes
			f.writePublic(w, r, []byte(before+string(base)+after))
		})}, nil
}

// writePublic writes a public document, or 304 if the client has it.
func (f *facade) writePublic(w http.ResponseWriter, r *http.Request, body []byte) {
	header, tag := w.Header(), `W/"`+hashOf(body)+`"`
	header.Set("Cache-Control", "public, max-age=300")
	header.Set("Etag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Type", openapi.JSONType)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
