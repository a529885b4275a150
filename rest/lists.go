package rest

import (
	"bytes"
	"net/http"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// run runs an operation for a request.
func (f *facade) run(r *http.Request, operation string, values hal.Variables) ([]byte, error) {
	return f.operations.Run(r.Context(), operation, values)
}

// found is like run, but the error has the code NotFound and this message if the result is null.
func (f *facade) found(r *http.Request, operation string, values hal.Variables, message string, args ...any) ([]byte, error) {
	data, err := f.run(r, operation, values)
	if err == nil && bytes.Equal(data, []byte("null")) {
		return nil, fault.Errorf(fault.NotFound, message, args...)
	}
	return data, err
}

// answered runs an operation and lends its data to write, which must not keep it.
func (f *facade) answered(r *http.Request, operation string, values hal.Variables, write func(data []byte) (*reply, error)) (answer *reply, err error) {
	err = f.operations.Use(r.Context(), operation, values, func(data []byte) error {
		answer, err = write(data)
		return err
	})
	return answer, err
}

// idIn returns the {id} of the path.
func idIn(r *http.Request) string { return httpserver.Variable(r, "id") }

// one replies with the resource that an operation finds by the ID of the path.
func one(operation, what string) endpoint { return oneNamed("id", operation, what) }

// oneNamed is like one, for paths that give the ID another name.
func oneNamed(variable, operation, what string) endpoint {
	return func(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
		id := httpserver.Variable(r, variable)
		data, err := f.found(r, operation, hal.Variables{"id": id}, "there is no %s %q", what, id)
		if err != nil {
			return nil, err
		}
		return f.filled(r, data), nil
	}
}

// all replies with the whole list of an operation.
func all(operation, name string, self selfLink) endpoint {
	return func(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
		return f.list(r, operation, values, name, self)
	}
}

// selfLink selects whether a list has a link to itself.
type selfLink bool

const (
	withSelf    selfLink = true
	withoutSelf selfLink = false
)

// list replies with {"_embedded":{name:[…]}}.
func (f *facade) list(r *http.Request, operation string, values hal.Variables, name string, self selfLink) (*reply, error) {
	data, err := f.run(r, operation, values)
	if err != nil {
		return nil, err
	}
	var address string
	if self {
		address = f.base(r) + r.URL.RequestURI()
	}
	return f.filled(r, hal.List(data, name, address)), nil
}

func (f *facade) filled(r *http.Request, template []byte) *reply {
	view := f.view(r)
	return &reply{body: view.Fill(make([]byte, 0, len(template)+len(template)/4), template)}
}

// whole replies with the result of an operation.
func (f *facade) whole(r *http.Request, operation string, values hal.Variables) (*reply, error) {
	data, err := f.run(r, operation, values)
	if err != nil {
		return nil, err
	}
	return f.filled(r, data), nil
}

// index serves GET /v1/ and GET /v1/admin.
func index(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	return f.whole(r, "Index", nil)
}

func suggestions(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	if values["query"] == nil {
		return nil, fault.InvalidRequest("query is required")
	}
	return f.whole(r, "Suggestions", values)
}

// channel serves GET /v1/channels/{id}; the operator sees more fields.
func channel(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	return one(forStaff(r, "Channel"), "channel")(f, r, values)
}

// forStaff selects an operation: one with all fields for the operator's clients, another for other callers.
func forStaff(r *http.Request, operation string) string {
	if caller := account.CallerOf(r.Context()); caller != nil && caller.Permissions.Has(account.Operate) {
		return "Staff" + operation
	}
	return operation
}

// channels serves GET /v1/channels; the operator sees more fields. projection=list shows only IDs and names.
func channels(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
	operation := forStaff(r, "Channels")
	if values["projection"] == "list" {
		operation = "ChannelNames"
	}
	delete(values, "projection")
	data, err := f.run(r, operation, values)
	if err != nil {
		return nil, err
	}
	window, err := hal.ParseWindow(data, "channels")
	if err != nil {
		return nil, err
	}
	size, number := values["size"].(int64), values["page"].(int64)
	place := hal.PlaceOf(r.URL, size, number)
	return f.filled(r, window.Write(size, number, place.Links(f.base(r), window.Total))), nil
}
