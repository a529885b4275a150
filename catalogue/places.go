package catalogue

import (
	"github.com/filmstrip/filmstrip/fault"
)

// District is a school district.
type District struct {
	Meta
	// ExternalID is what the country's authority calls it (in the USA: NCES LEAID).
	ExternalID string `json:"externalId"`
	Name       string `json:"name"`
	// Country is the ISO 3166-1 alpha-3 code, State that of a state of the USA (two letters), "" elsewhere.
	Country string `json:"country"`
	State   string `json:"state"`
	// City is "" where it is not known.
	City string `json:"city"`
}

// Kind is KindDistrict.
func (*District) Kind() Kind { return KindDistrict }

// Links is empty.
func (*District) Links() []Link { return nil }

// Owner is nothing.
func (*District) Owner() Link { return Link{} }

// Validate checks every field.
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
		f.Add("country", "%q is not an ISO 3166-1 alpha-3 code", Shorten(country))
	case len(found.States) > 0 && f.lacks("state", state):
	case len(found.States) > 0 && !found.HasState(state):
		f.Add("state", "%q is not a state of %s", Shorten(state), found.Name)
	case len(found.States) == 0 && state != "":
		f.Add("state", "%s has none here", found.Name)
	}
}

// School is a school, of a district or of none.
type School struct {
	Meta
	// ExternalID is what the country's authority calls it (in the USA: NCES school id).
	ExternalID string `json:"externalId"`
	Name       string `json:"name"`
	// Country and State are as those of District.
	Country string `json:"country"`
	State   string `json:"state"`
	City    string `json:"city"`
	// DistrictID is nil where it belongs to none, or none that is known.
	DistrictID *ID `json:"district"`
}

// Kind is KindSchool.
func (*School) Kind() Kind { return KindSchool }

// Links is empty: the owner is checked by itself.
func (*School) Links() []Link { return nil }

// Owner is the district.
func (s *School) Owner() Link {
	if s.DistrictID == nil {
		return Link{}
	}
	return Link{Kind: KindDistrict, ID: *s.DistrictID, Field: "district"}
}

// Validate checks every field.
func (s *School) Validate() fault.FieldErrors {
	var f Faults
	f.place(s.ExternalID, s.Name, s.City, s.Country, s.State)
	return f.List()
}
