package usagelogic

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/usage"
)

// question is a query in numbers.
type question struct {
	*usage.Query
	// accounts are those that are asked for, each once.
	accounts []Number
	// only are the values that Query.Only keeps; nil: any.
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

// everyAccount lists all accounts, with the plays that have none.
func everyAccount(ctx context.Context, source Source) ([]Number, error) {
	accounts, err := source.Accounts(ctx)
	return append(accounts, 0), err
}

// numbersOf lists the numbers of texts, in order, each once. It is never nil.
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

// keeps reports whether the query keeps a play of one of its accounts.
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

// answeredBy is the dimension of the cells that tell of what the query keeps by some dimensions; ok is false where
// no cells do, because they would have to tell two dimensions at once.
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
	// A play that has two of the subjects is in the cells of both, and has rows of its other subjects too.
	if dimension == usage.BySubject && q.only[dimension] != nil && (len(q.only[dimension]) > 1 || slices.Contains(by, dimension)) {
		return 0, false
	}
	_, ok = grains[dimension]
	return dimension, ok
}

// cells is the span of an account's cells.
func (q *question) cells(account Number, dimension usage.Dimension, s span) CellSpan {
	c := CellSpan{Account: account, Dimension: dimension, Grain: s.grain, From: s.from, To: s.to, Sandbox: q.Sandbox}
	if dimension < usage.Dimensions {
		c.Values = q.only[dimension]
	}
	return c
}
