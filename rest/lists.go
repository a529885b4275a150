package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/httpserver"
)

// run runs an operation for a request.
func (f *facade) run(r *http.Request, operation string, values variables) ([]byte, error) {
	return f.executor.run(r.Context(), f.operations[operation], values)
}

// idIn is the {id} of the path.
func idIn(r *http.Request) string { return httpserver.Variable(r, "id") }

// one answers with the single resource that an operation finds by the id of the path.
func one(operation, what string) endpoint { return oneNamed("id", operation, what) }

// oneNamed is one where the path names the id otherwise.
func oneNamed(variable, operation, what string) endpoint {
	return func(f *facade, r *http.Request, _ variables) (*reply, error) {
		id := httpserver.Variable(r, variable)
		data, err := f.run(r, operation, variables{"id": id})
		if err != nil {
			return nil, err
		}
		if bytes.Equal(data, []byte("null")) {
			return nil, fault.Errorf(fault.NotFound, "there is no %s %q", what, id)
		}
		return f.filled(r, data), nil
	}
}

// all answers with the whole list that an operation finds.
func all(operation, name string, self selfLink) endpoint {
	return func(f *facade, r *http.Request, _ variables) (*reply, error) {
		return f.list(r, operation, nil, name, self)
	}
}

// selfLink says whether a list carries a link to itself.
type selfLink bool

const (
	withSelf    selfLink = true
	withoutSelf selfLink = false
)

// list answers {"_embedded":{name:[…]}}.
func (f *facade) list(r *http.Request, operation string, values variables, name string, self selfLink) (*reply, error) {
	data, err := f.run(r, operation, values)
	if err != nil {
		return nil, err
	}
	b := append(append(append([]byte(`{"_embedded":{"`), name...), `":`...), data...)
	b = append(b, '}')
	if self {
		href, _ := json.Marshal(f.base(r) + r.URL.RequestURI()) // a string always encodes
		b = append(append(append(b, `,"_links":{"self":{"href":`...), href...), `,"templated":false}}`...)
	}
	return f.filled(r, append(b, '}')), nil
}

func (f *facade) filled(r *http.Request, template []byte) *reply {
	view := f.view(r)
	return &reply{body: view.fill(make([]byte, 0, len(template)+len(template)/4), template)}
}

// index answers GET /v1/ and GET /v1/admin.
func index(f *facade, r *http.Request, _ variables) (*reply, error) {
	data, err := f.run(r, "Index", nil)
	if err != nil {
		return nil, err
	}
	return f.filled(r, data), nil
}

func subjects(f *facade, r *http.Request, values variables) (*reply, error) {
	return f.list(r, "Subjects", values, "subjects", withSelf)
}

func disciplines(f *facade, r *http.Request, values variables) (*reply, error) {
	return f.list(r, "Disciplines", values, "disciplines", withSelf)
}

func suggestions(f *facade, r *http.Request, values variables) (*reply, error) {
	if values["query"] == nil {
		return nil, fault.InvalidRequest("query is required")
	}
	data, err := f.run(r, "Suggestions", values)
	if err != nil {
		return nil, err
	}
	return f.filled(r, data), nil
}

// channel answers GET /v1/channels/{id}, with more for the operator.
func channel(f *facade, r *http.Request, values variables) (*reply, error) {
	return one(forStaff(r, "Channel"), "channel")(f, r, values)
}

// forStaff names the operation that shows the operator's clients all there is, others an operation's own answer.
func forStaff(r *http.Request, operation string) string {
	if caller := account.CallerOf(r.Context()); caller != nil && caller.Rights.Has(account.Operate) {
		return "Staff" + operation
	}
	return operation
}

// channels answers GET /v1/channels, with more for the operator; projection=list shows ids and names only.
func channels(f *facade, r *http.Request, values variables) (*reply, error) {
	operation := forStaff(r, "Channels")
	if values["projection"] == "list" {
		operation = "ChannelNames"
	}
	delete(values, "projection")
	data, err := f.run(r, operation, values)
	if err != nil {
		return nil, err
	}
	total, list, _ := bytes.Cut(bytes.TrimPrefix(data, []byte(`{"total":`)), []byte(`,"channels":`))
	page, err := pageOf(total, values)
	if err != nil {
		return nil, err
	}
	b := append(append([]byte(`{"_embedded":{"channels":`), list...), page...)
	return f.filled(r, append(b, '}')), nil
}

// pageOf writes the page of a list that was cut from a whole of known length, with the comma before.
func pageOf(total []byte, values variables) (string, error) {
	elements, err := strconv.ParseInt(string(total), 10, 64)
	if err != nil {
		return "", err
	}
	size, number := values["size"].(int64), values["page"].(int64)
	here := max(0, min(size, elements-number*size))
	page, err := json.Marshal(struct {
		Size          int64 `json:"size"`
		TotalElements int64 `json:"totalElements"`
		TotalPages    int64 `json:"totalPages"`
		Number        int64 `json:"number"`
	}{here, elements, (elements + size - 1) / size, number})
	return `,"page":` + string(page), err
}
