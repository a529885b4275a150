package rest

import (
	"bytes"
	"net/http"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// currentUser serves GET /v1/users/_self.
func currentUser(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	data, err := f.found(r, "CurrentUser", nil, "the user of the token is gone")
	if err != nil {
		return nil, err
	}
	return f.filled(r, data), nil
}

// userActive serves GET /v1/users/{id}/active: without a body if the user may sign in, else with 403.
func userActive(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	id := idIn(r)
	data, err := f.run(r, "IsUserActive", hal.Variables{"id": id})
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(data, []byte("true")):
		return nil, fault.Errorf(fault.Forbidden, "the user %q is not active, or there is none", id)
	}
	return &reply{}, nil
}

// userFields are the fields of a profile that users can set.
var userFields = []field{
	optional("firstName", aText),
	optional("lastName", aText),
	optional("jobTitle", aText),
	optional("desiredContent", aText),
	optional("audiences", aList(aText)),
	optional("discoveryMethods", aList(aText)),
	optional("hasAcceptedTermsAndConditions", aBoolean),
	optional("subjects", aList(aText)),
	optional("ages", aList(anInteger)),
}

// updateUser serves PUT /v1/users/{id}. Absent fields keep their values.
func updateUser(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	input, err := readObject(r, userFields)
	if err != nil {
		return nil, err
	}
	answer, err := f.whole(r, "UpdateProfile", hal.Variables{"id": idIn(r), "input": input})
	return answer, inWordsOf(userNames, err)
}
