package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

// The mutations of what is small, one kind after the other.

func (m mutation) CreateContract(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindContract, input, origin)
}

func (m mutation) UpdateContract(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindContract, id, version, input)
}

func (m mutation) DeleteContract(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindContract, id, version)
}

func (m mutation) CreateLegalRestriction(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindLegalRestriction, input, origin)
}

func (m mutation) UpdateLegalRestriction(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindLegalRestriction, id, version, input)
}

func (m mutation) DeleteLegalRestriction(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindLegalRestriction, id, version)
}

func (m mutation) PutEducationLevel(ctx context.Context, input fields, version *int) (*graph.CatalogueItem, error) {
	return m.putItem(ctx, catalogue.KindEducationLevel, input, version)
}

func (m mutation) DeleteEducationLevel(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindEducationLevel, id, version)
}

func (m mutation) CreateTag(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindTag, input, origin)
}

func (m mutation) UpdateTag(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindTag, id, version, input)
}

func (m mutation) DeleteTag(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindTag, id, version)
}

func (m mutation) CreateContentWarning(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindContentWarning, input, origin)
}

func (m mutation) UpdateContentWarning(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindContentWarning, id, version, input)
}

func (m mutation) DeleteContentWarning(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindContentWarning, id, version)
}

func (m mutation) CreateSubject(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindSubject, input, origin)
}

func (m mutation) UpdateSubject(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindSubject, id, version, input)
}

func (m mutation) DeleteSubject(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindSubject, id, version)
}

func (m mutation) CreateDiscipline(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindDiscipline, input, origin)
}

func (m mutation) UpdateDiscipline(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindDiscipline, id, version, input)
}

func (m mutation) DeleteDiscipline(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindDiscipline, id, version)
}

func (m mutation) CreateTopic(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindTopic, input, origin)
}

func (m mutation) UpdateTopic(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindTopic, id, version, input)
}

func (m mutation) DeleteTopic(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindTopic, id, version)
}

func (m mutation) CreatePhrase(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindPhrase, input, origin)
}

func (m mutation) UpdatePhrase(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindPhrase, id, version, input)
}

func (m mutation) DeletePhrase(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindPhrase, id, version)
}

func (m mutation) CreateSynonym(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindSynonym, input, origin)
}

func (m mutation) UpdateSynonym(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindSynonym, id, version, input)
}

func (m mutation) DeleteSynonym(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindSynonym, id, version)
}

func (m mutation) CreateSearchRule(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindSearchRule, input, origin)
}

func (m mutation) UpdateSearchRule(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindSearchRule, id, version, input)
}

func (m mutation) DeleteSearchRule(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindSearchRule, id, version)
}

func (m mutation) CreateProvider(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindProvider, input, origin)
}

func (m mutation) UpdateProvider(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindProvider, id, version, input)
}

func (m mutation) DeleteProvider(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindProvider, id, version)
}

func (m mutation) CreateChannel(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindChannel, input, origin)
}

func (m mutation) UpdateChannel(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindChannel, id, version, input)
}

func (m mutation) DeleteChannel(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindChannel, id, version)
}
