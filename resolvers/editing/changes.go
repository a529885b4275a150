package editing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/graph/model"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
)

const (
	// soughtAtOnce is how many numbers of an audit log are searched for changes of an actor at a time, soughtTimes how often
	// for one page.
	soughtAtOnce = 20_000
	soughtTimes  = 5
)

// Changes returns a page of both audit logs as one list, the newest entries first.
func (r *Resolver) Changes(ctx context.Context, filter *graph.ChangeFilter, first int, before *string) (*graph.ChangeConnection, error) {
	if err := paging.CheckSize(first, paging.MaxSize); err != nil {
		return nil, err
	}
	if filter == nil {
		filter = &graph.ChangeFilter{}
	}
	logs, err := r.logsOf(ctx, filter)
	if err != nil {
		return nil, err
	}
	if err := readChangePlace(logs, before); err != nil {
		return nil, err
	}
	// Entries that are older than what a log has been searched for could belong behind entries not yet found.
	var searched time.Time
	var found []*change
	for _, log := range logs {
		entries, err := log.find(ctx, filter, first+1)
		if err != nil {
			return nil, err
		}
		found = append(found, entries...)
		if log.more && log.oldest.After(searched) {
			searched = log.oldest
		}
	}
	slices.SortStableFunc(found, func(a, b *change) int { return b.At.Compare(a.At) })
	kept := slices.IndexFunc(found, func(c *change) bool { return c.At.Before(searched) })
	if kept < 0 {
		kept = len(found)
	}
	kept = min(kept, first)
	info := &model.PageInfo{HasNextPage: kept < len(found) || slices.ContainsFunc(logs, func(l *changeLog) bool { return l.more })}
	if info.HasNextPage {
		cursor := writeChangePlace(logs, found[kept:])
		info.EndCursor = &cursor
	}
	page := &graph.ChangeConnection{Nodes: values.Map(found[:kept], func(c *change) *graph.Change { return &c.Change }), PageInfo: info}
	return page, r.nameActors(ctx, page.Nodes)
}

func (r *Resolver) nameActors(ctx context.Context, nodes []*graph.Change) error {
	names, err := r.registry.StaffNames(ctx, values.Map(nodes, func(c *graph.Change) string { return values.Or(c.User) }))
	for _, node := range nodes {
		node.UserName = values.OrNil(names[values.Or(node.User)])
	}
	return err
}

// change is an entry of one of the logs.
type change struct {
	graph.Change
	log *changeLog
}

// changeLog is one of the audit logs within a call.
type changeLog struct {
	// read returns up to limit entries with numbers below below, and with an actor, above above; actor "": of anyone.
	read func(ctx context.Context, actor string, above, below int64, limit int) ([]*change, error)
	// keeps reports whether the caller may see an entry that read returns.
	keeps func(*change) bool

	// below is where the page begins. After find, the log has been searched down to it, more says whether there are
	// entries below it, and oldest is the time of the last entry that was seen.
	below  int64
	more   bool
	oldest time.Time
}

// logsOf returns the logs that a filter selects and that the caller may see.
func (r *Resolver) logsOf(ctx context.Context, filter *graph.ChangeFilter) ([]*changeLog, error) {
	may := account.CallerOf(ctx).Permissions
	either := filter.CatalogueKind == nil && filter.RecordKind == nil
	var logs []*changeLog
	if r.store != nil && (either || filter.CatalogueKind != nil) {
		logs = append(logs, r.catalogueLog(values.Or(filter.CatalogueKind)))
	}
	if kind := filter.RecordKind; kind != nil {
		if err := registry.RequireForAudit(ctx, kind); err != nil {
			return nil, err
		}
	}
	if r.registry.Available() && (filter.RecordKind != nil || either && may.Has(account.ViewCustomers)) {
		log, err := r.recordLog(values.Or(filter.RecordKind), func(c *change) bool { return may.Has(account.ViewPersons) || !c.RecordKind.IsPerson() })
		if err != nil {
			return nil, err
		}
		logs = append(logs, log)
	}
	return logs, nil
}

func (r *Resolver) catalogueLog(kind catalogue.Kind) *changeLog {
	log := &changeLog{keeps: func(c *change) bool { return kind == "" || *c.CatalogueKind == kind }}
	log.read = func(ctx context.Context, actor string, above, below int64, limit int) ([]*change, error) {
		query := store.CatalogueAuditQuery{Kind: kind, Below: below, Limit: limit}
		if actor != "" {
			query = store.CatalogueAuditQuery{Actor: actor, Above: above, Below: below, Limit: limit}
		}
		entries, err := r.store.Audit(ctx, query)
		return values.Map(entries, func(e store.CatalogueAuditEntry) *change {
			return &change{graph.Change{
				Number: int(e.Number), At: e.At, Client: e.Actor.Client, User: values.OrNil(e.Actor.User), CatalogueKind: &e.Kind,
				ID: values.OrNil(string(e.ID)), Before: jsontext.Value(e.Before), After: jsontext.Value(e.After),
			}, log}
		}), err
	}
	return log
}

