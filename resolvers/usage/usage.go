// Package usage reports plays, and administers what is billed: statements, voids and forgotten users (docs/usage.md).
package usage

import (
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/resolvers/authz"
	videos "github.com/filmstrip/filmstrip/resolvers/catalogue"
	"github.com/filmstrip/filmstrip/resolvers/paging"
	"github.com/filmstrip/filmstrip/resolvers/registry"
	"github.com/filmstrip/filmstrip/resolvers/values"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
)

// Config lists the ports that usage needs. A field whose port is nil returns an error with the code Unavailable.
type Config struct {
	// Videos has the channels that the caller sees.
	Videos *videos.Resolver
	// Registry has accounts, clients, and the audit log.
	Registry *registry.Registry
	// Catalogue and Roster have the names of what was played; either may be nil.
	Catalogue  store.Catalogue
	Roster     func() *account.Roster
	Counts     store.Usage
	Statements Statements
	Persons    Persons
	Voids      Voids
	// PersonKey makes pseudonyms of the users that clients name (HMAC-SHA256); nil: their names are stored.
	PersonKey []byte
	// FormerPersonKey made the pseudonyms before they were switched off; nil: there were none, or there still are.
	FormerPersonKey []byte
	Now             func() time.Time
}

// Statements composes statements of usage.
type Statements interface {
	// Statement returns the statement of an account for a month: the sealed one, or else a provisional one. The error has
	// the code NotFound if a later month was sealed and this one was not.
	Statement(ctx context.Context, account string, month usage.Month) (usage.Statement, error)
	// Seal seals a month and returns its statements in the order of accounts. The error has the code Invalid if it is too
	// early and not forced, and Conflict if this month or a later one is sealed.
	Seal(ctx context.Context, month usage.Month, force bool) ([]usage.Statement, error)
	// AttachSealDigests sets the digests of seals in sealed statements.
	AttachSealDigests(ctx context.Context, statements []usage.Statement) error
	// Digests returns the digests of all seals in the order of months.
	Digests(ctx context.Context) ([]usage.SealDigest, error)
}

// Persons anonymizes events.
type Persons interface {
	// Forget makes all events of a person (event.Event.Person) of an account those of an unknown one, and returns how many
	// there were; account "" stands for events without one. What is billed does not change.
	Forget(ctx context.Context, account, person string) (int64, error)
}

// Resolver resolves the fields about usage.
type Resolver struct{ config Config }

// New makes a resolver.
func New(config Config) *Resolver { return &Resolver{config} }

// maxPage is the most rows of a page.
const maxPage = 1000

var errNoUsage = fault.Errorf(fault.Unavailable, "this server does not count usage")

func (r *Resolver) Usage(ctx context.Context, from, to time.Time, filter *graph.UsageFilter, by []graph.UsageDimension, interval graph.UsageInterval, orderBy graph.UsageOrder, first int, after *string) (*graph.UsageReport, error) {
	if err := paging.CheckSize(first, maxPage); err != nil {
		return nil, err
	}
	offset, err := paging.Number(after)
	if err != nil {
		return nil, err
	}
	query := usage.Query{
		From: event.InstantOf(from), To: event.InstantOf(to), By: dimensions(by),
		Interval: intervals[interval], Order: orders[orderBy], Offset: int(min(offset, math.MaxInt32)), Limit: first,
	}
	if err := r.setFilter(ctx, &query, filter); err != nil {
		return nil, err
	}
	if err := r.hideChannels(ctx, &query); err != nil {
		return nil, err
	}
	setMeasures(ctx, &query)
	table, err := r.table(ctx, query)
	if err != nil {
		return nil, err
	}
	report := &graph.UsageReport{
		AsOf: asOf(table.Progress), Total: shownMeasures(table.Total), Count: int64(table.Count),
		Rows: values.Map(table.Rows, func(row usage.Row) *graph.UsageRow { return shownRow(&query, &row) }),
	}
	if err := r.nameRows(ctx, report.Rows); err != nil {
		return nil, err
	}
	if end := query.Offset + len(table.Rows); end < table.Count && len(table.Rows) > 0 {
		cursor := paging.Cursor(int64(end))
		report.EndCursor = &cursor
	}
	return report, nil
}

