package catalogue

import (
	"slices"
	"strings"
	"sync"
)

// Country is a country of ISO 3166-1.
type Country struct {
	// Code is the alpha-3 code.
	Code string
	// Name is in English.
	Name string
	// States are those of the USA, in the order of their codes; of no other country any are known.
	States []CountryState
}

// CountryState is a state of a country.
type CountryState struct {
	// Code is that of ISO 3166-2 without the country's.
	Code string
	Name string
}

// districtOfColumbia is where schools and districts of the USA lie beside its states.
const districtOfColumbia = "DC"

// HasState reports whether schools and districts of the country lie in a state with the code: one of States, or the
// capital's district, which is none.
func (c Country) HasState(code string) bool {
	return c.Code == UnitedStates && code == districtOfColumbia || slices.ContainsFunc(c.States, func(s CountryState) bool { return s.Code == code })
}

// UnitedStates is the alpha-3 code of the one country whose states are known.
const UnitedStates = "USA"

// Countries lists all countries in the order of their alpha-2 codes. The list is shared and must not be
// changed.
func Countries() []Country { return loadCountries().list }

// CountryOf returns the country with an alpha-3 code.
func CountryOf(code string) (Country, bool) {
	i, ok := loadCountries().places[code]
	if !ok {
		return Country{}, false
	}
	return loadCountries().list[i], true
}

type countries struct {
	list   []Country
	places map[string]int
}

var loadCountries = sync.OnceValue(func() *countries {
	loaded := &countries{places: map[string]int{}}
	for line := range strings.Lines(strings.TrimSpace(countryTable)) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		code, name, _ := strings.Cut(rest, " ")
		country := Country{Code: code, Name: name}
		if code == UnitedStates {
			country.States = loadStates()
		}
		loaded.places[code] = len(loaded.list)
		loaded.list = append(loaded.list, country)
	}
	return loaded
})

func loadStates() (states []CountryState) {
	for line := range strings.Lines(strings.TrimSpace(stateTable)) {
		code, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		states = append(states, CountryState{Code: code, Name: name})
	}
	return states
}
