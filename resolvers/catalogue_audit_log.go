package resolvers

import (
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/store"
)

// noteEdit tells the trail of one change of one thing.
func noteEdit(ctx context.Context, tx store.Tx, actor account.Actor, before, after catalogue.Item) error {
	entry := store.CatalogueAuditEntry{Actor: actor}
	for _, side := range []struct {
		item catalogue.Item
		body *[]byte
	}{{before, &entry.Before}, {after, &entry.After}} {
		if side.item == nil {
			continue
		}
		body, err := notedBody(side.item)
		if err != nil {
			return err
		}
		*side.body, entry.Kind, entry.ID = body, side.item.Kind(), side.item.Head().ID
	}
	return tx.Note(ctx, []store.CatalogueAuditEntry{entry})
}

// notedBody is the body that the trail keeps. A transcript is much of what a catalogue holds, so that of one that is
// written only the length is told.
func notedBody(item catalogue.Item) ([]byte, error) {
	video, ok := item.(*catalogue.Video)
	if !ok || video.Transcript == nil {
		return writtenBody(item)
	}
	return json.Marshal(struct {
		*catalogue.Video
		Characters int `json:"transcriptCharacters"`
	}{video, utf8.RuneCountInString(*video.Transcript)})
}

// CatalogueAuditLog returns who changed what of the catalogue.
func (q query) CatalogueAuditLog(ctx context.Context, kind *catalogue.Kind, id *catalogue.ID, first int, before *string) (*graph.CatalogueAuditConnection, error) {
	if err := checkPage(first); err != nil {
		return nil, err
	}
	if id != nil && kind == nil {
		return nil, fault.InvalidRequest("id %q says nothing without kind", catalogue.Shorten(string(*id)))
	}
	below, err := trailCursor(before)
	if err != nil {
		return nil, err
	}
	entries, err := q.catalogue.Audit(ctx, store.CatalogueAuditQuery{Kind: or(kind), ID: or(id), Below: below, Limit: first + 1})
	if err != nil {
		return nil, err
	}
	page := &graph.CatalogueAuditConnection{Nodes: []*graph.CatalogueAuditEntry{}, PageInfo: &model.PageInfo{}}
	if len(entries) > first {
		entries = entries[:first]
		last := strconv.FormatInt(entries[first-1].Number, 10)
		page.PageInfo.HasNextPage, page.PageInfo.EndCursor = true, &last
	}
	for _, e := range entries {
		page.Nodes = append(page.Nodes, &graph.CatalogueAuditEntry{
			Number: int(e.Number), At: e.At, Client: e.Actor.Client, User: unlessZero(e.Actor.User),
			Kind: e.Kind, ID: unlessZero(e.ID), Before: e.Before, After: e.After,
		})
	}
	return page, nil
}
