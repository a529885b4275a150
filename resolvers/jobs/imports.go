package jobs

import (
	"cmp"
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/internal/imports"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// StartImport starts to import an upload.
func (r *Resolver) StartImport(ctx context.Context, input graph.ImportInput) (*graph.Job, error) {
	_, of, err := r.store(ctx)
	if err != nil {
		return nil, err
	}
	file, err := r.config.Imports.Upload(ctx, string(input.Upload), of)
	if err != nil {
		return nil, err
	}
	mapping, err := mappingOf(input.Mapping)
	if err != nil {
		return nil, err
	}
	preview, err := r.config.Imports.Preview(ctx, file, imports.Format(values.Or(input.Format)), mapping, 0) // finds the format, and missing columns
	if err != nil {
		return nil, err
	}
	switch {
	case preview.Format == imports.CSV && mapping == nil:
		return nil, inputs.Invalid("mapping", "is required for CSV; previewImport guesses one")
	case preview.Format != imports.CSV && mapping != nil:
		return nil, inputs.Invalid("mapping", "must be null for import lines")
	}
	return r.add(ctx, imports.Kind, imports.Input{
		Upload: file.ID, FileName: file.Name, Format: preview.Format, Mapping: mapping,
		DryRun: input.DryRun, Strict: input.Strict, Prune: input.Prune, ConfirmPrune: input.ConfirmPrune,
	}, func(*store.Job) error { return nil })
}

// maxPreview is the largest number of records in a preview.
const maxPreview = 50

// PreviewImport shows what the first records of an upload would become.
func (r *Resolver) PreviewImport(ctx context.Context, upload catalogue.ID, format *graph.ImportFormat, given *graph.MappingInput, first int) (*graph.ImportPreview, error) {
	if err := paging.CheckSize(first, maxPreview); err != nil {
		return nil, err
	}
	_, of, err := r.store(ctx)
	if err != nil {
		return nil, err
	}
	file, err := r.config.Imports.Upload(ctx, string(upload), of)
	if err != nil {
		return nil, err
	}
	mapping, err := mappingOf(given)
	if err != nil {
		return nil, err
	}
	preview, err := r.config.Imports.Preview(ctx, file, imports.Format(values.Or(format)), mapping, first)
	if err != nil {
		return nil, err
	}
	shown := &graph.ImportPreview{
		Format: graph.ImportFormat(preview.Format), Columns: values.List(preview.Header), Fields: []*graph.MappableField{},
		Lines: values.Map(preview.Lines, func(line imports.PreviewLine) *graph.ImportPreviewLine {
			return &graph.ImportPreviewLine{Line: line.Line, Record: line.Text, Problems: values.List(line.Problems)}
		}),
	}
	if preview.Mapping != nil {
		shown.Mapping = shownMapping(preview.Mapping)
		shown.Fields = append(shown.Fields, &graph.MappableField{Name: "ref"}, &graph.MappableField{Name: "id"})
		for _, field := range importline.ColumnFields(preview.Mapping.Kind) {
			shown.Fields = append(shown.Fields, &graph.MappableField{Name: field.Name, Required: field.Required, List: field.Type == importline.ListField})
		}
	}
	return shown, nil
}

// mappingOf returns a mapping from an input, nil for nil.
func mappingOf(input *graph.MappingInput) (*account.Mapping, error) {
	if input == nil {
		return nil, nil
	}
	m := &account.Mapping{Kind: catalogue.Kind(input.Kind), Source: values.Or(input.Source), Fields: values.Map(input.Fields, func(f *graph.MappedFieldInput) account.ImportField {
		return account.ImportField{Field: f.Field, Column: values.Or(f.Column), Constant: values.Or(f.Constant), Separator: values.Or(f.Separator)}
	})}
	return m, inputs.Faults(imports.CheckMapping(m)).Err()
}

func shownMapping(m *account.Mapping) *graph.Mapping {
	return &graph.Mapping{Kind: string(m.Kind), Source: values.OrNil(m.Source), Fields: values.Map(m.Fields, func(f account.ImportField) *graph.MappedField {
		return &graph.MappedField{Field: f.Field, Column: values.OrNil(f.Column), Constant: values.OrNil(f.Constant), Separator: values.OrNil(f.Separator)}
	})}
}

func shownImportMapping(m *account.ImportMapping) *graph.ImportMapping {
	return &graph.ImportMapping{
		ID: catalogue.ID(m.ID), CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, Version: int(m.Version), Name: m.Name, Mapping: shownMapping(&m.Mapping),
	}
}

// ImportMappings returns the saved mappings, in the order of their names.
func (r *Resolver) ImportMappings(ctx context.Context) ([]*graph.ImportMapping, error) {
	records, err := r.config.Registry.Store()
	if err != nil {
		return nil, err
	}
	all := []*graph.ImportMapping{}
	for mapping, err := range store.Records[*account.ImportMapping](ctx, records, account.KindImportMapping, "", "") {
		if err != nil {
			return nil, err
		}
		all = append(all, shownImportMapping(mapping))
	}
	slices.SortFunc(all, func(a, b *graph.ImportMapping) int {
		return cmp.Compare(catalogue.FoldName(a.Name), catalogue.FoldName(b.Name))
	})
	return all, nil
}

// PutImportMapping saves a mapping under a name.
func (r *Resolver) PutImportMapping(ctx context.Context, name string, input graph.MappingInput, version *int) (*graph.ImportMapping, error) {
	mapping, err := mappingOf(&input)
	if err != nil {
		return nil, err
	}
	create := func() *account.ImportMapping { return account.NewImportMapping(name) }
	put, err := registry.Put(ctx, r.config.Registry, version, create, func(_ context.Context, _ store.RegistryTx, saved *account.ImportMapping) error {
		saved.Name, saved.Mapping = name, *mapping
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shownImportMapping(put), nil
}

// DeleteImportMapping deletes a mapping.
func (r *Resolver) DeleteImportMapping(ctx context.Context, id catalogue.ID, version *int) (string, error) {
	return string(id), r.config.Registry.Remove(ctx, account.KindImportMapping.Key(string(id)), version)
}
