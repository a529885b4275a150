package resolvers

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
	"github.com/filmstrip/filmstrip/usage"
)

// What was used, as docs/billing.md defines it.

// maxUsagePage is the most rows of a page.
const maxUsagePage = 1000

var errNoUsage = fault.Errorf(fault.Unavailable, "this server counts no use")

func (q query) Usage(ctx context.Context, from, to time.Time, filter *graph.UsageFilter, by []graph.UsageDimension, interval graph.UsageInterval, orderBy graph.UsageOrder, first int, after *string) (*graph.UsageReport, error) {
	if first < 1 || first > maxUsagePage {
		return nil, fault.InvalidRequest("%d rows a page are not between 1 and %d", first, maxUsagePage)
	}
	offset, err := usageCursor(after)
	if err != nil {
		return nil, err
	}
	asked := usage.Query{
		From: event.InstantOf(from), To: event.InstantOf(to), By: dimensions(by),
		Interval: intervals[interval], Order: orders[orderBy], Offset: offset, Limit: first,
	}
	if err := q.keepUsage(ctx, &asked, filter); err != nil {
		return nil, err
	}
	if err := q.hideChannels(ctx, &asked); err != nil {
		return nil, err
	}
	measureSelected(ctx, &asked)
	table, err := q.usageTable(ctx, asked)
	if err != nil {
		return nil, err
	}
	report := &graph.UsageReport{
		AsOf: asOf(table.Progress), Total: shownMeasures(table.Total), Count: int64(table.Count), Rows: []*graph.UsageRow{},
	}
	for i := range table.Rows {
		report.Rows = append(report.Rows, shownUsage(&asked, &table.Rows[i]))
	}
	if end := offset + len(table.Rows); end < table.Count && len(table.Rows) > 0 {
		cursor := strconv.Itoa(end)
		report.EndCursor = &cursor
	}
	return report, nil
}

// usageTable answers a query. A series without dimensions has all its buckets, empty ones too.
func (r *resolver) usageTable(ctx context.Context, asked usage.Query) (usage.Table, error) {
	if r.usage == nil {
		return usage.Table{}, errNoUsage
	}
	if err := asked.Check(); err != nil {
		return usage.Table{}, err
	}
	if len(asked.By) > 0 {
		return r.usage.Table(ctx, asked)
	}
	whole := asked
	whole.Offset, whole.Limit = 0, usage.MaxRows
	table, err := r.usage.Table(ctx, whole)
	if err != nil {
		return usage.Table{}, err
	}
	fillSeries(&table, &asked)
	return table, nil
}

func (q query) Retention(ctx context.Context, video string, from, to time.Time, accounts []string, sandbox bool) (*graph.Retention, error) {
	accounts, err := reach(ctx, accounts)
	if err != nil {
		return nil, err
	}
	asked := usage.CurveQuery{
		Video: strings.ToLower(video), Accounts: accounts, From: event.InstantOf(from), To: event.InstantOf(to), Sandbox: sandbox,
	}
	if err := asked.Check(); err != nil {
		return nil, err
	}
	if q.usage == nil {
		return nil, errNoUsage
	}
	curve, err := q.usage.Curve(ctx, asked)
	if err != nil {
		return nil, err
	}
	return &graph.Retention{
		AsOf: asOf(curve.Progress), Views: list(curve.Views), UniqueSeconds: curve.UniqueSeconds,
		Plays: curve.Plays, Seconds: inSeconds(curve.Milliseconds), Users: curve.Users,
	}, nil
}

// keepUsage keeps what the caller may see and the filter asks for.
func (r *resolver) keepUsage(ctx context.Context, asked *usage.Query, filter *graph.UsageFilter) error {
	if filter == nil {
		filter = &graph.UsageFilter{}
	}
	accounts, err := reach(ctx, filter.Accounts)
	if err != nil {
		return err
	}
	persons, err := r.persons(accounts, filter.Users, filter.ExternalUsers)
	if err != nil {
		return err
	}
	asked.Sandbox = filter.Sandbox
	asked.Only[usage.ByAccount] = accounts
	asked.Only[usage.ByClient] = filter.Clients
	asked.Only[usage.ByUser] = persons
	asked.Only[usage.ByVideo] = lowered(filter.Videos)
	asked.Only[usage.ByChannel] = lowered(filter.Channels)
	asked.Only[usage.BySubject] = lowered(filter.Subjects)
	return nil
}

// persons are those whom either list names; nil where neither is given. Whom clients name may be kept under a
// pseudonym, or as they are from a time before there was a key.
func (r *resolver) persons(accounts, users, externalUsers []string) ([]string, error) {
	if users == nil && externalUsers == nil {
		return nil, nil
	}
	persons := []string{}
	for _, user := range users {
		persons = append(persons, userPerson(user))
	}
	key := r.personKey
	if len(key) == 0 {
		key = r.personKeyBefore
	}
	if len(externalUsers) > 0 && len(key) > 0 && accounts == nil {
		return nil, invalidField("externalUsers", "needs accounts, because names are kept pseudonymised for each account")
	}
	if len(accounts)*len(externalUsers) > catalogue.MaxFilterValues && len(key) > 0 {
		return nil, invalidField("externalUsers", "has too many values for so many accounts")
	}
	for _, user := range externalUsers {
		persons = append(persons, externalPerson(user))
		for _, account := range accounts {
			if len(key) > 0 {
				persons = append(persons, externalPerson(event.Pseudonym(key, account, user)))
			}
		}
	}
	return persons, nil
}

// userPerson and externalPerson are the persons that event.Event.Person makes of a user of a token, and of one
// whom clients name.
func userPerson(user string) string {
	e := event.Event{User: user}
	return e.Person()
}

func externalPerson(user string) string {
	e := event.Event{ExternalUser: user}
	return e.Person()
}

func lowered(texts []string) []string {
	if texts == nil {
		return nil
	}
	list := make([]string, len(texts))
	for i, text := range texts {
		list[i] = strings.ToLower(text)
	}
	return list
}

// usageCursor reads how many rows come before a page.
func usageCursor(text *string) (int, error) {
	if text == nil {
		return 0, nil
	}
	offset, err := strconv.ParseInt(*text, 10, 32)
	if err != nil || offset < 1 {
		return 0, fault.InvalidRequest("%q is not a cursor that usage has handed out", catalogue.Shorten(*text))
	}
	return int(offset), nil
}
