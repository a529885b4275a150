package editing

import (
	"context"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/inputs"
	"github.com/filmstrip/filmstrip/store"
)

// RevertItem gives an item the values that it had before the change with a number in the audit log. A deleted item is
// created again with its ID.
func (r *Resolver) RevertItem(ctx context.Context, kind catalogue.Kind, id catalogue.ID, version *int, number int) (*graph.CatalogueItem, error) {
	earlier, err := r.earlier(ctx, kind, id, number)
	if err != nil {
		return nil, err
	}
	reverted, err := r.update(ctx, kind, id, version, earlier)
	if fault.CodeOf(err) == fault.NotFound && version == nil {
		return r.create(ctx, kind, earlier, &graph.OriginInput{ID: &id})
	}
	return reverted, err
}

// earlier returns the fields of an item before a change.
func (r *Resolver) earlier(ctx context.Context, kind catalogue.Kind, id catalogue.ID, number int) (fields, error) {
	entries, err := r.store.Audit(ctx, store.CatalogueAuditQuery{Kind: kind, ID: id, Below: int64(number) + 1, Limit: 1})
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || entries[0].Number != int64(number) {
		return nil, fault.Errorf(fault.NotFound, "the audit log has no change %d of the %s", number, nameOf(kind, id))
	}
	if entries[0].Before == nil {
		return nil, inputs.Invalid("number", "change %d created the %s", number, nameOf(kind, id))
	}
	return importline.FieldsOf(kind, entries[0].Before)
}
