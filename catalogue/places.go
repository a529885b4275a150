package catalogue

import (
	"github.com/filmstrip/filmstrip/fault"
)

// District is a school district.
type District struct {
	Meta
	// ExternalID is the ID assigned by the country's authority (in the USA: NCES LEAID).
	ExternalID string `json:"externalId"`
	Name       string `json:"name"`
	// Country is an ISO 3166-1 alpha-3 code. State is a two-letter code of a state of the USA, and "" elsewhere.
	Country string `json:"country"`
	State   string `json:"state"`
	// City is "" if it is unknown.
	City string `json:"city"`
}

// Kind returns KindDistrict.
func (*District) Kind() Kind { return KindDistrict }

// Owner returns no owner.
func (*District) Owner() Link { return Link{} }

// Validate checks all fields.
func (d *District) Validate() fault.FieldErrors {
	var f Faults
	f.place(d.ExternalID, d.Name, d.City, d.Country, d.State)
	return f.List()
}

func (f *Faults) place(externalID, name, city, country, state string) {
	f.Text("externalId", externalID, 1, MaxNameLength)
	f.Text("name", name, 1, MaxNameLength)
	f.Text("city", city, 0, MaxNameLength)
	found, ok := CountryOf(country)
	switch {
	case f.lacks("country", country):
	case !ok:
		f.Add("country", "%q is not an ISO 3166-1 alpha-3 code", fault.Shorten(country))
	case len(found.States) > 0 && f.lacks("state", state):
	case len(found.States) > 0 && !found.HasState(state):
		f.Add("state", "%q is not a state of %s", fault.Shorten(state), found.Name)
	case len(found.States) == 0 && state != "":
		f.Add("state", "%s has no states", found.Name)
	}
}

// School is a school.
type School struct {
	Meta
	// ExternalID is the ID assigned by the country's authority (in the USA: NCES school id).
	ExternalID string `json:"externalId"`
	Name       string `json:"name"`
	// Country and State are as in District.
	Country string `json:"country"`
	State   string `json:"state"`
	City    string `json:"city"`
	// DistrictID is nil if the school has no known district.
	DistrictID *ID `json:"district"`
}

// Kind returns KindSchool.
func (*School) Kind() Kind { return KindSchool }

// Owner returns the district.
func (s *School) Owner() Link {
	if s.DistrictID == nil {
		return Link{}
	}
	return Link{Kind: KindDistrict, ID: *s.DistrictID, Field: "district"}
}

// Validate checks all fields.
func (s *School) Validate() fault.FieldErrors {
	var f Faults
	f.place(s.ExternalID, s.Name, s.City, s.Country, s.State)
	return f.List()
}
