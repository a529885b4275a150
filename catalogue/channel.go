package catalogue

// Channel is a provider's line of videos.
type Channel struct {
	Meta
	Name             string    `json:"name"`
	Description      string    `json:"description"`
	OneLineDesc      string    `json:"oneLineDescription"`
	Notes            string    `json:"notes"`
	ContentType      string    `json:"contentType"`
	LegalRestriction string    `json:"legalRestriction"`
	Language         *Language `json:"language"`
	// ContentCategories are the video subtypes that the channel offers.
	ContentCategories []Subtype `json:"contentCategories"`
	// Categories are Thema codes; every video of the channel has them too.
	Categories      []string   `json:"categories"`
	EducationLevels []string   `json:"educationLevels"`
	IngestType      IngestType `json:"ingestType"`
	ContractID      *ID        `json:"contract"`
	// Private hides the channel and its videos from whoever has no access to private channels.
	Private bool `json:"private"`
}

// Kind is KindChannel.
func (*Channel) Kind() Kind { return KindChannel }

// Links lists the contract and the education levels.
func (c *Channel) Links() []Link {
	links := educationLevelLinks(c.EducationLevels)
	if c.ContractID != nil {
		links = append(links, Link{Kind: KindContract, ID: *c.ContractID, Field: "contract"})
	}
	return links
}

// Validate checks every field.
func (c *Channel) Validate() FieldErrors {
	var f Faults
	f.Text("name", c.Name, 1, MaxNameLength)
	f.Text("description", c.Description, 0, MaxTextLength)
	f.Text("oneLineDescription", c.OneLineDesc, 0, MaxTextLength)
	f.Text("notes", c.Notes, 0, MaxTextLength)
	f.Text("contentType", c.ContentType, 0, MaxNameLength)
	f.Text("legalRestriction", c.LegalRestriction, 0, MaxTextLength)
	if c.Language != nil && !c.Language.Valid() {
		f.Add("language", "%q is not an ISO 639-2 code", Shorten(string(*c.Language)))
	}
	f.Length("contentCategories", len(c.ContentCategories), MaxListLength)
	for _, subtype := range c.ContentCategories {
		Listed(&f, "contentCategories", subtype, Subtypes())
	}
	checkThema(&f, "categories", c.Categories)
	f.Length("educationLevels", len(c.EducationLevels), MaxListLength)
	if c.IngestType != "" {
		Listed(&f, "ingestType", c.IngestType, IngestTypes())
	}
	return f.List()
}
