package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestNGSSIsComplete checks that the mapping contains exactly the ideas and grade bands of the standards, and that each
// has its meaning.
func TestNGSSIsComplete(t *testing.T) {
	var codes, grades []string
	for _, idea := range catalogue.NGSSIdeas() {
		codes = append(codes, idea.Code)
		if idea.ContentArea == "" || idea.Title == "" || len(idea.Categories) == 0 {
			t.Errorf("%s lacks something: %+v", idea.Code, idea)
		}
	}
	if want := strings.Fields("PS1 PS2 PS3 PS4 LS1 LS2 LS3 LS4 ESS1 ESS2 ESS3 ETS1"); !slices.Equal(codes, want) {
		t.Errorf("the ideas are %v, want %v", codes, want)
	}
	for _, band := range catalogue.NGSSGrades() {
		grades = append(grades, band.Grade)
		if band.Description == "" || len(band.EducationLevels) == 0 {
			t.Errorf("%s lacks something: %+v", band.Grade, band)
		}
	}
	if want := strings.Fields("K-2 3-5 6-8 9-12"); !slices.Equal(grades, want) {
		t.Errorf("the bands are %v, want %v", grades, want)
	}
}

// TestNGSSGradesNarrow checks that the categories of an idea in a grade band are a part of all its categories, so that
// adding a band to a search never finds more.
func TestNGSSGradesNarrow(t *testing.T) {
	for _, idea := range catalogue.NGSSIdeas() {
		for grade, categories := range idea.ByGrade {
			if catalogue.FindNGSSGrade(grade) == nil || len(categories) == 0 {
				t.Errorf("%s has %v for %q", idea.Code, categories, grade)
			}
			for _, code := range categories {
				if !slices.ContainsFunc(idea.Categories, func(whole string) bool { return strings.HasPrefix(code, whole) }) {
					t.Errorf("%s: %s in %s is under none of %v", idea.Code, code, grade, idea.Categories)
				}
			}
		}
	}
}

// TestNGSSMeansThema checks that the mapping is right where one Thema code is easily mistaken for another.
func TestNGSSMeansThema(t *testing.T) {
	life := catalogue.FindNGSSIdea("LS1")
	for _, grade := range []string{"3-5", "6-8", "9-12"} {
		// PSX is human biology; PSAX is bioinformatics.
		if codes := life.CategoriesFor(grade); !slices.Contains(codes, "PSX") || slices.Contains(codes, "PSAX") {
			t.Errorf("LS1 in %s is %v", grade, codes)
		}
	}
	// 4CF is middle school; 4CL is mandatory secondary education.
	if middle := catalogue.FindNGSSGrade("6-8"); !slices.Equal(middle.EducationLevels, []string{"4CF", "4CL"}) {
		t.Errorf("middle school is %v", middle.EducationLevels)
	}
}

func TestFindNGSS(t *testing.T) {
	if idea := catalogue.FindNGSSIdea("ls4"); idea == nil || idea.Code != "LS4" {
		t.Errorf("ls4 is %+v", idea)
	} else if got := idea.CategoriesFor("K-2"); !slices.Equal(got, []string{"RNKH"}) {
		t.Errorf("LS4 in K-2 is %v", got)
	} else if got := idea.CategoriesFor("9-12"); !slices.Equal(got, idea.Categories) {
		t.Errorf("LS4 in 9-12 is %v", got)
	}
	if band := catalogue.FindNGSSGrade("k-2"); band == nil || band.Grade != "K-2" {
		t.Errorf("k-2 is %+v", band)
	}
	if catalogue.FindNGSSIdea("LS9") != nil || catalogue.FindNGSSIdea("") != nil || catalogue.FindNGSSGrade("K") != nil {
		t.Error("something is found that the standards do not have")
	}
}