func (r *Resolver) recordLog(kind account.Kind, may func(*change) bool) (*changeLog, error) {
	records, err := r.registry.Store()
	log := &changeLog{keeps: func(c *change) bool { return may(c) && (kind == "" || *c.RecordKind == kind) }}
	log.read = func(ctx context.Context, actor string, above, below int64, limit int) ([]*change, error) {
		query := store.AuditQuery{Key: account.EntityKey{Kind: kind}}
		if actor != "" {
			query = store.AuditQuery{Actor: actor, Above: above}
		}
		entries, err := records.Audit(ctx, query, below, limit)
		registry.HideBills(ctx, entries)
		return values.Map(entries, func(e account.AuditEntry) *change {
			return &change{graph.Change{
				Number: int(e.Number), At: e.At, Client: e.Actor.Client, User: values.OrNil(e.Actor.User), RecordKind: &e.Key.Kind,
				ID: values.OrNil(e.Key.ID), Account: values.OrNil(e.Owner), Before: jsontext.Value(e.Before), After: jsontext.Value(e.After),
			}, log}
		}), err
	}
	return log, err
}

// find returns up to most entries that match a filter.
func (l *changeLog) find(ctx context.Context, filter *graph.ChangeFilter, most int) ([]*change, error) {
	if err := l.begin(ctx, filter.To); err != nil || l.below <= 1 {
		return nil, err
	}
	actor := values.Or(filter.Actor)
	var found []*change
	for range soughtTimes {
		above := int64(0)
		if actor != "" {
			above = max(0, l.below-1-soughtAtOnce)
		}
		entries, err := l.read(ctx, actor, above, l.below, most)
		if err != nil {
			return nil, err
		}
		l.more = len(entries) == most || above > 0
		for _, entry := range entries {
			l.below, l.oldest = int64(entry.Number), entry.At
			if filter.From != nil && entry.At.Before(*filter.From) {
				l.more = false
				return found, nil
			}
			if l.keeps(entry) {
				found = append(found, entry)
			}
		}
		if len(entries) < most && above > 0 {
			if err := l.skipTo(ctx, above+1, filter.From); err != nil {
				return nil, err
			}
		}
		if len(found) >= most || !l.more {
			break
		}
	}
	return found, nil
}

// skipTo continues below a number. Nothing of the actor is between.
func (l *changeLog) skipTo(ctx context.Context, below int64, from *time.Time) error {
	l.below = below
	next, err := l.read(ctx, "", 0, below, 1)
	if err != nil {
		return err
	}
	l.more = len(next) > 0
	if l.more {
		l.oldest = next[0].At
		l.more = from == nil || !l.oldest.Before(*from)
	}
	return nil
}

// begin sets below to where the entries before a moment begin, unless the page begins lower. Numbers grow with time, so it
// is found by bisection.
func (l *changeLog) begin(ctx context.Context, to *time.Time) error {
	newest, err := l.read(ctx, "", 0, l.below, 1)
	if err != nil || len(newest) == 0 {
		l.below = 0
		return err
	}
	l.below = int64(newest[0].Number) + 1
	if to == nil || newest[0].At.Before(*to) {
		return nil
	}
	low, high := int64(1), l.below // entries below low are before the moment, those from high on are not
	for low < high {
		middle := low + (high-low)/2
		entry, err := l.read(ctx, "", 0, middle+1, 1)
		if err != nil {
			return err
		}
		if len(entry) == 0 || entry[0].At.Before(*to) {
			low = middle + 1
		} else {
			high = int64(entry[0].Number)
		}
	}
	l.below = high
	return nil
}

// placeOfChanges is the form of cursors: one number for each log.
const placeOfChanges = "%d.%d"

// writeChangePlace returns the cursor behind which the entries that are left come.
func writeChangePlace(logs []*changeLog, left []*change) string {
	places := [2]int64{}
	for i, log := range logs {
		places[i] = log.below
		if !log.more {
			places[i] = 1
		}
		if at := slices.IndexFunc(left, func(c *change) bool { return c.log == log }); at >= 0 {
			places[i] = int64(left[at].Number) + 1
		}
	}
	return fmt.Sprintf(placeOfChanges, places[0], places[1])
}

func readChangePlace(logs []*changeLog, cursor *string) error {
	if cursor == nil {
		return nil
	}
	var places [2]int64
	_, _ = fmt.Sscanf(*cursor, placeOfChanges, &places[0], &places[1])
	if fmt.Sprintf(placeOfChanges, places[0], places[1]) != *cursor || places[0] < 0 || places[1] < 0 {
		return fault.InvalidRequest("%q is not a cursor of this list", fault.Shorten(*cursor))
	}
	for i, log := range logs {
		log.below = max(1, places[i])
	}
	return nil
}
