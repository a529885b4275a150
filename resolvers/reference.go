package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (q query) ContractLegalRestrictions(ctx context.Context) ([]*model.LegalRestriction, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	restrictions := make([]*model.LegalRestriction, len(directory.LegalRestrictions))
	for i, restriction := range directory.LegalRestrictions {
		restrictions[i] = &model.LegalRestriction{ID: restriction.ID, Text: restriction.Text}
	}
	return restrictions, nil
}

func (query) ContentCategories(context.Context) ([]*model.ContentCategory, error) {
	categories := make([]*model.ContentCategory, len(catalogue.Subtypes()))
	for i, subtype := range catalogue.Subtypes() {
		categories[i] = &model.ContentCategory{Key: subtype, Label: subtype.Label()}
	}
	return categories, nil
}
