package sqlstore

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/store/usagelogic"
	"github.com/filmstrip/filmstrip/usage"
)

// PostgreSQL finds texts by their hashes, because its indexes contain no long texts. What is asked for is a subquery that
// the planner does not dissolve, so that it looks up each text by the index of hashes even if it knows nothing about the
// table.
var (
	selectAllNumbers = define(`SELECT number FROM usage_terms WHERE dimension = $1`)
	selectTexts      = define(`SELECT number, text FROM usage_terms WHERE dimension = $1 AND number IN NUMBERS ($2)`)
	selectNumbersOf  = DefinePer(`
		SELECT number FROM usage_terms WHERE dimension = $1 AND text IN (SELECT value FROM json_each($2))`, `
		SELECT t.number
		FROM (SELECT DISTINCT $1::smallint AS dimension, sha256(text) AS sum FROM unnest($2::bytea[]) AS text) AS asked
		JOIN usage_terms AS t ON sha256(t.text) = asked.sum AND t.dimension = asked.dimension`)
	selectTermNumber = DefinePer(`
		SELECT number FROM usage_terms WHERE dimension = $1 AND owner = $2 AND text = $3`, `
		SELECT t.number
		FROM (SELECT $1::smallint AS dimension, $2::integer AS owner, sha256($3::bytea) AS sum OFFSET 0) AS asked
		JOIN usage_terms AS t ON sha256(t.text) = asked.sum AND t.dimension = asked.dimension AND t.owner = asked.owner`)
	selectTermNumbers = DefinePer(`
		SELECT asked.key, t.number FROM json_each($3) AS asked
		CROSS JOIN usage_terms AS t ON t.dimension = $1 AND t.owner = $2 AND t.text = asked.value`, `
		SELECT asked.place - 1, t.number
		FROM (
			SELECT $1::smallint AS dimension, $2::integer AS owner, sha256(text) AS sum, place
			FROM unnest($3::bytea[]) WITH ORDINALITY AS texts(text, place) OFFSET 0
		) AS asked
		JOIN usage_terms AS t ON sha256(t.text) = asked.sum AND t.dimension = asked.dimension AND t.owner = asked.owner`)
	lastNumber = define(`SELECT COALESCE(max(number), 0) FROM usage_terms WHERE dimension = $1`)
	termTable  = defineTable("usage_terms", 4, "dimension", "number", "owner", "text")
)

// Accounts implements usagelogic.Source.
func (c CountsConn) Accounts(ctx context.Context) ([]usagelogic.Number, error) {
	return selectAll(ctx, c, scanNumber, selectAllNumbers, int64(usage.ByAccount))
}

// Find implements usagelogic.Source.
func (c CountsConn) Find(ctx context.Context, dimension usage.Dimension, texts []string) ([]usagelogic.Number, error) {
	return selectAll(ctx, c, scanNumber, selectNumbersOf, int64(dimension), List(texts))
}

func scanNumber(row Row) (usagelogic.Number, error) {
	n, err := number(row)
	return usagelogic.Number(n), err
}

// Texts implements usagelogic.Source.
func (c CountsConn) Texts(ctx context.Context, dimension usage.Dimension, numbers []usagelogic.Number, each func(usagelogic.Number, string)) error {
	asked := make([]int64, len(numbers))
	for i, number := range numbers {
		asked[i] = int64(number)
	}
	return c.Query(ctx, selectTexts, func(row Row) error {
		var (
			number int64
			text   string
		)
		err := row.Scan(&number, &text)
		each(usagelogic.Number(number), text)
		return err
	}, int64(dimension), asked)
}

// numberOf returns the number of a term, or 0 if it has none.
func numberOf(ctx context.Context, c Conn, term usagelogic.Term) (usagelogic.Number, error) {
	return selectOne(ctx, c, scanNumber, selectTermNumber, int64(term.Dimension), int64(term.Owner), term.Text)
}

// learn adds the numbers of terms to a dictionary, except those that it contains. Terms without a number get a new one.
func learn(ctx context.Context, c Conn, known usagelogic.Dictionary, terms []usagelogic.Term) error {
	terms = slices.DeleteFunc(terms, func(term usagelogic.Term) bool { return known[term] != 0 })
	if len(terms) == 0 {
		return nil
	}
	askTerms(ctx, c, known, terms)
	var last [usage.Dimensions]int64
	for dimension := range last {
		askNumber(ctx, c, &last[dimension], lastNumber, int64(dimension))
	}
	if err := c.Send(ctx); err != nil {
		return err
	}
	var added []any
	for _, term := range terms {
		if known[term] == 0 {
			last[term.Dimension]++
			known[term] = usagelogic.Number(last[term.Dimension])
			added = append(added, int64(term.Dimension), last[term.Dimension], int64(term.Owner), term.Text)
		}
	}
	if err := termTable.add(ctx, c, added); err != nil {
		return err
	}
	return c.Send(ctx)
}

// termsAtOnce is the number of terms that one query finds.
const termsAtOnce = 500

// askTerms asks for the numbers of terms, many at once. It asks for those that a List cannot contain one by one.
func askTerms(ctx context.Context, c Conn, known usagelogic.Dictionary, terms []usagelogic.Term) {
	groups := map[usagelogic.Term][]string{}
	for _, term := range terms {
		if utf8.ValidString(term.Text) && !strings.ContainsRune(term.Text, 0) {
			of := usagelogic.Term{Dimension: term.Dimension, Owner: term.Owner}
			groups[of] = append(groups[of], term.Text)
			continue
		}
		c.Ask(ctx, selectTermNumber, func(row Row) (err error) {
			known[term], err = scanNumber(row)
			return err
		}, int64(term.Dimension), int64(term.Owner), term.Text)
	}
	for of, texts := range groups {
		for some := range slices.Chunk(texts, termsAtOnce) {
			c.Ask(ctx, selectTermNumbers, func(row Row) error {
				var place, number int64
				err := row.Scan(&place, &number)
				of.Text = some[place]
				known[of] = usagelogic.Number(number)
				return err
			}, int64(of.Dimension), int64(of.Owner), List(some))
		}
	}
}
