package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue/shown"
)

func (query) ContractLegalRestrictions(_ context.Context) ([]*shown.LegalRestriction, error) {
	return nil, notYet
}

func (query) ContentCategories(_ context.Context) ([]*shown.ContentCategory, error) {
	return nil, notYet
}
