package searchtest

import (
	"strconv"
	"testing"

	"github.com/filmstrip/filmstrip/search"
)

func (s collectionSuite) phrases(t *testing.T) {
	st := s.fill(t, collections(
		named("Running water", "About rivers"),
		named("Rivers", "They run, and water flows"),
		named("Water that runs", ""),
		named("The states of matter", "water"),
		named("X-ray machines", "Café société"),
		named("日本語の水", ""),
		named("Wind", "run"),
		named("water", "wind run water wind"),
		named("Water cycle water cycle cycle", "evaporation"),
	)...)
	for text, want := range map[string][]int{
		"":                  {1, 2, 3, 4, 5, 6, 7, 8, 9},
		" ?! ":              {1, 2, 3, 4, 5, 6, 7, 8, 9},
		"run":               {1, 3, 2, 7, 8},
		"RUNNING":           {1, 3, 2, 7, 8},
		"runs water":        {1, 8},
		"runs, waters!":     {1, 8},
		"water running":     nil,
		"water that run":    {3},
		"that":              {3},
		"the state of":      {4},
		"the of":            nil,
		"wind run":          {8}, // spans title and description, so it is no phrase
		"cafe societe":      {5},
		"x-ray":             {5},
		"xray":              {5},
		"ray machine":       {5},
		"日本":                {6},
		"日語":                nil,
		"本語の水":              {6},
		"water":             {1, 3, 8, 9, 2, 4},
		"cycle cycle":       {9},
		"water cycle cycle": {9},
		"cycle water water": nil,
		"wind run water":    {8},
		"water wind":        {8},
		"unheard":           nil,
		"water unheard":     nil,
	} {
		t.Run(strconv.Quote(text), func(t *testing.T) { st.in(t).wantList(phrase(text), want...) })
	}
}

func (s collectionSuite) partialTitles(t *testing.T) {
	st := s.fill(t, collections(
		named("Running water", "rivers"),
		named("Rainwaters", "water"),
		named("Café d'été", "water"),
		named("日本語", ""),
		named("", "water"),
		named("abcabd", ""),
	)...)
	for text, want := range map[string][]int{
		"":              {1, 2, 3, 4, 5, 6},
		"!":             {1, 2, 3, 4, 5, 6},
		"w":             {1, 2},
		"WATER":         {1, 2},
		"ning wat":      {1},
		"ningwat":       nil,
		"ning  wat":     {1},
		"run":           {1},
		"runs":          nil,
		"cafe":          {3},
		"rivers":        nil,
		"本語":            {4},
		"日本":            {4},
		"abd":           {6},
		"bcabd":         {6},
		"bdabc":         nil,
		"running water": {1},
	} {
		t.Run(strconv.Quote(text), func(t *testing.T) {
			st.in(t).wantList(everything(func(q *search.CollectionQuery) { q.Text, q.PartialTitle = text, true }), want...)
		})
	}
}
