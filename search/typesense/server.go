package typesense

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/typesense/typesense-go/v3/typesense/api"

	"github.com/filmstrip/filmstrip/catalogue"
)

// server speaks to Typesense: requests are put together by the generated client of typesense-go.
type server struct {
	api       *api.Client
	transport *transport
}

// maxAnswer bounds what is read of one answer.
const maxAnswer = 256 << 20

// call sends a request and decodes its answer; nil: it is not looked at.
func (s *server) call(into any, send func() (*http.Response, error)) error {
	response, err := send()
	if err != nil {
		return unavailable("does not answer", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return unavailable("does not answer", err)
	}
	if response.StatusCode/100 != 2 {
		var said struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(body, &said)
		return faultOf(response.StatusCode, said.Message)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(body, into); err != nil {
		return unavailable("answered what is no answer", err)
	}
	return nil
}

// statusError is an answer of Typesense that is none.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.message) }

// faultOf makes an error of a status: what the server cannot do now is Unavailable, what it did not
// understand is a fault of ours.
func faultOf(status int, message string) error {
	cause := &statusError{status, message}
	if status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests {
		return internal("Typesense refused a request", cause)
	}
	return unavailable("cannot answer", cause)
}

// isStatus reports whether an error is an answer of this status.
func isStatus(err error, status int) bool {
	var answered *statusError
	return errors.As(err, &answered) && answered.status == status
}

func unavailable(problem string, cause error) error {
	return &catalogue.Error{Code: catalogue.Unavailable, Message: engine + " " + problem, Cause: cause}
}

func internal(message string, cause error) error {
	return &catalogue.Error{Code: catalogue.Internal, Message: message, Cause: cause}
}

// engine is what messages call Typesense.
const engine = "the search engine"
