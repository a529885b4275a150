package catalogue

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
)

func (r *Resolver) Subjects(ctx context.Context, visibility graph.Visibility, segment *catalogue.MarketSegment) ([]*model.Subject, error) {
	caller, directory, err := r.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	shows, err := r.showsSubject(ctx, caller.Access, visibility)
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

func (r *Resolver) Subject(ctx context.Context, id string) (*model.Subject, error) {
	_, directory, err := r.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	return model.NewSubject(directory.Subject(catalogue.ID(id))), nil
}

func (r *Resolver) Disciplines(ctx context.Context, visibility graph.Visibility) ([]*model.Discipline, error) {
	caller, directory, err := r.CallerAndDirectory(ctx)
	if err != nil {
		return nil, err
	}
	shows, err := r.showsSubject(ctx, caller.Access, visibility)
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

func (r *Resolver) Discipline(ctx context.Context, id string) (*model.Discipline, error) {
	directory, err := r.Directory(ctx)
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

// showsSubject returns a function that reports whether a subject is visible.
func (r *Resolver) showsSubject(ctx context.Context, access catalogue.Access, visibility graph.Visibility) (func(catalogue.ID) bool, error) {
	if visibility == graph.VisibilityAll {
		return func(catalogue.ID) bool { return true }, nil
	}
	visible, err := r.VisibleSubjects(ctx, access)
	return func(id catalogue.ID) bool { return visible[id] }, err
}
