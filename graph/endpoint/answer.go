package endpoint

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/99designs/gqlgen/graphql"

	"github.com/filmstrip/filmstrip/internal/httperror"
)

// The media types of responses.
const (
	plainType   = "application/json"
	graphqlType = "application/graphql-response+json"
)

// answer writes the response to a request in the media type that the client prefers.
type answer struct {
	w         http.ResponseWriter
	r         *http.Request
	mediaType string
}

func answerTo(w http.ResponseWriter, r *http.Request) answer {
	return answer{w: w, r: r, mediaType: preferred(r.Header.Values("Accept"))}
}

// preferred returns the GraphQL media type if the client accepts it and does not prefer plain JSON (GraphQL over HTTP,
// "Media Types").
func preferred(accept []string) string {
	quality := map[string]float64{}
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		mediaType, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		quality[mediaType] = 1
		if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
			quality[mediaType] = q
		}
	}
	if q := quality[graphqlType]; q > 0 && q >= quality[plainType] {
		return graphqlType
	}
	return plainType
}

// response answers 200 with the data and the errors of an operation.
func (a answer) response(response *graphql.Response) { a.write(bodyOf(response)) }

// bodyOf returns the data and the errors of an operation as a JSON object.
func bodyOf(response *graphql.Response) []byte {
	body := []byte(`{`)
	if len(response.Errors) > 0 {
		faults, err := json.Marshal(response.Errors)
		if err != nil { // only extensions that JSON cannot encode lead here
			panic(err)
		}
		body = append(append(append(body, `"errors":`...), faults...), ',')
	}
	data := []byte(response.Data)
	if data == nil {
		data = []byte("null")
	}
	return append(append(append(body, `"data":`...), data...), '}')
}

// fault answers without data. From status 400 up, the body has the members of the API's error body and those of
// GraphQL's errors. PersistedQueryNotFound is a step of a protocol rather than an error: clients expect it with 200,
// except in the GraphQL media type, which forbids 200 without data.
func (a answer) fault(fault *refusal) {
	if fault.status == http.StatusOK && a.mediaType == graphqlType {
		fault.status = http.StatusBadRequest
	}
	errors := map[string]any{"errors": fault.faults}
	if fault.status == http.StatusOK {
		body, err := json.Marshal(errors)
		if err != nil {
			panic(err)
		}
		a.write(body)
		return
	}
	var reasons []string
	if len(fault.faults) > 1 {
		for _, one := range fault.faults {
			reasons = append(reasons, one.Message)
		}
	}
	httperror.Write(typed{a.w, a.mediaType}, a.r, fault.status, "", fault.faults[0].Message, reasons, errors)
}

func (a answer) write(body []byte) {
	header := a.w.Header()
	header.Set("Content-Type", a.mediaType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	_, _ = a.w.Write(body)
}

// typed replaces the media type of the error body by the one that the client prefers.
type typed struct {
	http.ResponseWriter
	mediaType string
}

func (t typed) WriteHeader(status int) {
	t.Header().Set("Content-Type", t.mediaType)
	t.ResponseWriter.WriteHeader(status)
}
