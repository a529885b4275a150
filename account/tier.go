package account

import (
	"fmt"
	"slices"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
)

// Tier is a named set of roles and features that accounts subscribe to.
type Tier struct {
	ID string `json:"id"`
	Meta
	Name  string       `json:"name"`
	Roles []Permission `json:"roles"`
	// Features switch parts of the customer's own pages on and off; they change no right.
	Features map[string]bool `json:"features,omitempty"`
}

// BuiltInTiers are the tiers that a new store begins with. They are data from then on: an operator may
// change them, add others, and delete those that no account has.
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

// Key names the tier.
func (t *Tier) Key() EntityKey { return EntityKey{KindTier, t.ID} }

// Owner is nobody.
func (t *Tier) Owner() string { return "" }

// Names is empty: a tier is found by its ID.
func (t *Tier) Names() []string { return nil }

// Links is empty.
func (t *Tier) Links() []EntityKey { return nil }

// Validate checks every field.
func (t *Tier) Validate() fault.FieldErrors {
	var f faults
	f.id("id", t.ID)
	f.Line("name", t.Name, 1, MaxNameLength)
	f.Length("roles", len(t.Roles), MaxListLength)
	for i, role := range t.Roles {
		if !slices.Contains(TierRights(), role) {
			f.Add(fmt.Sprintf("roles[%d]", i), "%q is not a role of tiers", role)
		}
	}
	f.Length("features", len(t.Features), MaxListLength)
	for name := range t.Features {
		f.id("features", name)
	}
	return f.List()
}

// Redacted is the tier: it holds no secret.
func (t *Tier) Redacted() Entity { return t }

// ContentPackage is a slice of the catalogue that accounts may be limited to.
type ContentPackage struct {
	ID string `json:"id"`
	Meta
	Name  string                 `json:"name"`
	Rules []catalogue.AccessRule `json:"rules"`
}

// Key names the package.
func (p *ContentPackage) Key() EntityKey { return EntityKey{KindContentPackage, p.ID} }

// Owner is nobody.
func (p *ContentPackage) Owner() string { return "" }

// Names is the name, folded: no two packages share one.
func (p *ContentPackage) Names() []string {
	return []string{NameOf("contentPackage", catalogue.FoldName(p.Name))}
}

// Links is empty: rules may name what is not there yet, and then match nothing.
func (p *ContentPackage) Links() []EntityKey { return nil }

// Validate checks every field.
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

// Redacted is the package: it holds no secret.
func (p *ContentPackage) Redacted() Entity { return p }

// Policy is what the operator decides for all clients and tokens. There is one.
type Policy struct {
	Meta
	// NotBefore is the instant before which no token counts that was issued; zero: there is none.
	NotBefore time.Time `json:"notBefore,omitzero"`
	// RequirePKCE refuses authorization requests without a code challenge, RequireSecret grants without the client's
	// secret, from every client; otherwise each client's own settings decide.
	RequirePKCE   bool `json:"requirePkce,omitempty"`
	RequireSecret bool `json:"requireSecret,omitempty"`
	// KeysRotated is when the keys of tokens were rotated last, and KeysWithdrawn when the older ones were withdrawn
	// at once; zero: never. They are kept for the trail.
	KeysRotated   time.Time `json:"keysRotated,omitzero"`
	KeysWithdrawn time.Time `json:"keysWithdrawn,omitzero"`
}

// PolicyID is the ID of the one Policy.
const PolicyID = "tokens"

// Key names the policy.
func (p *Policy) Key() EntityKey { return EntityKey{KindPolicy, PolicyID} }

// Owner is nobody.
func (p *Policy) Owner() string { return "" }

// Names is empty.
func (p *Policy) Names() []string { return nil }

// Links is empty.
func (p *Policy) Links() []EntityKey { return nil }

// Validate finds no fault.
func (p *Policy) Validate() fault.FieldErrors { return nil }

// Redacted is the policy.
func (p *Policy) Redacted() Entity { return p }
