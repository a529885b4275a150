package endpoint

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/99designs/gqlgen/graphql"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/requestbody"
)

// request is the body of a request (GraphQL over HTTP, "Request Parameters").
type request struct {
	query         string
	operationName string
	variables     map[string]any
	// persisted is the extension persistedQuery, or nil.
	persisted *persistedQuery
}

// readRequest reads a request, which is one JSON object. It refuses a batch, which is a list.
func readRequest(w http.ResponseWriter, r *http.Request, maxBody int64) (*request, *refusal) {
	if problem := checkContentType(r.Header.Get("Content-Type")); problem != nil {
		return nil, problem
	}
	body, err := requestbody.Read(r, maxBody)
	var unread *requestbody.Error
	switch {
	case errors.As(err, &unread):
		unread.SetHeader(w.Header())
		return nil, refuse(unread.Status, fault.Invalid, "%s", unread.Message)
	case err != nil: // the middleware has no memory left for bodies
		return nil, refuse(http.StatusServiceUnavailable, fault.Unavailable, "%v", err)
	case !utf8.Valid(body):
		return nil, badRequest("the body is not UTF-8")
	}
	return decode(body)
}

func checkContentType(header string) *refusal {
	mediaType, parameters, err := mime.ParseMediaType(header)
	charset := parameters["charset"]
	if err != nil || mediaType != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return refuse(http.StatusUnsupportedMediaType, fault.Invalid,
			"the content type %.100q is not application/json in UTF-8", header)
	}
	return nil
}

// decode reads the members of the object, and ignores those that GraphQL over HTTP does not define.
func decode(body []byte) (*request, *refusal) {
	members, problem := membersOf(body)
	if problem != nil {
		return nil, problem
	}
	var params request
	for name, into := range map[string]any{
		"query": &params.query, "operationName": &params.operationName, "variables": &params.variables,
	} {
		if problem := members.read(name, into); problem != nil {
			return nil, problem
		}
	}
	var extensions struct {
		PersistedQuery *persistedQuery `json:"persistedQuery"`
	}
	if problem := members.read("extensions", &extensions); problem != nil {
		return nil, problem
	}
	params.persisted = extensions.PersistedQuery
	return &params, nil
}

// requestOf converts the request of one of gqlgen's transports.
func requestOf(raw *graphql.RawParams) (*request, *refusal) {
	params := &request{query: raw.Query, operationName: raw.OperationName, variables: raw.Variables}
	if given := raw.Extensions["persistedQuery"]; given != nil {
		text, err := stdjson.Marshal(given)
		if err != nil || stdjson.Unmarshal(text, &params.persisted) != nil {
			return nil, badRequest("extensions.persistedQuery cannot be read")
		}
	}
	return params, nil
}

// members are the members of a JSON object by name.
type members map[string]jsontext.Value

func membersOf(body []byte) (members, *refusal) {
	// jsontext refuses duplicate names and lone surrogates at any depth.
	value := jsontext.Value(bytes.TrimSpace(body))
	if !value.IsValid() {
		return nil, badRequest("the body is not valid JSON: %v", syntaxError(value))
	}
	switch value.Kind() {
	case '{':
	case '[':
		return nil, badRequest("the body is a list: batches are not supported, send each operation in a request of its own")
	default:
		return nil, badRequest("the body is %.100s, not an object", value)
	}
	var raw map[string]stdjson.RawMessage
	if err := stdjson.Unmarshal(value, &raw); err != nil {
		return nil, badRequest("the body is not valid JSON")
	}
	found := make(members, len(raw))
	for name, value := range raw {
		found[name] = jsontext.Value(value)
	}
	return found, nil
}

// syntaxError describes why a text is not JSON.
func syntaxError(value jsontext.Value) string {
	decoder := jsontext.NewDecoder(bytes.NewReader(value))
	for {
		if _, err := decoder.ReadToken(); errors.Is(err, io.EOF) {
			return "more than one value"
		} else if err != nil {
			if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				return fmt.Sprintf("%v at byte %d", syntax.Err, syntax.ByteOffset)
			}
			return "it ends too early"
		}
	}
}

// read decodes a member; if it is absent or null, the value stays unchanged. Numbers keep their digits.
func (m members) read(name string, into any) *refusal {
	value := m[name]
	if len(value) == 0 {
		return nil
	}
	decoder := stdjson.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	err := decoder.Decode(into)
	var wrong *stdjson.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return badRequest("%s.%s must not be a %s", name, wrong.Field, wrong.Value)
	case errors.As(err, &wrong):
		return badRequest("%s must not be a %s", name, wrong.Value)
	case err != nil:
		return badRequest("%s cannot be read", name)
	}
	return nil
}
