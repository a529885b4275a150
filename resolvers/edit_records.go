package resolvers

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

// The mutations of what videos, providers and districts own.

func (m mutation) PutCaptions(ctx context.Context, input fields, version *int) (*graph.CatalogueItem, error) {
	return m.putItem(ctx, catalogue.KindCaptions, input, version)
}

func (m mutation) DeleteCaptions(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindCaptions, id, version)
}

func (m mutation) PutLearningMaterial(ctx context.Context, input fields, version *int) (*graph.CatalogueItem, error) {
	return m.putItem(ctx, catalogue.KindMaterial, input, version)
}

func (m mutation) DeleteLearningMaterial(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindMaterial, id, version)
}

func (m mutation) CreateHighlight(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindHighlight, input, origin)
}

func (m mutation) UpdateHighlight(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindHighlight, id, version, input)
}

func (m mutation) DeleteHighlight(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindHighlight, id, version)
}

func (m mutation) CreateTheme(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindTheme, input, origin)
}

func (m mutation) UpdateTheme(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindTheme, id, version, input)
}

func (m mutation) DeleteTheme(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindTheme, id, version)
}

func (m mutation) CreateDistrict(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindDistrict, input, origin)
}

func (m mutation) UpdateDistrict(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindDistrict, id, version, input)
}

func (m mutation) DeleteDistrict(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindDistrict, id, version)
}

func (m mutation) CreateSchool(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return m.createItem(ctx, catalogue.KindSchool, input, origin)
}

func (m mutation) UpdateSchool(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return m.updateItem(ctx, catalogue.KindSchool, id, version, input)
}

func (m mutation) DeleteSchool(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return m.deleteItem(ctx, catalogue.KindSchool, id, version)
}
