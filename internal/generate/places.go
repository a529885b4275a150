package generate

import (
	"fmt"
	"iter"
	"math/rand/v2"

	"github.com/filmstrip/filmstrip/catalogue"
)

const (
	// schoolsPerDistrict is the maximum number of schools per district.
	schoolsPerDistrict = 10
	// districtsPerState is the number of districts per state before the next state gets some.
	districtsPerState = 10
	// privateEvery: of that many schools, the last one belongs to no district.
	privateEvery = 50
)

var schoolSuffixes = []string{
	"Elementary School", "Middle School", "High School", "Academy", "Charter School", "Preparatory School",
}

// places yields districts, then schools, of the United States.
func places(options Options) iter.Seq[catalogue.OwnedItem] {
	return func(yield func(catalogue.OwnedItem) bool) {
		districts := make([]*catalogue.District, (options.Schools+schoolsPerDistrict-1)/schoolsPerDistrict)
		for number := range districts {
			districts[number] = districtOf(number, len(districts))
			if !yield(districts[number]) {
				return
			}
		}
		rng := rand.New(rand.NewPCG(options.Seed, 1<<61))
		for number := range options.Schools {
			if !yield(schoolOf(rng, number, districts[number/schoolsPerDistrict])) {
				return
			}
		}
	}
}

// districtOf returns the district with a number, of the given count. Its external ID has seven digits, like those of
// the NCES.
func districtOf(number, of int) *catalogue.District {
	country, _ := catalogue.CountryOf(catalogue.UnitedStates)
	inUse := min(max(1, of/districtsPerState), len(country.States))
	state := number % inUse * len(country.States) / inUse
	city := string(appendLatinName(nil, uint32(number)))
	d := &catalogue.District{
		ExternalID: fmt.Sprintf("%02d%05d", state+1, number), Name: city + " School District",
		Country: country.Code, State: country.States[state].Code, City: city,
	}
	return named(d, d.ExternalID)
}

// schoolOf returns the school with a number. Its external ID is that of the district and five more digits.
func schoolOf(rng *rand.Rand, number int, district *catalogue.District) *catalogue.School {
	s := &catalogue.School{
		ExternalID: fmt.Sprintf("%s%05d", district.ExternalID, number%schoolsPerDistrict),
		Name:       string(appendLatinName(nil, drawTail(rng))) + " " + schoolSuffixes[pick(rng, 50, 15, 20, 8, 5, 2)],
		Country:    district.Country, State: district.State, City: district.City,
	}
	if number%privateEvery != privateEvery-1 {
		s.DistrictID = &district.ID
	}
	return named(s, s.ExternalID)
}
