package resolvers

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/search"
)

func (query) NgssCodes(_ context.Context) ([]*graph.NgssCode, error) {
	var list []*graph.NgssCode
	for _, idea := range catalogue.NGSSIdeas() {
		byGrade := idea.ByGrade
		if byGrade == nil {
			byGrade = map[string][]string{}
		}
		custom, err := json.Marshal(byGrade) // which orders the grades by their names
		if err != nil {
			return nil, err
		}
		list = append(list, &graph.NgssCode{
			Code: idea.Code, ContentArea: idea.ContentArea, Title: idea.Title,
			ThemaCategories: &graph.NgssCategories{Defaults: idea.Categories, CustomByGrade: custom},
		})
	}
	return list, nil
}

func (query) NgssGrades(_ context.Context) ([]*graph.NgssGrade, error) {
	var list []*graph.NgssGrade
	for _, band := range catalogue.NGSSGrades() {
		list = append(list, &graph.NgssGrade{Grade: band.Grade, Description: band.Description, EducationLevels: band.EducationLevels})
	}
	return list, nil
}

// curriculum is what codes and grades of the NGSS mean to engines: nil where neither is asked for. A code
// or a grade that there is not matches nothing. With both, a code means in each grade what it means there.
func curriculum(codes, grades []string) []search.Place {
	ideas := found(codes, catalogue.FindNGSSIdea)
	if grades == nil {
		if codes == nil {
			return nil
		}
		return []search.Place{{Categories: categoriesIn(ideas, "")}}
	}
	places := []search.Place{}
	for _, band := range found(grades, catalogue.FindNGSSGrade) {
		place := search.Place{EducationLevels: band.EducationLevels}
		if codes != nil {
			place.Categories = categoriesIn(ideas, band.Grade)
		}
		places = append(places, place)
	}
	return places
}

// found are those that there are.
func found[T any](names []string, find func(string) *T) []*T {
	var list []*T
	for _, name := range names {
		if one := find(name); one != nil && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// categoriesIn are the categories of ideas in a band of grades, or, for "", in all of them. It is not nil.
func categoriesIn(ideas []*catalogue.NGSSIdea, grade string) []string {
	categories := []string{}
	for _, idea := range ideas {
		categories = append(categories, idea.CategoriesFor(grade)...)
	}
	slices.Sort(categories)
	return slices.Compact(categories)
}
