package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/catalogue/shown"
)

func (q query) ContractLegalRestrictions(ctx context.Context) ([]*shown.LegalRestriction, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	restrictions := make([]*shown.LegalRestriction, len(directory.LegalRestrictions))
	for i, restriction := range directory.LegalRestrictions {
		restrictions[i] = &shown.LegalRestriction{ID: restriction.ID, Text: restriction.Text}
	}
	return restrictions, nil
}

func (query) ContentCategories(context.Context) ([]*shown.ContentCategory, error) {
	categories := make([]*shown.ContentCategory, len(catalogue.Subtypes()))
	for i, subtype := range catalogue.Subtypes() {
		categories[i] = &shown.ContentCategory{Key: subtype, Label: subtype.Label()}
	}
	return categories, nil
}
