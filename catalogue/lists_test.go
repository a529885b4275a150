package catalogue_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// checkListed checks that a closed list has exactly the given values, which are read in any case.
func checkListed[T ~string](t *testing.T, values []T, parse func(string) (T, error), want string) {
	t.Helper()
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = string(value)
		for _, text := range []string{texts[i], strings.ToLower(texts[i]), texts[i][:1] + strings.ToLower(texts[i][1:])} {
			if got, err := parse(text); err != nil || got != value {
				t.Errorf("%q is read as %q, %v", text, got, err)
			}
		}
	}
	if got := strings.Join(texts, " "); got != want {
		t.Errorf("the values are %s", got)
	}
	for _, text := range []string{"", " ", "OTHER", texts[0] + " ", texts[0] + "S", "\x00", "\xff", strings.Join(texts[:2], ",")} {
		if got, err := parse(text); err == nil {
			t.Errorf("%q is read as %q", text, got)
		} else {
			refused(t, err, text)
		}
	}
}

func TestClosedLists(t *testing.T) {
	checkListed(t, catalogue.VideoTypes(), catalogue.ParseVideoType, "NEWS INSTRUCTIONAL STOCK PODCAST HISTORICAL_NEWS_ARCHIVE")
	checkListed(t, catalogue.Subtypes(), catalogue.ParseSubtype,
		"ANIMATION CHALK_AND_TALK_PRESENTATION DEMONSTRATION DOCUMENTARY HISTORICAL_ARCHIVE INTERVIEW LIVE_ARTS_PERFORMANCES TALKING_HEAD")
	checkListed(t, catalogue.CEFRLevels(), catalogue.ParseCEFRLevel, "A1 A2 B1 B2 C1 C2")
	checkListed(t, catalogue.AttachmentTypes(), catalogue.ParseAttachmentType, "LESSON_PLAN ACTIVITY FINAL_PROJECT")
	checkListed(t, catalogue.MarketSegments(), catalogue.ParseMarketSegment, "K12 HIGHER_EDUCATION")
	checkListed(t, catalogue.IngestTypes(), catalogue.ParseIngestType, "MANUAL CUSTOM MRSS YOUTUBE")
	checkListed(t, catalogue.DistributionMethods(), catalogue.ParseDistributionMethod, "STREAM DOWNLOAD")
}

// TestOtherNames checks that an older name of a type, and the labels of facets, are read.
func TestOtherNames(t *testing.T) {
	for _, text := range []string{"INSTRUCTIONAL_CLIPS", "instructional_clips"} {
		if got, err := catalogue.ParseVideoType(text); err != nil || got != catalogue.Instructional {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]catalogue.AttachmentType{
		"Lesson Guide": "LESSON_PLAN", "lesson guide": "LESSON_PLAN", "Activity": "ACTIVITY", "final project": "FINAL_PROJECT",
	} {
		if got, err := catalogue.ParseAttachmentType(text); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
}

func TestListedLabels(t *testing.T) {
	var got []string
	for _, attachment := range append(catalogue.AttachmentTypes(), "NEW") {
		got = append(got, attachment.Label())
	}
	for _, subtype := range []catalogue.Subtype{"CHALK_AND_TALK_PRESENTATION", "ANIMATION", ""} {
		got = append(got, subtype.Label())
	}
	want := []string{"Lesson Guide", "Activity", "Final Project", "NEW", "Chalk and talk presentation", "Animation", ""}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
