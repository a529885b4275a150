package searchtest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// Package is a content package for measurements.
type Package struct {
	Name   string
	Access catalogue.Access
}

// Packages returns content packages built from the values of a catalogue: none, one that hides few videos, one that
// shows part of the catalogue, and several that name 100 videos or catalogue.MaxRuleValues videos.
func Packages(documents []search.Document) []Package {
	values := map[catalogue.RuleType]*counted{}
	add := func(kind catalogue.RuleType, list ...string) {
		if values[kind] == nil {
			values[kind] = &counted{hits: map[string]int{}}
		}
		values[kind].add(list)
	}
	for i := range documents {
		d := &documents[i]
		add(catalogue.ExcludedChannels, string(d.Channel))
		add(catalogue.ExcludedLanguages, string(d.Language))
		add(catalogue.ExcludedContentWarnings, texts(d.Warnings)...)
		add(catalogue.IncludedSubjects, texts(d.Subjects)...)
		add(catalogue.IncludedEducationLevels, d.EducationLevels...)
	}
	rare := func(kind catalogue.RuleType, n int) catalogue.AccessRule {
		all := values[kind].rarestFirst()
		return catalogue.AccessRule{Type: kind, Values: all[:min(n, len(all))]}
	}
	frequent := func(kind catalogue.RuleType, n int) catalogue.AccessRule {
		all := values[kind].rarestFirst()
		return catalogue.AccessRule{Type: kind, Values: all[max(0, len(all)-n):]}
	}
	videos := func(kind catalogue.RuleType, n int) Package {
		rule := catalogue.AccessRule{Type: kind}
		every := max(1, len(documents)/n)
		for i := 0; i < len(documents) && len(rule.Values) < n; i += every {
			rule.Values = append(rule.Values, string(documents[i].ID))
		}
		return Package{fmt.Sprintf("%s of %d", kind, len(rule.Values)), accessBy(rule)}
	}
	return []Package{
		{"none", catalogue.Access{}},
		{"exclusions", accessBy(
			rare(catalogue.ExcludedChannels, 2), rare(catalogue.ExcludedLanguages, 2), rare(catalogue.ExcludedContentWarnings, 1))},
		{"includes and exclusions", accessBy(
			frequent(catalogue.IncludedSubjects, 20), frequent(catalogue.IncludedEducationLevels, 5),
			rare(catalogue.ExcludedChannels, 2), rare(catalogue.ExcludedContentWarnings, 1))},
		videos(catalogue.IncludedVideos, 100),
		videos(catalogue.IncludedVideos, catalogue.MaxRuleValues),
		videos(catalogue.ExcludedVideos, 100),
		videos(catalogue.ExcludedVideos, catalogue.MaxRuleValues),
	}
}

// counted counts the documents with each value.
type counted struct{ hits map[string]int }

func (c *counted) add(list []string) {
	for _, value := range list {
		if value != "" {
			c.hits[value]++
		}
	}
}

func (c *counted) rarestFirst() []string {
	var all []string
	for value := range c.hits {
		all = append(all, value)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(c.hits[a], c.hits[b]), cmp.Compare(a, b))
	})
	return all
}

func texts[T ~string](list []T) []string {
	all := make([]string, len(list))
	for i, value := range list {
		all[i] = string(value)
	}
	return all
}
