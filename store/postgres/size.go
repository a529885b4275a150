package postgres

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/filmstrip/filmstrip/store"
)

var (
	_ store.Sizer = (*Catalogue)(nil)
	_ store.Sizer = (*Events)(nil)
	_ store.Sizer = (*Usage)(nil)
)

// domain is a part of the database.
type domain string

const (
	catalogueDomain   domain = "catalogue"
	accountsDomain    domain = "accounts"
	eventsDomain      domain = "events"
	usageDomain       domain = "usage"
	collectionsDomain domain = "collections"
	searchLogDomain   domain = "searchlog"
	jobsDomain        domain = "jobs"
)

// domainOf returns the domain of a table.
func domainOf(table string) domain {
	switch table {
	case "registry", "versions", "notes", "audit", "keys", "codes", "grants", "sessions", "revocations", "usage", "deprecated_uses", "used_steps":
		return accountsDomain
	case "skipped_events":
		return eventsDomain
	}
	for _, known := range []struct {
		prefix string
		domain domain
	}{
		{"account_", accountsDomain}, {"event", eventsDomain}, {"usage_", usageDomain}, {"recount_", usageDomain},
		{"collection", collectionsDomain}, {"searchlog_", searchLogDomain}, {"job", jobsDomain},
	} {
		if strings.HasPrefix(table, known.prefix) {
			return known.domain
		}
	}
	return catalogueDomain
}

// Partitions count as part of their table. The server updates the numbers of rows when it vacuums and analyzes a table;
// before the first time, they are -1.
var (
	selectTableNames = define(`
		SELECT relname::text FROM pg_class
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
	selectTables = define(`
		SELECT r.relname::text, sum(pg_total_relation_size(c.oid))::bigint AS bytes, (CASE WHEN max(c.reltuples) < 0 THEN -1 ELSE sum(greatest(c.reltuples, 0)) END)::bigint
		FROM pg_class AS c JOIN pg_class AS r ON r.oid = coalesce(pg_partition_root(c.oid), c.oid)
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND r.relname = ANY ($1::text[])
		GROUP BY r.relname ORDER BY bytes DESC, r.relname`)
	selectDatabaseSize = define(`SELECT pg_database_size(current_database())`)
)

// sizeOf returns the size of the tables of a domain.
func (d *Database) sizeOf(ctx context.Context, of domain) (store.Size, error) {
	var size store.Size
	err := d.reading(ctx, func(ctx context.Context, s *session) error {
		var tables []string
		p := &pipeline{}
		p.ask(selectTableNames, func(rows pgx.Rows) error {
			var name string
			err := rows.Scan(&name)
			if domainOf(name) == of {
				tables = append(tables, name)
			}
			return err
		})
		if err := s.run(ctx, p); err != nil {
			return err
		}
		size, p = store.Size{}, &pipeline{}
		p.ask(selectTables, func(rows pgx.Rows) error {
			var (
				name        string
				bytes, many int64
			)
			if err := rows.Scan(&name, &bytes, &many); err != nil {
				return err
			}
			size.Bytes += bytes
			table := store.TableSize{Name: name, Bytes: &bytes}
			if many >= 0 {
				table.Rows = &many
			}
			if len(size.Tables) < store.MaxTables {
				size.Tables = append(size.Tables, table)
			}
			return nil
		}, tables)
		return s.run(ctx, p)
	})
	return size, err
}

// Size implements store.Sizer.
func (c *Catalogue) Size(ctx context.Context) (store.Size, error) {
	return c.sizeOf(ctx, catalogueDomain)
}

// Size implements store.Sizer.
func (e *Events) Size(ctx context.Context) (store.Size, error) { return e.sizeOf(ctx, eventsDomain) }

// Size implements sqlstore.Database.
func (d shared) Size(ctx context.Context) (store.Size, error) { return d.sizeOf(ctx, d.domain) }

// Size implements store.Sizer with the bytes of the whole database.
func (d *Database) Size(ctx context.Context) (size store.Size, err error) {
	err = d.read(ctx, func(p *pipeline) { p.number(selectDatabaseSize, &size.Bytes) })
	return size, err
}
