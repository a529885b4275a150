package importline

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	c "github.com/filmstrip/filmstrip/catalogue"
)

func providerShape() *shape {
	return shapeOf[c.Provider](
		at("name", required, func(x *c.Provider) *string { return &x.Name }, text),
		at("slug", required, func(x *c.Provider) *string { return &x.Slug }, text),
		at("types", optional, func(x *c.Provider) *[]string { return &x.Types }, list(text)),
		at("description", optional, func(x *c.Provider) *string { return &x.Description }, text),
		at("logoUrl", optional, func(x *c.Provider) *string { return &x.LogoURL }, text),
		at("defaultThemeLogoUrl", optional, func(x *c.Provider) *string { return &x.DefaultThemeLogoURL }, text),
		at("hidden", optional, func(x *c.Provider) *bool { return &x.Hidden }, boolean),
	)
}

func themeShape() *shape {
	return shapeOf[c.Theme](
		at("provider", required, func(x *c.Theme) *c.ID { return &x.ProviderID }, referenceTo(c.KindProvider)),
		at("type", optional, func(x *c.Theme) *string { return &x.Type }, text),
		at("title", required, func(x *c.Theme) *string { return &x.Title }, text),
		at("logoUrl", optional, func(x *c.Theme) *string { return &x.LogoURL }, text),
		at("topics", optional, func(x *c.Theme) *[]c.ThemeTopic { return &x.Topics },
			numbered(themeTopicFields, c.MaxListLength, func(x *c.ThemeTopic) *int { return &x.Index })).holding(themeTopicFields),
	)
}

var themeTopicFields = newTable(
	numberField(func(x *c.ThemeTopic) *int { return &x.Index }),
	at("title", required, func(x *c.ThemeTopic) *string { return &x.Title }, text),
	at("targets", optional, func(x *c.ThemeTopic) *[]c.ThemeTarget { return &x.Targets },
		numbered(themeTargetFields, c.MaxThemeTargets, func(x *c.ThemeTarget) *int { return &x.Index })).holding(themeTargetFields),
)

var themeTargetFields = newTable(
	numberField(func(x *c.ThemeTarget) *int { return &x.Index }),
	at("title", required, func(x *c.ThemeTarget) *string { return &x.Title }, text),
	at("videos", optional, func(x *c.ThemeTarget) *[]c.ID { return &x.VideoIDs }, list(referenceTo(c.KindVideo))),
)

// number is the field of an object's number within its list.
const number = "index"

func numberField[T any](place func(*T) *int) field { return at(number, defaulted, place, whole) }

// numbered returns a reader of lists of numbered objects, which it sorts by number. An object without a number gets its
// index in the list, from 0. An empty list is nil.
func numbered[T any](fields *table, most int, place func(*T) *int) func(*scope, jsontext.Value) []T {
	return func(s *scope, value jsontext.Value) (list []T) {
		s.Each(value, most, func(element jsontext.Value) {
			item, present := readObject[T](s, fields, element)
			if !present.has(fields.index[number]) {
				*place(&item) = len(list)
			}
			list = append(list, item)
		})
		slices.SortStableFunc(list, func(a, b T) int { return cmp.Compare(*place(&a), *place(&b)) })
		return list
	}
}
