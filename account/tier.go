package account

import (
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Tier is a named set of roles and features to which accounts subscribe.
type Tier struct {
	ID string `json:"id"`
	Meta
	Name  string       `json:"name"`
	Roles []Permission `json:"roles"`
	// Features switch parts of the customer's own pages on and off. They do not affect permissions.
	Features map[string]bool `json:"features,omitempty"`
}

// BuiltInTiers returns the tiers of a new store. Operators may change them, add others, and delete tiers that no
// account uses.
func BuiltInTiers() []*Tier {
	basic := []Permission{ViewVideos, ViewVideoTypes, ViewUsage}
	plus := append(slices.Clone(basic), ViewChannels, ViewDisciplines, ViewTags, ViewContentWarnings, ViewContentCategories,
		ViewCollections, InsertCollections, UpdateCollections, DeleteCollections, InsertEvents)
	premium := append(slices.Clone(plus), ViewLearningMaterial, ViewLegalRestrictions, DownloadTranscript, DownloadVideo, RateVideos, TagVideos, ShareVideos)
	return []*Tier{
		{ID: "basic", Name: "Basic", Roles: basic},
		{ID: "plus", Name: "Plus", Roles: plus},
		{ID: "premium", Name: "Premium", Roles: premium, Features: map[string]bool{"LEARNING_MATERIAL": true}},
	}
}

// Key returns the tier's key.
func (t *Tier) Key() EntityKey { return EntityKey{KindTier, t.ID} }

// Validate checks all fields.
func (t *Tier) Validate() fault.FieldErrors {
	var f faults
	f.id("id", t.ID)
	f.Line("name", t.Name, 1, MaxNameLength)
	f.roles(t.Roles, "tiers")
	f.Length("features", len(t.Features), MaxListLength)
	for name := range t.Features {
		f.id("features", name)
	}
	return f.List()
}

// Redacted returns the tier itself, which contains no secrets.
func (t *Tier) Redacted() Entity { return t }

// ContentPackage is a subset of the catalogue to which accounts may be limited.
type ContentPackage struct {
	ID string `json:"id"`
	Meta
	Name string `json:"name"`
	// Rules may refer to records that do not exist yet, and then match nothing.
	Rules []catalogue.AccessRule `json:"rules"`
}

// Key returns the package's key.
func (p *ContentPackage) Key() EntityKey { return EntityKey{KindContentPackage, p.ID} }

// Names returns the folded name, which is unique among packages.
func (p *ContentPackage) Names() []string {
	return []string{NameOf("contentPackage", catalogue.FoldName(p.Name))}
}

// Validate checks all fields.
func (p *ContentPackage) Validate() fault.FieldErrors {
	var f faults
	f.id("id", p.ID)
	f.Line("name", p.Name, 1, MaxNameLength)
	if _, err := catalogue.CompileRules(p.Rules); err != nil {
		ruleFaults, _ := err.(fault.FieldErrors) //nolint:errorlint // the contract of CompileRules
		f.Append(ruleFaults)
	}
	return f.List()
}

// Redacted returns the package itself, which contains no secrets.
func (p *ContentPackage) Redacted() Entity { return p }

// Policy holds the operator's rules for all clients and tokens. There is exactly one.
type Policy struct {
	Meta
	// NotBefore invalidates all tokens issued before it; the zero time invalidates none.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// RequirePKCE rejects authorization requests without a code challenge, and RequireSecret rejects grants without
	// the client's secret, for all clients. If false, each client's own setting applies.
	RequirePKCE   bool `json:"requirePkce,omitempty"`
	RequireSecret bool `json:"requireSecret,omitempty"`
	// RequireStaffFactor makes staff who sign in with a password and have no SecondFactor enroll one before they are
	// signed in.
	RequireStaffFactor bool `json:"requireStaffFactor,omitempty"`
	// KeysRotated is the time of the last key rotation, and KeysWithdrawn the time at which older keys were last
	// withdrawn immediately; zero means never. They are stored for the audit log.
	KeysRotated   time.Time `json:"keysRotated,omitzero"`
	KeysWithdrawn time.Time `json:"keysWithdrawn,omitzero"`
}

// PolicyID is the ID of the one Policy.
const PolicyID = "tokens"

// Key returns the key of the policy.
func (p *Policy) Key() EntityKey { return EntityKey{KindPolicy, PolicyID} }

// Validate returns nil: every policy is valid.
func (p *Policy) Validate() fault.FieldErrors { return nil }

// Redacted returns the policy itself, which contains no secrets.
func (p *Policy) Redacted() Entity { return p }
