package catalogue

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

// Country is a country of ISO 3166-1.
type Country struct {
	// Code is the alpha-3 code.
	Code string
	// Name is the English name.
	Name string
	// States are the states of the USA, ordered by code. They are empty for all other countries.
	States []CountryState
}

// CountryState is a state of a country.
type CountryState struct {
	// Code is the ISO 3166-2 code without the country prefix.
	Code string
	Name string
}

// districtOfColumbia is not a state, but contains schools and districts.
const districtOfColumbia = "DC"

// HasState reports whether schools and districts of the country may have this state code: one of States, or the
// District of Columbia.
func (c Country) HasState(code string) bool {
	return c.Code == UnitedStates && code == districtOfColumbia || slices.ContainsFunc(c.States, func(s CountryState) bool { return s.Code == code })
}

// UnitedStates is the alpha-3 code of the only country with states.
const UnitedStates = "USA"

// Countries returns all countries, ordered by alpha-2 code. The slice is shared and must not be modified.
func Countries() []Country { return loadCountries().list }

// CountryOf returns the country with the given alpha-3 code.
func CountryOf(code string) (Country, bool) {
	i, ok := loadCountries().places[code]
	if !ok {
		return Country{}, false
	}
	return loadCountries().list[i], true
}

var (
	// countryTable lists the countries of ISO 3166-1, one a line, in the order of their alpha-2 codes: that code, the
	// alpha-3 code and the English name (Debian's iso-codes 4.15.0).
	//go:embed tables/countries.txt
	countryTable string
	// stateTable lists the states of the USA (ISO 3166-2) in the order of their codes (Debian's iso-codes 4.15.0).
	//go:embed tables/states.txt
	stateTable string
)

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
