package typesense_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// rawServer sends requests to Typesense directly, bypassing the index.
type rawServer struct {
	t        testing.TB
	url, key string
}

// ask sends a request and returns the status. It decodes the answer into into, unless into is nil.
func (r rawServer) ask(method, path, body string, into any) int {
	r.t.Helper()
	status, answer := r.send(method, path, body)
	if into != nil {
		if err := json.Unmarshal(answer, into); err != nil {
			r.t.Fatalf("%s %s answers %s: %v", method, path, answer, err)
		}
	}
	return status
}

// send sends a request and returns its status and its answer.
func (r rawServer) send(method, path, body string) (int, []byte) {
	r.t.Helper()
	request, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("X-TYPESENSE-API-KEY", r.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return response.StatusCode, answer
}

// list returns one field of each element of a list.
func (r rawServer) list(path, field string) []string {
	r.t.Helper()
	var elements []map[string]any
	r.ask(http.MethodGet, path, "", &elements)
	var values []string
	for _, element := range elements {
		if value, ok := element[field].(string); ok {
			values = append(values, value)
		}
	}
	return values
}
