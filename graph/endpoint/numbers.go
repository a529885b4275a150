package endpoint

import (
	"strconv"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/lexer"
)

// endlessNumber returns the first number of a query that does not fit int64 or float64, at which gqlparser panics when
// it computes the complexity; nil if there is none.
func endlessNumber(query *ast.Source) *lexer.Token {
	for tokens := lexer.New(query); ; {
		token, err := tokens.ReadToken()
		if err != nil || token.Kind == lexer.EOF {
			return nil
		}
		switch token.Kind {
		case lexer.Int:
			_, err = strconv.ParseInt(token.Value, 10, 64)
		case lexer.Float:
			_, err = strconv.ParseFloat(token.Value, 64)
		}
		if err != nil {
			return &token
		}
	}
}
