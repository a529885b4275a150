package usagelogic

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// question is a query with numbers in place of texts.
type question struct {
	*usage.Query
	// accounts lists the requested accounts, without duplicates.
	accounts []Number
	// only contains the values that Query.Only accepts. A nil list accepts any value.
	only [usage.Dimensions][]Number
	skip skipped
}

func ask(ctx context.Context, source Source, query *usage.Query) (*question, error) {
	q := &question{Query: query, skip: skipped{
		users:  query.NoUsers && query.Order != usage.MostUsers,
		videos: query.NoVideos && query.Order != usage.MostVideos,
	}}
	for d := range usage.Dimensions {
		if query.Only[d] == nil {
			continue
		}
		var err error
		if q.only[d], err = numbersOf(ctx, source, d, query.Only[d]); err != nil {
			return nil, err
		}
	}
	var err error
	q.accounts, err = q.only[usage.ByAccount], nil
	if q.accounts == nil {
		q.accounts, err = everyAccount(ctx, source)
	}
	return q, err
}

// everyAccount returns all accounts, and 0 for the plays that have none.
func everyAccount(ctx context.Context, source Source) ([]Number, error) {
	accounts, err := source.Accounts(ctx)
	return append(accounts, 0), err
}

// numbersOf returns the numbers of texts, sorted and without duplicates. It never returns a nil slice.
func numbersOf(ctx context.Context, source Source, dimension usage.Dimension, texts []string) ([]Number, error) {
	numbers := []Number{}
	named := slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
	if len(named) > 0 {
		found, err := source.Find(ctx, dimension, named)
		if err != nil {
			return nil, err
		}
		numbers = append(numbers, found...)
	}
	if len(named) < len(texts) {
		numbers = append(numbers, 0)
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// keeps reports whether a play of one of the requested accounts matches the query.
func (q *question) keeps(p *Play) bool {
	for d := usage.ByClient; d < usage.Dimensions; d++ {
		if q.only[d] != nil && !slices.ContainsFunc(p.values(d), func(value Number) bool {
			_, found := slices.BinarySearch(q.only[d], value)
			return found
		}) {
			return false
		}
	}
	return true
}

// answeredBy returns the dimension of the cells that answer the query by the given dimensions. ok is false if no cells
// do, because they would have to combine two dimensions, or because they would be of chosen users.
func (q *question) answeredBy(by []usage.Dimension) (dimension usage.Dimension, ok bool) {
	dimension = Total
	for d := usage.ByClient; d < usage.Dimensions; d++ {
		if q.only[d] == nil && !slices.Contains(by, d) {
			continue
		}
		if dimension != Total {
			return 0, false
		}
		dimension = d
	}
	// A play with two of the subjects is in the cells of both, and has rows of its other subjects too.
	if dimension == usage.BySubject && q.only[dimension] != nil && (len(q.only[dimension]) > 1 || slices.Contains(by, dimension)) {
		return 0, false
	}
	if dimension == usage.ByUser && q.only[dimension] == nil {
		return ListedUsers, true
	}
	_, ok = grains[dimension]
	return dimension, ok
}

// cells returns the span of an account's cells.
func (q *question) cells(account Number, dimension usage.Dimension, s span) CellSpan {
	c := CellSpan{Account: account, Dimension: dimension, Grain: s.grain, From: s.from, To: s.to, Sandbox: q.Sandbox}
	if dimension < usage.Dimensions {
		c.Values = q.only[dimension]
	}
	return c
}