// table answers a query. A series without dimensions has all its buckets, even empty ones.
func (r *Resolver) table(ctx context.Context, query usage.Query) (usage.Table, error) {
	if r.config.Counts == nil {
		return usage.Table{}, errNoUsage
	}
	if err := query.Check(); err != nil {
		return usage.Table{}, err
	}
	if len(query.By) > 0 {
		return r.config.Counts.Table(ctx, query)
	}
	whole := query
	whole.Offset, whole.Limit = 0, usage.MaxRows
	whole.RowsFrom, whole.RowsTo = rowsOf(&query)
	table, err := r.config.Counts.Table(ctx, whole)
	if err != nil {
		return usage.Table{}, err
	}
	fillSeries(&table, &query)
	return table, nil
}

func (r *Resolver) Retention(ctx context.Context, video string, from, to time.Time, accounts []string, sandbox bool) (*graph.Retention, error) {
	accounts, err := authz.Accounts(ctx, accounts)
	if err != nil {
		return nil, err
	}
	query := usage.CurveQuery{
		Video: strings.ToLower(video), Accounts: accounts, From: event.InstantOf(from), To: event.InstantOf(to), Sandbox: sandbox,
	}
	if err := query.Check(); err != nil {
		return nil, err
	}
	if r.config.Counts == nil {
		return nil, errNoUsage
	}
	curve, err := r.config.Counts.Curve(ctx, query)
	if err != nil {
		return nil, err
	}
	return &graph.Retention{
		AsOf: asOf(curve.Progress), Views: values.List(curve.Views), UniqueSeconds: curve.UniqueSeconds,
		Plays: curve.Plays, Seconds: seconds(curve.Milliseconds), Users: curve.Users,
	}, nil
}

// setFilter restricts a query to what the caller may see and the filter asks for.
func (r *Resolver) setFilter(ctx context.Context, query *usage.Query, filter *graph.UsageFilter) error {
	if filter == nil {
		filter = &graph.UsageFilter{}
	}
	accounts, err := authz.Accounts(ctx, filter.Accounts)
	if err != nil {
		return err
	}
	if slices.Contains(query.By, usage.ByUser) || filter.Users != nil || filter.ExternalUsers != nil {
		if err := authz.RequireOfStaff(ctx, account.ViewPersons); err != nil {
			return err
		}
	}
	persons, err := r.persons(accounts, filter.Users, filter.ExternalUsers)
	if err != nil {
		return err
	}
	query.Sandbox = filter.Sandbox
	query.Only[usage.ByAccount] = accounts
	query.Only[usage.ByClient] = filter.Clients
	query.Only[usage.ByUser] = persons
	query.Only[usage.ByVideo] = values.Lower(filter.Videos)
	query.Only[usage.ByChannel] = values.Lower(filter.Channels)
	query.Only[usage.BySubject] = values.Lower(filter.Subjects)
	return nil
}

// hideChannels hides channels that the caller does not see, which have no rows then: a client may report a play of any
// video, and must not learn the video's hidden channel from it. Operators see all channels.
func (r *Resolver) hideChannels(ctx context.Context, query *usage.Query) error {
	caller := account.CallerOf(ctx)
	if !slices.Contains(query.By, usage.ByChannel) && query.Only[usage.ByChannel] == nil || caller.Permissions.Has(account.Operate) {
		return nil
	}
	directory, err := r.config.Videos.Directory(ctx)
	if err != nil {
		return err
	}
	query.Hide = func(id string) bool {
		channel := directory.Channel(catalogue.ID(id))
		return id != "" && (channel == nil || !caller.Access.OpensChannel(channel))
	}
	query.Only[usage.ByChannel] = slices.DeleteFunc(query.Only[usage.ByChannel], query.Hide)
	return nil
}
