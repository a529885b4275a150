package typesense

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/typesense/typesense-go/v3/typesense/api"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/guard"
)

// server is a client of Typesense. The generated client of typesense-go builds the requests. server decodes the
// responses into its own structs, which preserve 64-bit integers and have no pointers that may be nil.
type server struct {
	api       *api.Client
	transport *transport
	writes    *guard.Guard
}

// nowhere is the server address of the generated client. The transport replaces it by a real one.
const nowhere = "http://typesense.invalid"

func newServer(t *transport, writes *guard.Guard) (*server, error) {
	client, err := api.NewClient(nowhere, api.WithHTTPClient(t))
	if err != nil {
		return nil, err
	}
	return &server{api: client, transport: t, writes: writes}, nil
}

// call sends a request and decodes its response into into, or ignores the response if into is nil.
func (s *server) call(into any, send func() (*http.Response, error)) error {
	body, err := s.body(send)
	if err != nil || into == nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return unavailable("sent an invalid response", err)
	}
	return nil
}

// body sends a request and returns the body of its response.
func (s *server) body(send func() (*http.Response, error)) ([]byte, error) {
	response, err := send()
	if err != nil {
		return nil, unavailable("does not answer", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, unavailable("does not answer", err)
	}
	if response.StatusCode/100 != 2 {
		var said struct {
			Message string `json:"message"`
		}
		_ = json.Unmarshal(body, &said) // the status suffices without the message
		return nil, faultOf(response.StatusCode, said.Message)
	}
	return body, nil
}

// write sends a request that changes something. Guard limits them.
func (s *server) write(ctx context.Context, send func(ctx context.Context) (*http.Response, error)) error {
	return s.writeUnless(ctx, http.StatusOK, send)
}

// writeUnless is write for a change that may have been made before. It treats the given status as success.
func (s *server) writeUnless(ctx context.Context, done int, send func(ctx context.Context) (*http.Response, error)) error {
	return s.writes.Do(ctx, func(ctx context.Context) error {
		err := s.call(nil, func() (*http.Response, error) { return send(ctx) })
		if isStatus(err, done) {
			return nil
		}
		return err
	})
}

// statusError is an error response of Typesense.
type statusError struct {
	status  int
	message string
}

func (e *statusError) Error() string { return fmt.Sprintf("status %d: %s", e.status, e.message) }

// faultOf returns the error of a status. A request that the server does not understand is an internal error.
func faultOf(status int, message string) error {
	cause := &statusError{status, message}
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return unavailable("refuses the key", cause)
	case status/100 == 4 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests:
		return internal("refuses a request", cause)
	}
	return unavailable("cannot answer", cause)
}

// isStatus reports whether an error is a response with the status.
func isStatus(err error, status int) bool {
	var refused *statusError
	return errors.As(err, &refused) && refused.status == status
}

// IsRefusal reports whether an error means that Typesense refuses the key or grants it too few rights.
func IsRefusal(err error) bool {
	return isStatus(err, http.StatusUnauthorized) || isStatus(err, http.StatusForbidden)
}

// engine is the name of Typesense in messages.
const engine = "the search engine"

func unavailable(problem string, cause error) error {
	return &fault.Error{Code: fault.Unavailable, Message: engine + " " + problem, Cause: cause}
}

func internal(problem string, cause error) error {
	return &fault.Error{Code: fault.Internal, Message: engine + " " + problem, Cause: cause}
}
