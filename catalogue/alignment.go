package catalogue

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// Provider is whose curriculum or textbooks videos are aligned to.
type Provider struct {
	Meta
	Name string `json:"name"`
	// Slug names the provider in addresses: 1 to 50 characters of a-z, 0-9 and hyphen.
	Slug string `json:"slug"`
	// Types are the kinds of themes that the provider has, in the operator's order.
	Types       []string `json:"types"`
	Description string   `json:"description"`
	// LogoURL and DefaultThemeLogoURL are "" where there is none.
	LogoURL             string `json:"logoUrl"`
	DefaultThemeLogoURL string `json:"defaultThemeLogoUrl"`
	// Hidden providers and their themes are for the operator alone.
	Hidden bool `json:"hidden"`
}

var slug = regexp.MustCompile(`^[a-z0-9-]{1,50}$`)

// Kind is KindProvider.
func (*Provider) Kind() Kind { return KindProvider }

// Links is empty.
func (*Provider) Links() []Link { return nil }

// Validate checks every field.
func (p *Provider) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", p.Name, 1, MaxNameLength)
	if !f.lacks("slug", p.Slug) && !slug.MatchString(p.Slug) {
		f.Add("slug", "%q is not 1 to 50 characters of a-z, 0-9 and hyphen", Shorten(p.Slug))
	}
	f.Length("types", len(p.Types), MaxListLength)
	for i, kind := range p.Types {
		f.Text(fmt.Sprintf("types[%d]", i), kind, 1, MaxNameLength)
	}
	f.Text("description", p.Description, 0, MaxTextLength)
	f.optionalURL("logoUrl", p.LogoURL)
	f.optionalURL("defaultThemeLogoUrl", p.DefaultThemeLogoURL)
	return f.List()
}

// Theme is a book or a standard of a provider: topics, their targets, and the videos that help to reach
// each target.
type Theme struct {
	Meta
	ProviderID ID `json:"provider"`
	// Type is one of those of the provider.
	Type  string `json:"type"`
	Title string `json:"title"`
	// LogoURL is "" where the provider's holds.
	LogoURL string       `json:"logoUrl"`
	Topics  []ThemeTopic `json:"topics"`
}

// ThemeTopic is one chapter of a theme.
type ThemeTopic struct {
	// Index is the topic's number among those of the theme, by which it is ordered.
	Index   int           `json:"index"`
	Title   string        `json:"title"`
	Targets []ThemeTarget `json:"targets"`
}

// ThemeTarget is something to be learned.
type ThemeTarget struct {
	// Index is the target's number among those of the topic, by which it is ordered.
	Index int    `json:"index"`
	Title string `json:"title"`
	// VideoIDs are in the operator's order. A video need not be there yet; deleting it takes it out. What there
	// is not, or what a caller may not see, is left out when the target is shown.
	VideoIDs []ID `json:"videos"`
}

// Kind is KindTheme.
func (*Theme) Kind() Kind { return KindTheme }

// Links is empty: the owner is checked by itself, and videos need not be there.
func (*Theme) Links() []Link { return nil }

// Owner is the provider.
func (t *Theme) Owner() Link { return Link{Kind: KindProvider, ID: t.ProviderID, Field: "provider"} }

// DropVideos takes videos out of every target, and reports whether any named one of them.
func (t *Theme) DropVideos(gone func(ID) bool) (dropped bool) {
	for _, topic := range t.Topics {
		for i := range topic.Targets {
			named := &topic.Targets[i].VideoIDs
			left := slices.DeleteFunc(slices.Clone(*named), gone)
			dropped = dropped || len(left) < len(*named)
			if *named = left; len(left) == 0 {
				*named = nil
			}
		}
	}
	return dropped
}

// MaxThemeTargets is the most targets that a theme may have.
const MaxThemeTargets = 5_000

// Validate checks every field.
func (t *Theme) Validate() fault.FieldErrors {
	var f Faults
	if t.ProviderID == "" {
		f.Add("provider", "is required")
	}
	f.Text("type", t.Type, 0, MaxNameLength)
	f.Text("title", t.Title, 1, MaxTitleLength)
	f.optionalURL("logoUrl", t.LogoURL)
	f.Length("topics", len(t.Topics), MaxListLength)
	targets := 0
	for i, topic := range t.Topics {
		field := fmt.Sprintf("topics[%d]", i)
		f.Text(field+".title", topic.Title, 1, MaxTitleLength)
		targets += len(topic.Targets)
		for j, target := range topic.Targets {
			field := fmt.Sprintf("%s.targets[%d]", field, j)
			f.Text(field+".title", target.Title, 1, MaxTextLength)
			f.Length(field+".videos", len(target.VideoIDs), MaxListLength)
			for k, id := range target.VideoIDs {
				if !id.Valid() {
					f.Add(fmt.Sprintf("%s.videos[%d]", field, k), "%q is not %d lower-case hexadecimal characters", Shorten(string(id)), IDLength)
				}
			}
		}
	}
	if targets > MaxThemeTargets {
		f.Add("topics", "have %d targets, at most %d are allowed", targets, MaxThemeTargets)
	}
	return f.List()
}
