package counting

import (
	"context"
	"errors"
	"time"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/background"
	"github.com/filmstrip/filmstrip/usage"
)

// Verify counts the log again, as far as it is counted, and compares it with the ledger, the lists of videos and the single plays, the
// ledger with the tables behind dashboards, and the statements with their seals. It reads the log and the single plays once, and holds
// one sum for each account, client, month and seal, and two for each list. It changes no counts; it stores the records of spans from
// which VerifyNext continues. An error means that it could not finish, never that something differs.
func (c *Counter) Verify(ctx context.Context) (Report, error) { return c.verify(ctx, true) }

// VerifyNext compares like Verify, but it counts only a part of the log again: new events, spans that voids have changed, and spans
// that were verified the longest ago, so many that everything is counted again within Rotation if it is called regularly. For all other
// spans it uses the records of earlier calls, by any process. It uses a small share of a processor (Options.VerifyLoad), and each span
// that it has counted is stored at once. It reports a span whose events have changed until they are as before, or until a Verify finds
// no difference.
func (c *Counter) VerifyNext(ctx context.Context) (Report, error) { return c.verify(ctx, false) }

// verification is one call of Verify or VerifyNext.
type verification struct {
	*Counter
	whole bool
	weigh func(video string) usage.Weight
	// last is the report of the call before; nil if there is none.
	last *Report
	// turns are the spans whose turn it is, nil before they are chosen. done are the spans that this call has counted.
	turns, done map[event.Position]bool
	// counted is the number of events that this call has read.
	counted int64
}

func (c *Counter) verify(ctx context.Context, whole bool) (Report, error) {
	began := c.Now()
	stored, state, err := c.readVerification(ctx)
	if err != nil {
		return Report{}, err
	}
	v := &verification{Counter: c, whole: whole, weigh: weights(stored.Seed), last: state.Last, done: map[event.Position]bool{}}
	for {
		report, complete, err := v.try(ctx)
		if err != nil && whole {
			err = c.explainAll(ctx, err)
		}
		if err != nil {
			return Report{}, err
		}
		if !complete {
			continue
		}
		report.At, report.Took, report.Incremental, report.Recounted = began, c.Now().Sub(began), !whole, v.counted
		if report.Since.IsZero() || report.Since.After(began) {
			report.Since = began
		}
		return report, c.storeReport(ctx, &report)
	}
}

// try counts what is due and compares the present state. complete is false if it must be repeated: because something was counted, or
// because a month was sealed or dropped meanwhile, plays were voided or restored, or a recount has ended. Lists are read between two
// reads of the ledger, and may be ahead of the first.
func (v *verification) try(ctx context.Context) (report Report, complete bool, err error) {
	if err := v.Usage.SettleVoids(ctx); err != nil {
		return report, false, err
	}
	before, err := v.derived(ctx)
	if err != nil || before.voids.PendingVoid() != nil {
		return report, false, err
	}
	if err := v.checkDropped(ctx, before.progress); err != nil {
		return report, false, err
	}
	s, err := v.scan(ctx, before)
	if err != nil {
		return report, false, err
	}
	for _, w := range s.works {
		if err := v.mayGoOn(ctx); err != nil {
			return report, false, err
		}
		if err := v.do(ctx, w, before); err != nil {
			return report, false, v.unlessDropped(ctx, err, before)
		}
	}
	if len(s.works) > 0 {
		return report, false, nil
	}
	begun := time.Now()
	report, complete, err = v.compare(ctx, before, s)
	if err == nil && !complete { // a complete report is stored at once
		err = v.rest(ctx, time.Since(begun))
	}
	return report, complete, err
}

