package resolvers

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (q query) Subjects(ctx context.Context, visibility graph.Visibility, segment *catalogue.MarketSegment) ([]*model.Subject, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	shows, err := q.showsSubject(ctx, caller.Access, visibility)
	if err != nil {
		return nil, err
	}
	subjects := make([]*model.Subject, 0, len(directory.Subjects))
	for _, subject := range directory.Subjects {
		if shows(subject.ID) && (segment == nil || slices.Contains(subject.MarketSegments, *segment)) {
			subjects = append(subjects, model.NewSubject(subject))
		}
	}
	return subjects, nil
}

func (q query) Subject(ctx context.Context, id string) (*model.Subject, error) {
	if _, err := caller(ctx); err != nil {
		return nil, err
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	return model.NewSubject(directory.Subject(catalogue.ID(id))), nil
}

func (q query) Disciplines(ctx context.Context, visibility graph.Visibility) ([]*model.Discipline, error) {
	caller, err := caller(ctx)
	if err != nil {
		return nil, err
	}
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	shows, err := q.showsSubject(ctx, caller.Access, visibility)
	if err != nil {
		return nil, err
	}
	disciplines := make([]*model.Discipline, 0, len(directory.Disciplines))
	for _, discipline := range directory.Disciplines {
		subjects := subjectsOf(discipline, directory, shows)
		if len(subjects) > 0 || visibility == graph.VisibilityAll {
			disciplines = append(disciplines, model.NewDiscipline(discipline, subjects))
		}
	}
	return disciplines, nil
}

func (q query) Discipline(ctx context.Context, id string) (*model.Discipline, error) {
	directory, err := q.directory(ctx)
	if err != nil {
		return nil, err
	}
	discipline := directory.Discipline(catalogue.ID(id))
	if discipline == nil {
		return nil, nil
	}
	all := func(catalogue.ID) bool { return true }
	return model.NewDiscipline(discipline, subjectsOf(discipline, directory, all)), nil
}

func subjectsOf(discipline *catalogue.Discipline, directory *catalogue.Directory, shows func(catalogue.ID) bool) []*model.Subject {
	subjects := make([]*model.Subject, 0, len(discipline.SubjectIDs))
	for _, id := range discipline.SubjectIDs {
		if subject := directory.Subject(id); subject != nil && shows(id) {
			subjects = append(subjects, model.NewSubject(subject))
		}
	}
	return subjects
}

// showsSubject says which subjects a visibility lets through.
func (q query) showsSubject(ctx context.Context, access catalogue.Access, visibility graph.Visibility) (func(catalogue.ID) bool, error) {
	if visibility == graph.VisibilityAll {
		return func(catalogue.ID) bool { return true }, nil
	}
	visible, err := q.visibleSubjects(ctx, access)
	return func(id catalogue.ID) bool { return visible[id] }, err
}
