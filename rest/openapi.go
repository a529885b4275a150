package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/openapi"
)

// The paths of the OpenAPI document and of the same document in OpenAPI 3.0.
const (
	OpenAPIPath   = "/openapi.json"
	OpenAPI30Path = "/openapi-3.0.json"
)

// OpenAPI returns the OpenAPI document of the facade for a base address, in version 3.1 or, if old is true, 3.0. anonymous
// means that the server admits requests without a token where possible. OpenAPI fails if the route table and the
// descriptions disagree.
func OpenAPI(base string, anonymous, old bool) ([]byte, error) {
	described := make([]openapi.Route, 0, len(routes))
	for i := range routes {
		route := &routes[i]
		if route.path == "/v1/" {
			continue // the same route without the slash, which some tools refuse at the end of a path, is described
		}
		one := openapi.Route{
			Method: route.method, Path: route.path, Defaults: route.defaults,
			Anonymous: anonymous && route.anonymous() != nil, Deprecated: route.usesDeprecated(),
		}
		for _, parameter := range route.parameters {
			one.Parameters = append(one.Parameters, openapi.Parameter{
				Name: parameter.name, Variable: parameter.variable, Schema: parameter.schema, List: parameter.list, Hidden: parameter.hidden,
			})
		}
		described = append(described, one)
	}
	if old {
		return openapi.Document30(base, described)
	}
	return openapi.Document(base, described)
}

// describe returns the mounts of the OpenAPI documents. The first request of a document makes it: both take some 60 ms,
// which a start would mostly spend for nobody. Only the base address in a document varies.
func (f *facade) describe() (mounts []httpserver.Mount) {
	const place = "filmstrip:base"
	for _, path := range []string{OpenAPIPath, OpenAPI30Path} {
		document := sync.OnceValues(func() ([]byte, error) { return OpenAPI(place, f.Anonymous, path == OpenAPI30Path) })
		mounts = append(mounts, httpserver.Mount{Path: path, Methods: []string{http.MethodGet}, Public: true, Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				text, err := document()
				if err != nil {
					f.writeError(w, r, fmt.Errorf("the OpenAPI document: %w", err))
					return
				}
				base, _ := json.Marshal(f.base(r)) // a string always encodes
				f.writePublic(w, r, bytes.ReplaceAll(text, []byte(place), base[1:len(base)-1]))
			})})
	}
	return mounts
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
