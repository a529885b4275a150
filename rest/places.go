package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// countryStates serves GET /v1/countries/{id}/states.
func countryStates(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	id := idIn(r)
	data, err := f.found(r, "CountryStates", hal.Variables{"id": id}, "there is no country %q", id)
	if err != nil {
		return nil, err
	}
	return f.filled(r, hal.Embedded(data)), nil
}

// placesNamed replies with the schools or districts that an operation finds.
func placesNamed(operation, name string) endpoint {
	return func(f *facade, r *http.Request, values hal.Variables) (*reply, error) {
		if values["country"] == nil {
			return nil, fault.InvalidRequest("countryCode is required")
		}
		return f.list(r, operation, values, name, withoutSelf)
	}
}
