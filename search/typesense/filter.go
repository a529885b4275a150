package typesense

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/search"
)

// A filter of Typesense 0.24 may have at most 100 operands, operators and parentheses (later versions: 100 operators),
// but lists of any length. Conditions therefore use as few operands as possible: one operand matches any value of a
// list, and ":" matches all words of one value, in any order.

// maxOperands is the maximum number of operands, operators and parentheses of a filter.
const maxOperands = 100

// operands returns the number of operands, operators and parentheses of a condition.
func operands(filter string) int {
	operators := strings.Count(filter, "&&") + strings.Count(filter, "||")
	return 2*operators + 1 + strings.Count(filter, "(") + strings.Count(filter, ")")
}

// nothing is a condition that no document matches.
const nothing = fieldOrder + ":<0"

// oneOf returns the condition that a field has one of the tokens.
func oneOf(name string, tokens []string) string { return listed(name+":=", tokens, ",") }

// anyOf returns the condition that a text of distinct tokens has one of the given tokens.
func anyOf(name string, tokens []string) string { return listed(name+":", tokens, ",") }

// allOf returns the condition that a field, which is a list or a text, has all tokens.
func allOf(name string, tokens []string) string { return listed(name+":", tokens, " ") }

func listed(operator string, tokens []string, separator string) string {
	if len(tokens) == 0 {
		return nothing
	}
	return operator + "[" + strings.Join(tokens, separator) + "]"
}

// and returns the conjunction of conditions and omits empty ones. A condition with "||" must be in parentheses.
func and(conditions ...string) string {
	return strings.Join(slices.DeleteFunc(conditions, func(c string) bool { return c == "" }), " && ")
}

// or returns the disjunction of conditions, in parentheses if necessary.
func or(conditions ...string) string {
	for i, c := range conditions {
		if strings.Contains(c, "&&") {
			conditions[i] = "(" + c + ")"
		}
	}
	if len(conditions) == 1 {
		return conditions[0]
	}
	return "(" + strings.Join(conditions, " || ") + ")"
}

// The facets whose buckets are ranges. A facet is identified by the field that counts its buckets.
const (
	durationFacet = fieldDurationBuckets
	ageFacet      = fieldAgeBuckets
)

// conditions are the conditions of a query, grouped for facets.
type conditions struct {
	// common applies to every count: the access rules, and the filters that belong to no facet.
	common string
	// text is the condition of the text, of pinned videos and of those near to its meaning. It applies to every count, too.
	text string
	own  []ownFilter
}

// ownFilter is the filter of a facet. The condition is "" if the query has no such filter.
type ownFilter struct{ facet, condition string }

// all returns the condition of results.
func (c *conditions) all() string { return c.without("") }

// without returns the condition of the counts of a facet, which omits the facet's own filter.
func (c *conditions) without(facet string) string {
	return and(c.text, c.beside(facet))
}

// beside is without for documents that are known to match the text.
func (c *conditions) beside(facet string) string {
	all := []string{c.common}
	for _, own := range c.own {
		if own.facet != facet {
			all = append(all, own.condition)
		}
	}
	return and(all...)
}

// hasOwn reports whether a facet has a filter of its own.
func (c *conditions) hasOwn(facet string) bool {
	return slices.ContainsFunc(c.own, func(own ownFilter) bool { return own.facet == facet && own.condition != "" })
}

// longest returns the number of operands and operators of the longest filter of a query.
func (c *conditions) longest() int {
	buckets := max(operands(c.without(durationFacet)), operands(c.without(ageFacet))) + customBucket
	return max(operands(c.all()), buckets)
}

// conditionsOf returns the conditions of a query. visible is the condition of its access rules. The text gets the rest
// of the budget.
func conditionsOf(query *search.Query, visible string, q *question, near *nearest) *conditions {
	f := &query.Filter
	c := &conditions{common: and(visible, common(f)), own: []ownFilter{
		{durationFacet, durations(f.Durations)},
		{ageFacet, and(brackets(f.Ages), strictAges(f.AgeMin, f.AgeMax))},
		{fieldSubjects, values(fieldSubjects, f.Subjects)},
		{fieldTags, tags(f.Tags)},
		{fieldType, values(fieldType, f.Types)},
		{fieldChannel, values(fieldChannel, f.Channels)},
		{fieldLevels, values(fieldLevels, f.EducationLevels)},
		{fieldTopics, values(fieldTopics, f.Topics)},
		{fieldLanguage, values(fieldLanguage, f.Languages)},
		{fieldCEFR, values(fieldCEFR, f.CEFR)},
		{fieldSubtypes, values(fieldSubtypes, f.Subtypes)},
		{fieldResourceTypes, values(fieldResourceTypes, f.ResourceTypes)},
	}}
	budget := maxOperands - c.longest() - 1
	if hasRules(query) || near != nil {
		budget -= rulesBudget
	}
	matching := query.Pin
	if near != nil {
		matching = slices.Concat(query.Pin, near.ids)
	}
	if q.blank() && near != nil {
		c.text = ids(append([]catalogue.ID{}, matching...))
	} else {
		c.text = orPinned(q.condition(query.Level, budget), matching)
	}
	return c
}

// common returns the condition of the filters that belong to no facet.
func common(f *search.Filter) string {
	if f.Nothing {
		return nothing
	}
	updated := ""
	if from, limited := f.UpdatedFromMicro(); limited {
		updated = fmt.Sprintf("%s:>=%d", fieldUpdated, from)
	}
	return and(ids(f.IDs), released(f.ReleasedFrom, f.ReleasedTo), updated, flag(fieldManual, f.SubjectsSetManually),
		flag(fieldPromoted, f.Promoted), flag(fieldYouTube, f.YouTube), values(fieldCategories, f.Categories), places(f.Curriculum))
}

