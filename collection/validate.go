package collection

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
)

// Validate returns every fault of the collection in the order of its fields; nil: it may be stored. Whether
// subjects and sub-collections are there is not its to say.
func (c *Collection) Validate() catalogue.FieldErrors {
	var f faults
	if !c.ID.Valid() {
		f.add("id", "%q is not an id of %d lower-case hexadecimal characters", c.ID, catalogue.IDLength)
	}
	if c.Account == "" {
		f.add("account", "is required")
	}
	f.text("title", c.Title, 1, MaxTitle)
	f.text("description", c.Description, 0, MaxDescription)
	f.length("videos", len(c.Assets), MaxAssets)
	met := map[Key]bool{}
	for i, asset := range c.Assets {
		f.asset(fmt.Sprintf("assets[%d]", i), asset)
		if met[asset.Key()] {
			f.add(fmt.Sprintf("assets[%d]", i), "is there twice")
		}
		met[asset.Key()] = true
	}
	f.length("subjects", len(c.SubjectIDs), MaxSubjects)
	f.ages(c.AgeRange)
	f.length("attachments", len(c.Attachments), MaxAttachments)
	f.list = append(f.list, catalogue.ValidateAttachments(c.Attachments)...)
	f.length("promotedFor", len(c.PromotedFor), len(account.Products()))
	if c.Anyone != ViewOnly && c.Anyone != Edit {
		f.add("anyone", "%q is not one of %v", string(c.Anyone), Permissions())
	}
	f.length("subCollections", len(c.SubCollections), MaxParts)
	return f.list
}

// MinAge and MaxAge bound the age range of a collection.
const (
	MinAge = 3
	MaxAge = 19
)

type faults struct{ list catalogue.FieldErrors }

func (f *faults) add(field, format string, args ...any) {
	f.list = append(f.list, catalogue.FieldError{Field: field, Problem: fmt.Sprintf(format, args...)})
}

func (f *faults) text(field, text string, least, most int) {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		f.add(field, "is not valid UTF-8")
	case least > 0 && strings.TrimSpace(text) == "":
		f.add(field, "is required")
	case n > most:
		f.add(field, "has %d characters, at most %d are allowed", n, most)
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\n\r\t", r) }):
		f.add(field, "holds a control character")
	}
}

func (f *faults) length(field string, n, most int) {
	if n > most {
		f.add(field, "has %d elements, at most %d are allowed", n, most)
	}
}

func (f *faults) asset(field string, asset Asset) {
	if !asset.VideoID.Valid() {
		f.add(field+".videoId", "%q is not an id", asset.VideoID)
	}
	if asset.HighlightID != "" && !asset.HighlightID.Valid() {
		f.add(field+".highlightId", "%q is not an id", asset.HighlightID)
	}
	if s := asset.Segment; s != nil && (s.Start < 0 || s.End <= s.Start || s.End > catalogue.MaxMillis) {
		f.add(field+".segment", "%v to %v seconds is no piece of a video", s.Start.Seconds(), s.End.Seconds())
	}
	f.text(field+".note", asset.Note, 0, MaxDescription)
	f.length(field+".comments", len(asset.Comments), MaxComments)
	for i, comment := range asset.Comments {
		f.text(fmt.Sprintf("%s.comments[%d].text", field, i), comment.Text, 1, MaxComment)
		f.text(fmt.Sprintf("%s.comments[%d].name", field, i), comment.Name, 0, MaxTitle)
		f.text(fmt.Sprintf("%s.comments[%d].email", field, i), comment.Email, 0, MaxTitle)
	}
}

func (f *faults) ages(r catalogue.AgeRange) {
	for _, bound := range []*int{r.Min, r.Max} {
		if bound != nil && (*bound < MinAge || *bound > MaxAge) {
			f.add("ageRange", "%d is not an age between %d and %d", *bound, MinAge, MaxAge)
		}
	}
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		f.add("ageRange", "min %d is above max %d", *r.Min, *r.Max)
	}
}
