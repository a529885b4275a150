package editing

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
)

// The mutations below differ in nothing but the kind.

func (r *Resolver) CreateContract(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindContract, input, origin)
}
func (r *Resolver) UpdateContract(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindContract, id, version, input)
}
func (r *Resolver) DeleteContract(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindContract, id, version)
}

func (r *Resolver) CreateLegalRestriction(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindLegalRestriction, input, origin)
}
func (r *Resolver) UpdateLegalRestriction(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindLegalRestriction, id, version, input)
}
func (r *Resolver) DeleteLegalRestriction(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindLegalRestriction, id, version)
}

func (r *Resolver) PutEducationLevel(ctx context.Context, input fields, version *int) (*graph.CatalogueItem, error) {
	return r.put(ctx, catalogue.KindEducationLevel, input, version)
}
func (r *Resolver) DeleteEducationLevel(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindEducationLevel, id, version)
}

func (r *Resolver) CreateTag(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindTag, input, origin)
}
func (r *Resolver) UpdateTag(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindTag, id, version, input)
}
func (r *Resolver) DeleteTag(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindTag, id, version)
}

func (r *Resolver) CreateContentWarning(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindContentWarning, input, origin)
}
func (r *Resolver) UpdateContentWarning(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindContentWarning, id, version, input)
}
func (r *Resolver) DeleteContentWarning(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindContentWarning, id, version)
}

func (r *Resolver) CreateSubject(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindSubject, input, origin)
}
func (r *Resolver) UpdateSubject(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindSubject, id, version, input)
}
func (r *Resolver) DeleteSubject(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindSubject, id, version)
}

func (r *Resolver) CreateDiscipline(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindDiscipline, input, origin)
}
func (r *Resolver) UpdateDiscipline(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindDiscipline, id, version, input)
}
func (r *Resolver) DeleteDiscipline(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindDiscipline, id, version)
}

func (r *Resolver) CreateTopic(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindTopic, input, origin)
}
func (r *Resolver) UpdateTopic(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindTopic, id, version, input)
}
func (r *Resolver) DeleteTopic(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindTopic, id, version)
}

func (r *Resolver) CreatePhrase(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindPhrase, input, origin)
}
func (r *Resolver) UpdatePhrase(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindPhrase, id, version, input)
}
func (r *Resolver) DeletePhrase(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindPhrase, id, version)
}

func (r *Resolver) CreateSynonym(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindSynonym, input, origin)
}
func (r *Resolver) UpdateSynonym(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindSynonym, id, version, input)
}
func (r *Resolver) DeleteSynonym(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindSynonym, id, version)
}

func (r *Resolver) CreateSearchRule(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindSearchRule, input, origin)
}
func (r *Resolver) UpdateSearchRule(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindSearchRule, id, version, input)
}
func (r *Resolver) DeleteSearchRule(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindSearchRule, id, version)
}

func (r *Resolver) CreateProvider(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindProvider, input, origin)
}
func (r *Resolver) UpdateProvider(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindProvider, id, version, input)
}
func (r *Resolver) DeleteProvider(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindProvider, id, version)
}

func (r *Resolver) CreateChannel(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindChannel, input, origin)
}
func (r *Resolver) UpdateChannel(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindChannel, id, version, input)
}
func (r *Resolver) DeleteChannel(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindChannel, id, version)
}

func (r *Resolver) PutCaptions(ctx context.Context, input fields, version *int) (*graph.CatalogueItem, error) {
	return r.put(ctx, catalogue.KindCaptions, input, version)
}
func (r *Resolver) DeleteCaptions(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindCaptions, id, version)
}

func (r *Resolver) PutLearningMaterial(ctx context.Context, input fields, version *int) (*graph.CatalogueItem, error) {
	return r.put(ctx, catalogue.KindMaterial, input, version)
}
func (r *Resolver) DeleteLearningMaterial(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindMaterial, id, version)
}

func (r *Resolver) CreateHighlight(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindHighlight, input, origin)
}
func (r *Resolver) UpdateHighlight(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindHighlight, id, version, input)
}
func (r *Resolver) DeleteHighlight(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindHighlight, id, version)
}

func (r *Resolver) CreateTheme(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindTheme, input, origin)
}
func (r *Resolver) UpdateTheme(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindTheme, id, version, input)
}
func (r *Resolver) DeleteTheme(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindTheme, id, version)
}

func (r *Resolver) CreateDistrict(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindDistrict, input, origin)
}
func (r *Resolver) UpdateDistrict(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindDistrict, id, version, input)
}
func (r *Resolver) DeleteDistrict(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindDistrict, id, version)
}

func (r *Resolver) CreateSchool(ctx context.Context, input fields, origin *graph.OriginInput) (*graph.CatalogueItem, error) {
	return r.create(ctx, catalogue.KindSchool, input, origin)
}
func (r *Resolver) UpdateSchool(ctx context.Context, id catalogue.ID, version *int, input fields) (*graph.CatalogueItem, error) {
	return r.update(ctx, catalogue.KindSchool, id, version, input)
}
func (r *Resolver) DeleteSchool(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return r.delete(ctx, catalogue.KindSchool, id, version)
}
