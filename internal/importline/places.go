package importline

import (
	"strings"

	c "github.com/filmstrip/filmstrip/catalogue"
)

func districtShape() *shape {
	return shapeOf[c.District](
		at("externalId", required, func(x *c.District) *string { return &x.ExternalID }, text),
		at("name", required, func(x *c.District) *string { return &x.Name }, text),
		at("country", required, func(x *c.District) *string { return &x.Country }, parsed(upperCase)),
		at("state", optional, func(x *c.District) *string { return &x.State }, parsed(upperCase)),
		at("city", optional, func(x *c.District) *string { return &x.City }, text),
	)
}

func schoolShape() *shape {
	return shapeOf[c.School](
		at("externalId", required, func(x *c.School) *string { return &x.ExternalID }, text),
		at("name", required, func(x *c.School) *string { return &x.Name }, text),
		at("country", required, func(x *c.School) *string { return &x.Country }, parsed(upperCase)),
		at("state", optional, func(x *c.School) *string { return &x.State }, parsed(upperCase)),
		at("city", optional, func(x *c.School) *string { return &x.City }, text),
		at("district", optional, func(x *c.School) **c.ID { return &x.DistrictID }, maybe(referenceTo(c.KindDistrict))),
	)
}

// upperCase parses codes, which the catalogue checks.
func upperCase(text string) (string, error) { return strings.ToUpper(text), nil }
