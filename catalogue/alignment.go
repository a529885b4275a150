package catalogue

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/filmstrip/filmstrip/fault"
)

// Provider publishes a curriculum or textbooks to which videos are aligned.
type Provider struct {
	Meta
	Name string `json:"name"`
	// Slug identifies the provider in URLs: 1 to 50 characters of a-z, 0-9 and hyphen.
	Slug string `json:"slug"`
	// Types are the types of the provider's themes, in the operator's order.
	Types       []string `json:"types"`
	Description string   `json:"description"`
	// LogoURL and DefaultThemeLogoURL are "" if there is none.
	LogoURL             string `json:"logoUrl"`
	DefaultThemeLogoURL string `json:"defaultThemeLogoUrl"`
	// Hidden providers and their themes are visible to the operator only.
	Hidden bool `json:"hidden"`
}

var slug = regexp.MustCompile(`^[a-z0-9-]{1,50}$`)

// Kind returns KindProvider.
func (*Provider) Kind() Kind { return KindProvider }

// Validate checks all fields.
func (p *Provider) Validate() fault.FieldErrors {
	var f Faults
	f.Text("name", p.Name, 1, MaxNameLength)
	if !f.lacks("slug", p.Slug) && !slug.MatchString(p.Slug) {
		f.Add("slug", "%q is not 1 to 50 characters of a-z, 0-9 and hyphen", fault.Shorten(p.Slug))
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

// Theme is a book or standard of a provider: topics with targets, and the videos aligned to each target.
type Theme struct {
	Meta
	ProviderID ID `json:"provider"`
	// Type is one of the provider's types.
	Type  string `json:"type"`
	Title string `json:"title"`
	// LogoURL is "" if the provider's default logo applies.
	LogoURL string       `json:"logoUrl"`
	Topics  []ThemeTopic `json:"topics"`
}

// ThemeTopic is a chapter of a theme.
type ThemeTopic struct {
	// Index determines the order of the topics in the theme.
	Index   int           `json:"index"`
	Title   string        `json:"title"`
	Targets []ThemeTarget `json:"targets"`
}

// ThemeTarget is a learning target.
type ThemeTarget struct {
	// Index determines the order of the targets in the topic.
	Index int    `json:"index"`
	Title string `json:"title"`
	// VideoIDs are in the operator's order. Videos need not exist; deleting a video removes it. Videos that do not
	// exist, or that the caller may not see, are omitted from responses.
	VideoIDs []ID `json:"videos"`
}

// Kind returns KindTheme.
func (*Theme) Kind() Kind { return KindTheme }

// Owner returns the provider.
func (t *Theme) Owner() Link { return Link{Kind: KindProvider, ID: t.ProviderID, Field: "provider"} }

// DropVideos removes videos from every target and reports whether any target contained one.
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

// MaxThemeTargets is the maximum number of targets of a theme.
const MaxThemeTargets = 5_000

// Validate checks all fields.
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
					f.Add(fmt.Sprintf("%s.videos[%d]", field, k), "%q is not %d lower-case hexadecimal characters", fault.Shorten(string(id)), IDLength)
				}
			}
		}
	}
	if targets > MaxThemeTargets {
		f.Add("topics", "have %d targets, at most %d are allowed", targets, MaxThemeTargets)
	}
	return f.List()
}
