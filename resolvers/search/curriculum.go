package search

import (
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// curriculum translates codes and grades of the NGSS for the index; it returns nil if both are nil. Unknown codes and
// grades match nothing. With both, each code applies in each grade with the categories that it has there.
func curriculum(codes, grades []string) []search.Place {
	ideas := findAll(codes, catalogue.FindNGSSIdea)
	if grades == nil {
		if codes == nil {
			return nil
		}
		return []search.Place{{Categories: categoriesIn(ideas, "")}}
	}
	places := []search.Place{}
	for _, band := range findAll(grades, catalogue.FindNGSSGrade) {
		place := search.Place{EducationLevels: band.EducationLevels}
		if codes != nil {
			place.Categories = categoriesIn(ideas, band.Grade)
		}
		places = append(places, place)
	}
	return places
}

// findAll returns what find knows, each once.
func findAll[T any](names []string, find func(string) *T) []*T {
	var list []*T
	for _, name := range names {
		if one := find(name); one != nil && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// categoriesIn returns the categories of ideas in a grade, or in all grades for "". It is not nil.
func categoriesIn(ideas []*catalogue.NGSSIdea, grade string) []string {
	categories := []string{}
	for _, idea := range ideas {
		categories = append(categories, idea.CategoriesFor(grade)...)
	}
	slices.Sort(categories)
	return slices.Compact(categories)
}
