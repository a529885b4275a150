package postgres

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/store"
)

var notYet = catalogue.Errorf(catalogue.Unavailable, "this is being built")

func (*Catalogue) Records(context.Context, catalogue.Kind, []catalogue.ID) ([]catalogue.Record, error) {
	return nil, notYet
}

func (*Catalogue) RecordsOf(context.Context, catalogue.Kind, []catalogue.ID) ([]catalogue.Record, error) {
	return nil, notYet
}

func (*Catalogue) RecordsSince(context.Context, catalogue.Kind, store.Position, int) ([]catalogue.Record, error) {
	return nil, notYet
}

func (*Catalogue) CountRecords(context.Context, catalogue.Kind) (int, store.Position, error) {
	return 0, 0, notYet
}
