package collection

import (
	"fmt"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Validate returns all errors in the order of the fields, or nil if the collection may be stored. It does not check
// that subjects and sub-collections exist.
func (c *Collection) Validate() fault.FieldErrors {
	var f faults
	if !c.ID.Valid() {
		f.Add("id", "%q is not an id of %d lower-case hexadecimal characters", c.ID, catalogue.IDLength)
	}
	if c.Account == "" {
		f.Add("account", "is required")
	}
	f.Text("title", c.Title, 1, MaxTitle)
	f.Text("description", c.Description, 0, MaxDescription)
	f.Length("videos", len(c.Assets), MaxAssets)
	met := map[Key]bool{}
	for i, asset := range c.Assets {
		f.Append(asset.Validate(fmt.Sprintf("assets[%d]", i)))
		if met[asset.Key()] {
			f.Add(fmt.Sprintf("assets[%d]", i), "is there twice")
		}
		met[asset.Key()] = true
	}
	f.discussion(c.Assets)
	f.Length("subjects", len(c.SubjectIDs), MaxSubjects)
	f.ages(c.AgeRange)
	f.Length("attachments", len(c.Attachments), MaxAttachments)
	f.Append(catalogue.ValidateAttachments(c.Attachments))
	f.Length("promotedFor", len(c.PromotedFor), len(account.Products()))
	catalogue.Listed(&f.Faults, "anyone", c.Anyone, AllPermissions())
	f.Length("subCollections", len(c.SubCollections), MaxParts)
	return f.List()
}

// IsPiece reports whether an ID has the form of a highlight's ID: a stored highlight, or a passage of captions.
func IsPiece(id catalogue.ID) bool {
	_, _, _, passage := catalogue.ParsePassageID(id)
	return passage || id.Valid()
}

// MinAge and MaxAge are the limits of the age range of a collection.
const (
	MinAge = 3
	MaxAge = 19
)

type faults struct{ catalogue.Faults }

// Validate returns all errors of the asset. Their fields are relative to field.
func (asset Asset) Validate(field string) fault.FieldErrors {
	var f faults
	if !asset.VideoID.Valid() {
		f.Add(field+".videoId", "%q is not an id", asset.VideoID)
	}
	if asset.HighlightID != "" && !IsPiece(asset.HighlightID) {
		f.Add(field+".highlightId", "%q is not an id", asset.HighlightID)
	}
	if s := asset.Segment; s != nil && (s.Start < 0 || s.End <= s.Start || s.End > catalogue.MaxMillis) {
		f.Add(field+".segment", "%v to %v seconds is not a segment of a video", s.Start.Seconds(), s.End.Seconds())
	}
	f.Text(field+".note", asset.Note, 0, MaxDescription)
	f.Length(field+".comments", len(asset.Comments), MaxComments)
	for i, comment := range asset.Comments {
		f.Text(fmt.Sprintf("%s.comments[%d].text", field, i), comment.Text, 1, MaxComment)
		f.Text(fmt.Sprintf("%s.comments[%d].name", field, i), comment.Name, 0, MaxTitle)
		f.Text(fmt.Sprintf("%s.comments[%d].email", field, i), comment.Email, 0, MaxTitle)
	}
	return f.List()
}

// discussion checks the comments of all assets together.
func (f *faults) discussion(assets []Asset) {
	comments, bytes := 0, 0
	for i := range assets {
		comments += len(assets[i].Comments)
		for j := range assets[i].Comments {
			bytes += len(assets[i].Comments[j].Text)
		}
	}
	f.Length("comments", comments, MaxDiscussion)
	if bytes > MaxDiscussed {
		f.Add("comments", "have %d bytes of text together, at most %d are allowed", bytes, MaxDiscussed)
	}
}

func (f *faults) ages(r catalogue.AgeRange) {
	for _, bound := range []*int{r.Min, r.Max} {
		if bound != nil && (*bound < MinAge || *bound > MaxAge) {
			f.Add("ageRange", "%d is not an age between %d and %d", *bound, MinAge, MaxAge)
		}
	}
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		f.Add("ageRange", "min %d is above max %d", *r.Min, *r.Max)
	}
}
