package editing

import (
	"context"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/internal/importline"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// noteEdit records one change of one item in the audit log.
func noteEdit(ctx context.Context, tx store.Tx, actor account.Actor, before, after catalogue.Item) error {
	subject := after
	if subject == nil {
		subject = before
	}
	entry := store.CatalogueAuditEntry{Actor: actor, Kind: subject.Kind(), ID: subject.Head().ID}
	var err error
	if entry.Before, entry.After, err = importline.AuditBodies(before, after); err != nil {
		return err
	}
	return tx.Note(ctx, []store.CatalogueAuditEntry{entry})
}

// CatalogueAuditLog returns a page of the audit log of the catalogue, the newest entries first.
func (r *Resolver) CatalogueAuditLog(ctx context.Context, kind *catalogue.Kind, id *catalogue.ID, first int, before *string) (*graph.CatalogueAuditConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	if id != nil && kind == nil {
		return nil, fault.InvalidRequest("id %q needs a kind", fault.Shorten(string(*id)))
	}
	below, err := paging.Number(before)
	if err != nil {
		return nil, err
	}
	entries, err := r.store.Audit(ctx, store.CatalogueAuditQuery{Kind: values.Or(kind), ID: values.Or(id), Below: below, Limit: first + 1})
	if err != nil {
		return nil, err
	}
	entries, info := paging.Cut(entries, first, func(last store.CatalogueAuditEntry) string { return paging.Cursor(last.Number) })
	names, err := r.registry.StaffNames(ctx, values.Map(entries, func(e store.CatalogueAuditEntry) string { return e.Actor.User }))
	if err != nil {
		return nil, err
	}
	return &graph.CatalogueAuditConnection{PageInfo: info, Nodes: values.Map(entries, func(e store.CatalogueAuditEntry) *graph.CatalogueAuditEntry {
		return &graph.CatalogueAuditEntry{
			Number: int(e.Number), At: e.At, Client: e.Actor.Client, User: values.OrNil(e.Actor.User),
			UserName: values.OrNil(names[e.Actor.User]),
			Kind:     e.Kind, ID: values.OrNil(e.ID), Before: e.Before, After: e.After,
		}
	})}, nil
}