// compare counts what is behind the last span, and compares.
func (v *verification) compare(ctx context.Context, before *derived, s *scanned) (report Report, complete bool, err error) {
	lists, err := v.lists(ctx, v.weigh)
	if err != nil || lists.upTo < before.progress.Position {
		return report, false, err
	}
	recounted := s.recount
	tail, err := v.read(ctx, s.upTo, before.progress.Position, before)
	if err != nil {
		return report, false, v.unlessDropped(ctx, err, before)
	}
	recounted.include(tail, before.progress.Position, before.seals)
	late, err := v.read(ctx, before.progress.Position, lists.upTo, before)
	if err != nil {
		return report, false, v.unlessDropped(ctx, err, before)
	}
	recounted.includeLists(late)
	tables, err := v.tables(ctx, before.ledger)
	if err != nil {
		return report, false, err
	}
	after, err := v.derived(ctx)
	if err != nil {
		return report, false, err
	}
	if after.dropped != before.dropped || len(after.seals) != len(before.seals) || after.progress.Position < before.progress.Position ||
		after.voids.NextNumber() != before.voids.NextNumber() {
		return report, false, nil
	}
	v.counted += tail.events + late.events
	report.From, report.UpTo = recounted.begin, lists.upTo
	report.Events, report.Plays, report.Skipped = recounted.events, recounted.plays, before.skippedBetween(recounted.begin, lists.upTo+1)
	if s.oldest != 0 {
		report.Since = s.oldest.Time()
	}
	report.add(recounted.differences...)
	sums := compareLedger(&report, before, recounted)
	compareTables(&report, tables, before.ledger, after.ledger)
	compareLists(&report, lists, recounted, before.ledger, after.ledger)
	if err := compareStatements(&report, before, sums); err != nil {
		return report, false, err
	}
	if !v.whole {
		report.add(s.differences...)
	} else if report.Agrees() {
		err = v.accept(ctx, s.changed)
	}
	return report, true, err
}

// unlessDropped returns no error for one that means that a month was dropped meanwhile: the verification begins again.
func (v *verification) unlessDropped(ctx context.Context, err error, before *derived) error {
	if fault.CodeOf(err) == fault.Conflict {
		return v.checkDropped(ctx, before.progress)
	}
	return err
}

// errOtherProcess ends a VerifyNext of Run in a process that does not count any more.
var errOtherProcess = errors.New("another process counts and verifies now")

// mayGoOn returns an error if another process has taken over. It also learns what a Verify of another process has found, because a
// VerifyNext may take days.
func (v *verification) mayGoOn(ctx context.Context) error {
	if v.whole {
		return ctx.Err()
	}
	if !v.lease.Held() && v.running.Load() {
		return errOtherProcess
	}
	_, _, err := v.readVerification(ctx)
	return err
}

// rest pauses after a piece of work.
func (v *verification) rest(ctx context.Context, took time.Duration) error {
	pause := pace
	if !v.whole {
		pause = time.Duration(float64(took) * (1/v.VerifyLoad - 1))
	}
	background.Sleep(ctx, pause, nil)
	return ctx.Err()
}

// verificationState is the stored state of the verification.
type verificationState struct {
	// Since is when it was first run in the background. Last is the last report.
	Since time.Time
	Last  *Report
}

// readVerification reads the stored state. A state that cannot be read is that of another release.
func (c *Counter) readVerification(ctx context.Context) (stored usage.Verification, state verificationState, err error) {
	if stored, err = c.Usage.Verification(ctx); err != nil {
		return stored, state, err
	}
	if stored.State != nil && openBytes(stored.State, &state) != nil {
		state = verificationState{}
	}
	c.verification.Store(&state)
	return stored, state, nil
}

// storeReport stores a report for all processes.
func (c *Counter) storeReport(ctx context.Context, report *Report) error {
	_, state, err := c.readVerification(ctx)
	if err != nil {
		return err
	}
	state.Last = report
	return c.storeVerification(ctx, state)
}

func (c *Counter) storeVerification(ctx context.Context, state verificationState) error {
	data, err := sealBytes(state)
	if err != nil {
		return err
	}
	if err := c.Usage.PutVerification(ctx, data); err != nil {
		return err
	}
	c.verification.Store(&state)
	return nil
}

// derived is everything that was derived from the log.
type derived struct {
	seals      []usage.Seal
	voids      usage.Voids
	dropped    event.Position
	ledger     []usage.Sum
	progress   usage.Progress
	statements []usage.Statement
	// skipped are the positions of damaged events that readers skip, in their order.
	skipped []event.Position
}

// derived reads it. If seals are equal before and after, all of it is of one state.
func (c *Counter) derived(ctx context.Context) (m *derived, err error) {
	m = &derived{}
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
	skipped, err := c.Log.Skipped(ctx)
	if err != nil {
		return m, err
	}
	for _, one := range skipped {
		m.skipped = append(m.skipped, one.Position)
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
