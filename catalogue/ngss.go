package catalogue

import (
	"slices"
	"strings"
)

// The Next Generation Science Standards consist of disciplinary core ideas and of grade bands in which they are
// taught (NGSS Lead States, Next Generation Science Standards: For States, By States, 2013, Appendix E;
// https://www.nextgenscience.org). Videos are not tagged with either. This service maps an idea to Thema categories
// and a band to education levels (EDItEUR, Thema 1.3; https://ns.editeur.org/thema); the mapping is its own.

// NGSSIdea is a disciplinary core idea.
type NGSSIdea struct {
	// Code is a code such as LS4.
	Code string
	// ContentArea is the area of science, and Title the title of the idea.
	ContentArea, Title string
	// Categories are the Thema codes of videos about the idea, including all codes below them.
	Categories []string
	// ByGrade contains, for some bands, a subset of Categories that applies there.
	ByGrade map[string][]string
}

// CategoriesFor returns the categories of the idea in a grade band.
func (i *NGSSIdea) CategoriesFor(grade string) []string {
	if own, ok := i.ByGrade[grade]; ok {
		return own
	}
	return i.Categories
}

// NGSSGrade is a grade band.
type NGSSGrade struct {
	// Grade is a band such as K-2.
	Grade, Description string
	// EducationLevels are the codes of the levels in the band.
	EducationLevels []string
}

// NGSSIdeas returns all ideas in the order of the standards. The slice is shared and must not be modified.
func NGSSIdeas() []NGSSIdea { return ngssIdeas }

// NGSSGrades returns all bands, the lowest first. The slice is shared and must not be modified.
func NGSSGrades() []NGSSGrade { return ngssGrades }

// FindNGSSIdea returns the idea with the given code in any case, or nil.
func FindNGSSIdea(code string) *NGSSIdea {
	i := slices.IndexFunc(ngssIdeas, func(idea NGSSIdea) bool { return strings.EqualFold(idea.Code, code) })
	if i < 0 {
		return nil
	}
	return &ngssIdeas[i]
}

// FindNGSSGrade returns the band with the given name in any case, or nil.
func FindNGSSGrade(grade string) *NGSSGrade {
	i := slices.IndexFunc(ngssGrades, func(band NGSSGrade) bool { return strings.EqualFold(band.Grade, grade) })
	if i < 0 {
		return nil
	}
	return &ngssGrades[i]
}
