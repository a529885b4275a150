package searchtest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// comparison compares an engine with the Model.
type comparison struct {
	engine search.Index
	model  *Model
	// strict skips the results of the forgiving levels.
	strict bool
	// short skips the results of levels with optional words for texts of more than manyWords words.
	short bool
}

// run executes a scenario on both and returns the first difference.
func (c comparison) run(ctx context.Context, s scenario) error {
	return s.run(ctx, c.engine, c.model, func() error { return c.ask(ctx, s) })
}

// ask runs all queries of the scenario on both.
func (c comparison) ask(ctx context.Context, s scenario) error {
	for _, query := range s.queries {
		if err := c.matches(ctx, query); err != nil {
			return fmt.Errorf("matches of %+v, rules %+v: %w", query.Text, query.Access.Rules, err)
		}
		if err := c.finds(ctx, query); err != nil {
			return fmt.Errorf("rules %+v: %w", query.Access.Rules, err)
		}
		if c.strict && query.Level != (search.MatchLevel{}) || c.excluded(query) {
			continue
		}
		if err := c.query(ctx, query); err != nil {
			return fmt.Errorf("query %+v, rules %+v: %w", query, query.Access.Rules, err)
		}
	}
	for _, typed := range s.typed {
		if err := c.suggestions(ctx, typed); err != nil {
			return fmt.Errorf("suggestions for %q, rules %+v: %w", typed.text, typed.access.Rules, err)
		}
	}
	return nil
}

// excluded reports whether the LongForgiving gap excludes a query.
func (c comparison) excluded(query search.Query) bool {
	return c.short && query.Level.OptionalWords > 0 && len(c.model.analyse(query.Text).words) > manyWords
}

// query compares a page, its total and its facets. If relevance determines the order, it also compares the complete
// list as a set.
func (c comparison) query(ctx context.Context, query search.Query) error {
	got, err := c.engine.Search(ctx, query)
	if err != nil {
		return err
	}
	want, _ := c.model.Search(ctx, query)
	if got.Total != want.Total {
		return fmt.Errorf("total %d, want %d", got.Total, want.Total)
	}
	if diff := cmp.Diff(want.Facets, got.Facets, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("facets (-want +got):\n%s", diff)
	}
	if query.ByReleaseDate || query.Meaning == nil && c.model.analyse(query.Text).blank() {
		return sameRefs("page", got.Refs, want.Refs)
	}
	return c.byRelevance(ctx, query, got.Refs)
}

func (c comparison) byRelevance(ctx context.Context, query search.Query, page []catalogue.Ref) error {
	all := query
	all.Offset, all.Size, all.Facets = 0, search.MaxWindow, nil
	got, err := c.engine.Search(ctx, all)
	if err != nil {
		return err
	}
	want, _ := c.model.Search(ctx, all)
	if err := sameRefs("matches", sorted(got.Refs), sorted(want.Refs)); err != nil {
		return err
	}
	if err := c.tiers(query, got.Refs, want.Refs); err != nil {
		return err
	}
	from := min(query.Offset, len(got.Refs))
	return sameRefs("page of the list", page, got.Refs[from:min(from+query.Size, len(got.Refs))])
}

// tiers compares complete lists of the same videos in the part of the order that does not depend on relevance: pinned
// videos in their order, then boosted videos, then the others, then buried videos, boosted first.
func (c comparison) tiers(query search.Query, got, want []catalogue.Ref) error {
	for from, end := 0, 0; from < len(want); from = end {
		tier := c.tier(query, want[from])
		for end < len(want) && c.tier(query, want[end]) == tier {
			end++
		}
		if err := sameRefs(fmt.Sprintf("tier %v", tier), sorted(got[from:end]), sorted(want[from:end])); err != nil {
			return err
		}
	}
	return nil
}

// tier returns the part of a video's rank that does not depend on relevance.
func (c comparison) tier(query search.Query, ref catalogue.Ref) [2]int {
	return [2]int{ruleRank(ref.ID, query), count(isBoosted(&c.model.documents[ref.ID].Document, query.BoostNamed))}
}

func sorted(refs []catalogue.Ref) []catalogue.Ref {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b catalogue.Ref) int { return strings.Compare(a.String(), b.String()) })
	return refs
}

func sameRefs(what string, got, want []catalogue.Ref) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s %v, want %v", what, got, want)
	}
	return nil
}

// matches compares the counts of the match levels, up to the number to which an engine must count.
func (c comparison) matches(ctx context.Context, query search.Query) error {
	const enough = 3
	levels := search.MatchLevels(len(c.model.analyse(query.Text).words))
	if c.strict {
		levels = levels[:1]
	}
	for i, level := range levels {
		if query.Level = level; c.excluded(query) {
			levels = levels[:i]
			break
		}
	}
	got, err := c.engine.Matches(ctx, query.Text, levels, query.Access, query.Today, enough)
	if err != nil {
		return err
	}
	want, _ := c.model.Matches(ctx, query.Text, levels, query.Access, query.Today, enough)
	if len(got) != len(want) {
		return fmt.Errorf("%d counts, want %d", len(got), len(want))
	}
	reached := false
	for i := range want {
		if got[i] == -1 && reached {
			continue
		}
		if got[i] != want[i] && (got[i] < enough || got[i] > want[i]) {
			return fmt.Errorf("counts %v, want %v", got, want)
		}
		reached = reached || got[i] >= enough
	}
	return nil
}

// finds compares which texts have matches: the text of the query, each of its words, and a word that no document
// contains.
func (c comparison) finds(ctx context.Context, query search.Query) error {
	texts := []search.Text{query.Text, {Words: "zzqqxx"}}
	for _, word := range strings.Fields(query.Text.Words) {
		texts = append(texts, search.Text{Words: word})
	}
	got, err := c.engine.Finds(ctx, texts, query.Access, query.Today)
	if err != nil {
		return err
	}
	want, _ := c.model.Finds(ctx, texts, query.Access, query.Today)
	if !slices.Equal(got, want) {
		return fmt.Errorf("of %q found are %v, want %v", texts, got, want)
	}
	return nil
}

// suggestions compares the properties that determine the order of suggestions. The choice among equal suggestions is
// unspecified.
func (c comparison) suggestions(ctx context.Context, asked typedPrefix) error {
	const limit = 5
	got, err := c.engine.Phrases(ctx, asked.text, asked.access, today, limit)
	if err != nil {
		return err
	}
	all, _ := c.model.Phrases(ctx, asked.text, asked.access, today, search.MaxWindow)
	if len(got) != min(limit, len(all)) {
		return fmt.Errorf("%d suggestions %v, want %d of %v", len(got), got, min(limit, len(all)), all)
	}
	folded := c.model.analyzer.Fold(asked.text)
	for i, phrase := range got {
		if !slices.Contains(all, phrase) || slices.Contains(got[:i], phrase) {
			return fmt.Errorf("suggestion %+v, want each once of %v", phrase, all)
		}
		if c.suggestionKey(phrase, folded) != c.suggestionKey(all[i], folded) {
			return fmt.Errorf("suggestion %d is %+v, want one like %+v", i, phrase, all[i])
		}
	}
	return nil
}

func (c comparison) suggestionKey(phrase search.Phrase, typed string) [3]int {
	return [3]int{c.model.phraseRank(phrase.Text, typed), phrase.Videos, len([]rune(phrase.Text))}
}
