package generate

import (
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
)

var legalRestrictions = []string{
	"For use in classrooms only",
	"Not to be shown in public",
	"Not to be cut or combined with other videos",
	"The credits at the end must be shown",
	"Not to be used together with advertisements",
}

func (r *sharedRecords) addLegalRestrictions() {
	for i, text := range legalRestrictions {
		r.add(&catalogue.LegalRestriction{Text: text}, "restriction-"+strconv.Itoa(i+1))
	}
}

// addPhrases adds suggestions: the names of topics, and other words for subjects.
func (r *sharedRecords) addPhrases() {
	taken := map[string]bool{}
	add := func(text string) {
		if folded := catalogue.FoldName(text); !taken[folded] {
			taken[folded] = true
			r.add(&catalogue.Phrase{Text: text}, "phrase-"+strconv.Itoa(len(taken)))
		}
	}
	for i := range areas {
		for _, wording := range []string{"introduction to ", "history of "} {
			add(wording + strings.ToLower(areas[i].name))
		}
		nouns := strings.Fields(areas[i].nouns)
		for at := range topicsPerArea {
			add(plural(nouns[2*at]) + " and " + plural(nouns[2*at+1]))
		}
	}
}

// providers are the providers of curricula. The last one is hidden.
var providers = []struct{ slug, name, kind, about string }{
	{"open-textbooks", "Open Textbooks", "Textbook", "Books under free licences, chapter by chapter."},
	{"common-goals", "Common Goals", "Standard", "What pupils are to know and to do, subject by subject."},
	{"drafts", "Drafts", "Standard", "Curricula that are not ready to be shown."},
}

func (r *sharedRecords) addProviders() {
	for i, provider := range providers {
		r.providers = append(r.providers, r.add(&catalogue.Provider{
			Name: provider.name, Slug: provider.slug, Types: []string{provider.kind}, Description: provider.about,
			LogoURL:             "https://media.example/images/providers/" + provider.slug + ".png",
			DefaultThemeLogoURL: "https://media.example/images/providers/" + provider.slug + "-theme.png",
			Hidden:              i == len(providers)-1,
		}, "provider-"+provider.slug))
	}
}

// themeVideos is how many videos of a subject themes refer to.
const themeVideos = 60

// videoForThemes generates the video with a number, and keeps it for themes as long as there is room.
func (g *generator) videoForThemes(number int) *catalogue.Video {
	v := g.video(number)
	if g.options.Material && !v.Retired && len(v.SubjectIDs) > 0 {
		if videos := g.themed[v.SubjectIDs[0]]; len(videos) < themeVideos {
			g.themed[v.SubjectIDs[0]] = append(videos, v.ID)
		}
	}
	return v
}

// themes returns a theme of each provider for each subject, with the subject's topics and videos.
func (g *generator) themes() (list []*catalogue.Theme) {
	rng := rand.New(rand.NewPCG(g.options.Seed, 1<<62))
	for i, provider := range providers {
		for area := range areas {
			theme := &catalogue.Theme{ProviderID: g.providers[i], Type: provider.kind, Title: areas[area].name}
			if i == 0 {
				theme.LogoURL = "https://media.example/images/themes/" + slug(areas[area].name) + ".png"
			}
			nouns := strings.Fields(areas[area].nouns)
			for at := range topicsPerArea {
				theme.Topics = append(theme.Topics, themeTopic(rng, at, nouns[2*at:2*at+2], g.themed[g.subjects[area]]))
			}
			list = append(list, named(theme, "theme-"+provider.slug+"-"+slug(areas[area].name)))
		}
	}
	return list
}

// themeTopic returns a topic with a target for each noun and one for both.
func themeTopic(rng *rand.Rand, index int, nouns []string, videos []catalogue.ID) catalogue.ThemeTopic {
	first, second := plural(nouns[0]), plural(nouns[1])
	topic := catalogue.ThemeTopic{Index: index, Title: string(capitalize([]byte(first+" and "+second), 0))}
	for i, title := range []string{
		"Explain what " + first + " are", "Explain what " + second + " are", "Tell " + first + " from " + second,
	} {
		target := catalogue.ThemeTarget{Index: i, Title: title}
		if len(videos) > 0 {
			from := rng.IntN(len(videos))
			for n := range min(1+rng.IntN(4), len(videos)) {
				target.VideoIDs = append(target.VideoIDs, videos[(from+n)%len(videos)])
			}
		}
		topic.Targets = append(topic.Targets, target)
	}
	return topic
}
