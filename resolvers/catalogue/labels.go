package catalogue

import (
	"context"
	"encoding/json"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/values"
)

func (r *Resolver) EducationLevels(ctx context.Context) ([]*catalogue.EducationLevel, error) {
	_, directory, err := r.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	return directory.EducationLevels, nil
}

func (r *Resolver) Tags(ctx context.Context) ([]*model.Tag, error) {
	return fromDirectory(ctx, r, func(d *catalogue.Directory) []*model.Tag { return values.Map(d.Tags, model.NewTag) })
}

func (r *Resolver) Tag(ctx context.Context, id string) (*model.Tag, error) {
	return fromDirectory(ctx, r, func(d *catalogue.Directory) *model.Tag { return model.NewTag(d.Tag(catalogue.ID(id))) })
}

func (r *Resolver) ContentWarnings(ctx context.Context) ([]*model.ContentWarning, error) {
	return fromDirectory(ctx, r, func(d *catalogue.Directory) []*model.ContentWarning {
		return values.Map(d.ContentWarnings, model.NewContentWarning)
	})
}

func (r *Resolver) ContentWarning(ctx context.Context, id string) (*model.ContentWarning, error) {
	return fromDirectory(ctx, r, func(d *catalogue.Directory) *model.ContentWarning {
		return model.NewContentWarning(d.ContentWarning(catalogue.ID(id)))
	})
}

func (r *Resolver) ContractLegalRestrictions(ctx context.Context) ([]*model.LegalRestriction, error) {
	return fromDirectory(ctx, r, func(d *catalogue.Directory) []*model.LegalRestriction {
		return values.Map(d.LegalRestrictions, func(l *catalogue.LegalRestriction) *model.LegalRestriction {
			return &model.LegalRestriction{ID: l.ID, Text: l.Text}
		})
	})
}

// fromDirectory returns what show makes of the current directory.
func fromDirectory[T any](ctx context.Context, r *Resolver, show func(*catalogue.Directory) T) (shown T, err error) {
	directory, err := r.Directory(ctx)
	if err != nil {
		return shown, err
	}
	return show(directory), nil
}

func (*Resolver) ContentCategories(context.Context) ([]*model.ContentCategory, error) {
	return values.Map(catalogue.Subtypes(), func(subtype catalogue.Subtype) *model.ContentCategory {
		return &model.ContentCategory{Key: subtype, Label: subtype.Label()}
	}), nil
}

func (*Resolver) NgssCodes(context.Context) ([]*graph.NgssCode, error) {
	var list []*graph.NgssCode
	for _, idea := range catalogue.NGSSIdeas() {
		byGrade := idea.ByGrade
		if byGrade == nil {
			byGrade = map[string][]string{}
		}
		custom, err := json.Marshal(byGrade) // which sorts the grades
		if err != nil {
			return nil, err
		}
		list = append(list, &graph.NgssCode{
			Code: idea.Code, ContentArea: idea.ContentArea, Title: idea.Title,
			ThemaCategories: &graph.NgssCategories{Defaults: idea.Categories, CustomByGrade: custom},
		})
	}
	return list, nil
}

func (*Resolver) NgssGrades(context.Context) ([]*graph.NgssGrade, error) {
	var list []*graph.NgssGrade
	for _, band := range catalogue.NGSSGrades() {
		list = append(list, &graph.NgssGrade{Grade: band.Grade, Description: band.Description, EducationLevels: band.EducationLevels})
	}
	return list, nil
}
