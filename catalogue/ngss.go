package catalogue

import (
	"slices"
	"strings"
)

// What the Next Generation Science Standards are made of: the disciplinary core ideas, and the bands of
// grades that these are taught in (NGSS Lead States, Next Generation Science Standards: For States, By
// States, 2013, Appendix E; https://www.nextgenscience.org). Videos are not marked with either. An idea
// stands for Thema categories, a band for education levels (EDItEUR, Thema 1.3; https://ns.editeur.org/thema),
// and that mapping is this service's own.

// NGSSIdea is a disciplinary core idea.
type NGSSIdea struct {
	// Code is such as LS4.
	Code string
	// ContentArea is the area of science, Title the idea's own.
	ContentArea, Title string
	// Categories are the Thema codes of videos on the idea; a code stands for what is under it as well.
	Categories []string
	// ByGrade holds, for some bands, what stands in the place of Categories there: a part of them.
	ByGrade map[string][]string
}

// CategoriesFor are the categories of the idea in a band of grades.
func (i *NGSSIdea) CategoriesFor(grade string) []string {
	if own, ok := i.ByGrade[grade]; ok {
		return own
	}
	return i.Categories
}

// NGSSGrade is a band of grades.
type NGSSGrade struct {
	// Grade is such as K-2.
	Grade, Description string
	// EducationLevels are the codes of levels that the band falls into.
	EducationLevels []string
}

// NGSSIdeas lists every idea, in the order of the standards. It is shared: nothing of it may be changed.
func NGSSIdeas() []NGSSIdea { return ngssIdeas }

// NGSSGrades lists every band, the lowest first. It is shared: nothing of it may be changed.
func NGSSGrades() []NGSSGrade { return ngssGrades }

// FindNGSSIdea finds an idea by its code, in any case; nil: there is none.
func FindNGSSIdea(code string) *NGSSIdea {
	i := slices.IndexFunc(ngssIdeas, func(idea NGSSIdea) bool { return strings.EqualFold(idea.Code, code) })
	if i < 0 {
		return nil
	}
	return &ngssIdeas[i]
}

// FindNGSSGrade finds a band by its name, in any case; nil: there is none.
func FindNGSSGrade(grade string) *NGSSGrade {
	i := slices.IndexFunc(ngssGrades, func(band NGSSGrade) bool { return strings.EqualFold(band.Grade, grade) })
	if i < 0 {
		return nil
	}
	return &ngssGrades[i]
}
