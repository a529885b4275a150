package model

import (
	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// CountryLinks returns the links of a country: its schools and, if any are known, its states.
func CountryLinks(country catalogue.Country) Links {
	links := []Link{{Rel: "schools", To: "countrySchools", ID: country.Code, Permission: account.Browse}}
	if len(country.States) > 0 {
		links[0].To = "countrySchoolsByState"
		links = append(links, Link{Rel: "states", To: "states", ID: country.Code, Permission: account.Browse})
	}
	return linksOf(links...)
}
