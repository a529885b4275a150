package catalogue

import (
	"fmt"
	"regexp"

	"github.com/filmstrip/filmstrip/fault"
)

// Contract is an agreement between a provider and the operator on the use of videos in the channels that refer to it.
type Contract struct {
	Meta
	Name string `json:"name"`
	// Video is free text on the use of the videos.
	Video *string `json:"video"`
	// EditingPermission is nil if the contract does not specify one.
	EditingPermission       *EditingPermission `json:"editingPermission"`
	EditingInfo             string             `json:"editingInfo"`
	TerritoryType           TerritoryType      `json:"territoryType"`
	Territories             []string           `json:"territories"`
	AdditionalTerritoryInfo string             `json:"additionalTerritoryInfo"`
	// MaxLicenseDurationYears is nil if the contract sets no limit.
	MaxLicenseDurationYears *int `json:"maxLicenseDurationYears"`
}

// Kind returns KindContract.
func (*Contract) Kind() Kind { return KindContract }

// Validate checks the name, the lists, and the license duration (1 to 100 years).
func (c *Contract) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", c.Name, 1, MaxNameLength)
	f.optional("video", c.Video, MaxTextLength)
	if c.EditingPermission != nil {
		Listed(&f, "editingPermission", *c.EditingPermission, EditingPermissions())
	}
	f.Text("editingInfo", c.EditingInfo, 0, MaxTextLength)
	if c.TerritoryType != "" {
		Listed(&f, "territoryType", c.TerritoryType, TerritoryTypes())
	}
	f.Length("territories", len(c.Territories), MaxListLength)
	for _, territory := range c.Territories {
		f.Text("territories", territory, 1, MaxNameLength)
	}
	f.Text("additionalTerritoryInfo", c.AdditionalTerritoryInfo, 0, MaxTextLength)
	if y := c.MaxLicenseDurationYears; y != nil && (*y < 1 || *y > 100) {
		f.Add("maxLicenseDurationYears", "%d is not between 1 and 100", *y)
	}
	return f.List()
}

// EducationLevel is a level of the Thema education qualifiers. Its ID is derived from its code (EducationLevelID).
type EducationLevel struct {
	Meta
	Code  string `json:"code"`
	Label string `json:"label"`
}

// EducationLevelID returns the ID of the education level with the given code, regardless of its source.
func EducationLevelID(code string) ID { return DeriveID(KindEducationLevel, "", code) }

// Kind returns KindEducationLevel.
func (*EducationLevel) Kind() Kind { return KindEducationLevel }

// Validate checks code and label.
func (l *EducationLevel) Validate() fault.FieldErrors {
	var f Faults
	f.thema("code", l.Code)
	if l.ID != "" && l.ID != EducationLevelID(l.Code) {
		f.Add("id", "%q is not the id derived from the code: omit it", fault.Shorten(string(l.ID)))
	}
	f.Text("label", l.Label, 1, MaxNameLength)
	return f.List()
}

// LegalRestriction is a text with which contracts restrict the use of videos.
type LegalRestriction struct {
	Meta
	Text string `json:"text"`
}

// Kind returns KindLegalRestriction.
func (*LegalRestriction) Kind() Kind { return KindLegalRestriction }

// Validate checks the text.
func (r *LegalRestriction) Validate() fault.FieldErrors {
	var f Faults
	f.Text("text", r.Text, 1, MaxTextLength)
	return f.List()
}

// Phrase is a search suggestion by the operator.
type Phrase struct {
	Meta
	Text string `json:"text"`
}

// Kind returns KindPhrase.
func (*Phrase) Kind() Kind { return KindPhrase }

// Validate checks the text, 2 to 100 characters.
func (p *Phrase) Validate() fault.FieldErrors {
	var f Faults
	f.Text("text", p.Text, 2, 100)
	return f.List()
}

// Tag is a label that can be attached to videos. Labels are the values of the best_for filter.
type Tag struct {
	Meta
	Label string `json:"label"`
}

// Kind returns KindTag.
func (*Tag) Kind() Kind { return KindTag }

// Validate checks the label, 2 to 100 characters.
func (t *Tag) Validate() fault.FieldErrors {
	var f Faults
	f.Text("label", t.Label, 2, 100)
	return f.List()
}

// ContentWarning is a warning that can be attached to videos.
type ContentWarning struct {
	Meta
	Label string `json:"label"`
}

// Kind returns KindContentWarning.
func (*ContentWarning) Kind() Kind { return KindContentWarning }

// Validate checks the label.
func (w *ContentWarning) Validate() fault.FieldErrors {
	var f Faults
	f.Text("label", w.Label, 1, MaxNameLength)
	return f.List()
}

// SubjectCategory is a Thema category of a subject.
type SubjectCategory struct {
	Code        string `json:"code"`
	Description string `json:"description"`
}

// Subject is a school or university subject.
type Subject struct {
	Meta
	Name string `json:"name"`
	// Categories is nil if none are known.
	Categories     []SubjectCategory `json:"categories"`
	MarketSegments []MarketSegment   `json:"marketSegments"`
}

// Kind returns KindSubject.
func (*Subject) Kind() Kind { return KindSubject }

// Validate checks the name, 2 to 100 characters, the categories and the segments.
func (s *Subject) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", s.Name, 2, 100)
	f.Length("categories", len(s.Categories), MaxListLength)
	for i, category := range s.Categories {
		field := fmt.Sprintf("categories[%d]", i)
		f.thema(field+".code", category.Code)
		f.Text(field+".description", category.Description, 0, MaxNameLength)
	}
	f.Length("marketSegments", len(s.MarketSegments), MaxListLength)
	for _, segment := range s.MarketSegments {
		Listed(&f, "marketSegments", segment, MarketSegments())
	}
	return f.List()
}

// Discipline groups subjects in the operator's order.
type Discipline struct {
	Meta
	Name string `json:"name"`
	// Code is in kebab case: a to z and hyphens.
	Code       string `json:"code"`
	SubjectIDs []ID   `json:"subjects"`
}

var disciplineCode = regexp.MustCompile(`^[a-z-]{2,50}$`)

// Kind returns KindDiscipline.
func (*Discipline) Kind() Kind { return KindDiscipline }

// Links returns the subjects.
func (d *Discipline) Links() []Link { return linksTo(KindSubject, "subjects", d.SubjectIDs) }

// Validate checks the name, 2 to 100 characters, and the code.
func (d *Discipline) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", d.Name, 2, 100)
	if !f.lacks("code", d.Code) && !disciplineCode.MatchString(d.Code) {
		f.Add("code", "%q is not 2 to 50 characters of a-z and hyphen", fault.Shorten(d.Code))
	}
	f.Length("subjects", len(d.SubjectIDs), MaxListLength)
	return f.List()
}

// Topic is a topic of videos, narrower than a subject.
type Topic struct {
	Meta
	Name string `json:"name"`
}

// Kind returns KindTopic.
func (*Topic) Kind() Kind { return KindTopic }

// Validate checks the name.
func (t *Topic) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", t.Name, 1, MaxNameLength)
	return f.List()
}

func educationLevelLinks(codes []string) []Link {
	ids := make([]ID, len(codes))
	for i, code := range codes {
		ids[i] = EducationLevelID(code)
	}
	return linksTo(KindEducationLevel, "educationLevels", ids)
}
