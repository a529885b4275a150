package accounts

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

// AuditLog returns a page of the audit log of the registry, the newest entries first.
func (r *Resolver) AuditLog(ctx context.Context, kind *account.Kind, id, owner *string, first int, before *string) (*graph.AuditConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	if id != nil && kind == nil {
		return nil, fault.InvalidRequest("id %q needs a kind", fault.Shorten(*id))
	}
	if err := registry.RequireForAudit(ctx, kind); err != nil {
		return nil, err
	}
	below, err := paging.Number(before)
	if err != nil {
		return nil, err
	}
	records, err := r.Registry.Store()
	if err != nil {
		return nil, err
	}
	query := store.AuditQuery{Key: account.EntityKey{Kind: values.Or(kind), ID: values.Or(id)}, Owner: values.Or(owner)}
	entries, err := records.Audit(ctx, query, below, first+1)
	if err != nil {
		return nil, err
	}
	entries, info := paging.Cut(entries, first, func(last account.AuditEntry) string { return paging.Cursor(last.Number) })
	registry.HideBills(ctx, entries)
	names, err := r.Registry.StaffNames(ctx, values.Map(entries, func(e account.AuditEntry) string { return e.Actor.User }))
	if err != nil {
		return nil, err
	}
	return &graph.AuditConnection{PageInfo: info, Nodes: values.Map(entries, func(e account.AuditEntry) *graph.AuditEntry {
		return &graph.AuditEntry{
			Number: int(e.Number), At: e.At, Client: e.Actor.Client, User: values.OrNil(e.Actor.User),
			UserName: values.OrNil(names[e.Actor.User]), Kind: e.Key.Kind, ID: e.Key.ID, Account: values.OrNil(e.Owner),
			Before: jsontext.Value(e.Before), After: jsontext.Value(e.After),
		}
	})}, nil
}
