package counting

import (
	"context"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/usage"
)

// Verify counts the log again, as far as it is counted, and compares it with the ledger and with the lists of videos, the ledger with
// the tables behind dashboards, and the statements with their seals. It reads the log once, and holds one sum for each account,
// client, month and seal, and one for each list. It changes nothing. An error means that it could not finish, never that something
// differs.
func (c *Counter) Verify(ctx context.Context) (Report, error) {
	began := c.Now()
	for {
		report, whole, err := c.verify(ctx)
		if err != nil {
			return Report{}, c.explainAll(ctx, err)
		}
		if whole {
			report.At, report.Took = began, c.Now().Sub(began)
			c.verified.Store(&report)
			return report, nil
		}
	}
}

// verify reports whether it saw one state: whole is false if a month was sealed or dropped meanwhile, plays were voided or restored,
// or a recount has ended. Lists are read between two reads of the ledger, and may be ahead of the first.
func (c *Counter) verify(ctx context.Context) (report Report, whole bool, err error) {
	if err := c.Usage.SettleVoids(ctx); err != nil {
		return report, false, err
	}
	before, err := c.made(ctx)
	if err != nil || before.voids.PendingVoid() != nil {
		return report, false, err
	}
	lists, err := c.lists(ctx)
	if err != nil || lists.upTo < before.progress.Position {
		return report, false, err
	}
	recounted, err := c.recount(ctx, before, lists)
	if fault.CodeOf(err) == fault.Conflict { // a month was dropped meanwhile
		return report, false, c.checkDropped(ctx, before.progress)
	}
	if err != nil {
		return report, false, err
	}
	tables, err := c.tables(ctx, before.ledger)
	if err != nil {
		return report, false, err
	}
	after, err := c.made(ctx)
	if err != nil {
		return report, false, err
	}
	if after.dropped != before.dropped || len(after.seals) != len(before.seals) || after.progress.Position < before.progress.Position ||
		after.voids.NextNumber() != before.voids.NextNumber() {
		return report, false, nil
	}
	report.From, report.UpTo = recounted.begin, lists.upTo
	report.Events, report.Plays, report.Skipped = recounted.events, recounted.plays, recounted.skippedUpTo(lists.upTo)
	report.add(recounted.differences...)
	sums := compareLedger(&report, before, recounted)
	compareTables(&report, tables, before.ledger, after.ledger)
	compareLists(&report, lists, recounted, before.ledger, after.ledger)
	return report, true, compareStatements(&report, before, sums)
}

// made is everything that was derived from the log.
type made struct {
	seals      []usage.Seal
	voids      usage.Voids
	dropped    event.Position
	ledger     []usage.Sum
	progress   usage.Progress
	statements []usage.Statement
}

// made reads it. If seals are equal before and after, all of it is of one state.
func (c *Counter) made(ctx context.Context) (m made, err error) {
	if m.seals, err = c.Usage.Seals(ctx); err != nil {
		return m, err
	}
	if m.voids, err = c.Usage.Voids(ctx); err != nil {
		return m, err
	}
	if m.dropped, err = c.Log.Dropped(ctx); err != nil {
		return m, err
	}
	if m.ledger, m.progress, err = c.Usage.Ledger(ctx, ""); err != nil {
		return m, err
	}
	m.statements, err = c.Usage.Statements(ctx, "", usage.Month{})
	return m, err
}

// place is where the tables behind dashboards are compared.
type place struct {
	account string
	month   usage.Month
}

// tables reads the usage of each account in each month of a ledger.
func (c *Counter) tables(ctx context.Context, ledger []usage.Sum) (map[place]usage.Measures, error) {
	found := map[place]usage.Measures{}
	asked := map[usage.Month]bool{}
	for _, sum := range ledger {
		if asked[sum.Month] {
			continue
		}
		asked[sum.Month] = true
		query := usage.Query{
			From: sum.Month.Start(), To: sum.Month.End(), By: []usage.Dimension{usage.ByAccount},
			Limit: usage.MaxRows, Sandbox: true, NoUsers: true, NoVideos: true,
		}
		for rows := usage.MaxRows; rows == usage.MaxRows; query.Offset += rows {
			table, err := c.Usage.Table(ctx, query)
			if err != nil {
				return nil, err
			}
			for _, row := range table.Rows {
				found[place{row.Keys[0], sum.Month}] = row.Measures
			}
			rows = len(table.Rows)
		}
	}
	return found, nil
}

// explainAll is Damage for the whole log.
func (c *Counter) explainAll(ctx context.Context, err error) error {
	if fault.CodeOf(err) != fault.Internal {
		return err
	}
	dropped, errDropped := c.Log.Dropped(ctx)
	head, errHead := c.Log.Head(ctx)
	if errDropped != nil || errHead != nil {
		return err
	}
	return Damage(ctx, c.Log, dropped, head, err)
}
