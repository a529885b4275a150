package resolvers

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

func (q query) AuditLog(ctx context.Context, kind *account.Kind, id, owner *string, first int, before *string) (*graph.AuditConnection, error) {
	if err := checkPage(first); err != nil {
		return nil, err
	}
	if id != nil && kind == nil {
		return nil, fault.InvalidRequest("id %q says nothing without kind", catalogue.Shorten(*id))
	}
	below, err := trailCursor(before)
	if err != nil {
		return nil, err
	}
	registry, err := q.administered()
	if err != nil {
		return nil, err
	}
	wanted := store.AuditQuery{Key: account.EntityKey{Kind: or(kind), ID: or(id)}, Owner: or(owner)}
	entries, err := registry.Audit(ctx, wanted, below, first+1)
	if err != nil {
		return nil, err
	}
	page := &graph.AuditConnection{Nodes: []*graph.AuditEntry{}, PageInfo: &model.PageInfo{}}
	if len(entries) > first {
		entries = entries[:first]
		last := strconv.FormatInt(entries[first-1].Number, 10)
		page.PageInfo.HasNextPage, page.PageInfo.EndCursor = true, &last
	}
	for _, entry := range entries {
		page.Nodes = append(page.Nodes, shownEntry(entry))
	}
	return page, nil
}

// trailCursor reads the number below which a page starts, 0 for the newest.
func trailCursor(text *string) (int64, error) {
	if text == nil {
		return 0, nil
	}
	number, err := strconv.ParseInt(*text, 10, 64)
	if err != nil || number < 1 {
		return 0, fault.InvalidRequest("%q is not a cursor that the trail has handed out", catalogue.Shorten(*text))
	}
	return number, nil
}

func shownEntry(e account.AuditEntry) *graph.AuditEntry {
	return &graph.AuditEntry{
		Number: int(e.Number), At: e.At, Client: e.Actor.Client, User: unlessZero(e.Actor.User),
		Kind: e.Key.Kind, ID: e.Key.ID, Account: unlessZero(e.Owner),
		Before: jsontext.Value(e.Before), After: jsontext.Value(e.After),
	}
}