// released returns the condition of Filter.ReleasedFrom and ReleasedTo.
func released(from, to *catalogue.Date) string {
	switch {
	case from != nil && to != nil:
		return between(fieldReleased, int(*from), int(*to))
	case from != nil:
		return fmt.Sprintf("%s:>=%d", fieldReleased, int(*from))
	case to != nil:
		return fmt.Sprintf("%s:<=%d", fieldReleased, int(*to))
	}
	return ""
}

// flag returns the condition of a Boolean field. Without a wanted value, there is no filter.
func flag(name string, wanted *bool) string {
	if wanted == nil {
		return ""
	}
	return fmt.Sprintf("%s:=%t", name, *wanted)
}

// ids returns the condition that a document has one of the ids, without duplicates: Typesense counts a document once
// per occurrence of its id. A nil list is no filter.
func ids(wanted []catalogue.ID) string {
	if wanted == nil {
		return ""
	}
	tokens := make([]string, len(wanted))
	for i, id := range wanted {
		tokens[i] = encodeID(id)
	}
	slices.Sort(tokens)
	return anyOf("id", slices.Compact(tokens))
}

// values returns the condition of a list. A nil list is no filter.
func values[T ~string](name string, wanted []T) string {
	if wanted == nil {
		return ""
	}
	return oneOf(name, encodeAll(wanted))
}

// places returns the condition of places in a curriculum as one operand, which lists the pairs of a category and a
// level. The traits of a document contain both; the traits of a private document are marked.
func places(wanted []search.Place) string {
	if wanted == nil {
		return ""
	}
	var pairs tokenSet
	for _, place := range wanted {
		categories, levels := traits(categoryTrait, place.Categories...), traits(levelTrait, place.EducationLevels...)
		switch {
		case place.Categories == nil && place.EducationLevels == nil:
			return ""
		case place.Categories == nil:
			categories = []string{""}
		case place.EducationLevels == nil:
			levels = []string{""}
		}
		for _, category := range categories {
			for _, level := range levels {
				pairs.add(pair("", category, level))
				pairs.add(pair(privateMark, category, level))
			}
		}
	}
	return anyOf(fieldTraits, pairs.tokens)
}

// pair returns the tokens that a document with a mark must have. One of the two may be "".
func pair(mark, category, level string) string {
	var tokens []string
	for _, token := range []string{category, level} {
		if token != "" {
			tokens = append(tokens, mark+token)
		}
	}
	return strings.Join(tokens, " ")
}

// tags returns the condition that a video has all tags. No video has an empty tag.
func tags(wanted []catalogue.ID) string {
	switch {
	case wanted == nil:
		return ""
	case slices.Contains(wanted, ""):
		return nothing
	}
	return allOf(fieldTags, encodeAll(wanted))
}

// durations returns the condition of ranges, including both ends.
func durations(ranges []catalogue.DurationRange) string {
	if ranges == nil {
		return ""
	}
	var written []string
	for _, r := range ranges {
		highest := int64(math.MaxInt64)
		if r.Max != nil {
			highest = int64(*r.Max)
		}
		if int64(r.Min) <= highest {
			written = append(written, fmt.Sprintf("%d..%d", int64(r.Min), highest))
		}
	}
	return anyOf(fieldDuration, written)
}

// strictAges returns the condition of Filter.AgeMin and AgeMax.
func strictAges(lowest, highest *int) string {
	switch {
	case lowest != nil && highest != nil:
		return and(between(fieldAgeMin, *lowest, *highest-1), between(fieldAgeMax, *lowest+1, *highest))
	case lowest != nil:
		return fmt.Sprintf("%s:>=%d", fieldAgeMin, *lowest)
	case highest != nil:
		return fmt.Sprintf("%s:<=%d", fieldAgeMax, *highest)
	}
	return ""
}

// between returns the condition that a number is in a range, including both ends.
func between(name string, lowest, highest int) string {
	if lowest > highest {
		return nothing
	}
	return fmt.Sprintf("%s:[%d..%d]", name, lowest, highest)
}

// The minimum and the maximum age of a video are one number: the minimum times agesRow plus the maximum. Any number of
// brackets is then one operand of a filter, which lists the least maximum age for each minimum age.

const (
	agesRow     = 1000
	beyondAges  = catalogue.MaxAge + 1 // above all brackets; ages from here on are equal
	unknownAges = -1
)

// agesNumber returns the number of an age range.
func agesNumber(lowest, highest int) int {
	within := func(age int) int { return min(max(age, 0), beyondAges) }
	return within(lowest)*agesRow + within(highest)
}

// agesReaching returns the condition that the maximum age is at least reach(minimum age). If reach returns beyondAges,
// no maximum age suffices.
func agesReaching(reach func(lowest int) int) string {
	var written []string
	for lowest := range beyondAges {
		if least := reach(lowest); least < beyondAges {
			written = append(written, fmt.Sprintf("%d..%d", lowest*agesRow+least, lowest*agesRow+beyondAges))
		}
	}
	return anyOf(fieldAges, written)
}

// brackets returns the condition of AgeBracket.Matches for any of the brackets: from the minimum age, or from the start
// of the bracket, both contain a second age.
func brackets(wanted []catalogue.AgeBracket) string {
	if wanted == nil {
		return ""
	}
	return agesReaching(func(lowest int) int {
		least := beyondAges
		for _, b := range wanted {
			if second := max(lowest, b.From) + 1; second <= b.To {
				least = min(least, second)
			}
		}
		return least
	})
}
