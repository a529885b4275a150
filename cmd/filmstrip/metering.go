package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/event/live"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/usage"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// meterSettings say what is kept of events and searches, and for how long.
type meterSettings struct {
	KeepEvents int `help:"How many months after the month of receipt the server keeps raw events, and who played what; 0: forever. Statements and totals stay." default:"0" placeholder:"MONTHS"`
	addressSettings
	PseudonymiseUsers         bool          `help:"Store the users whom clients name only as keyed hashes."`
	KeepIdempotencyKeys       time.Duration `help:"How long the server remembers the Idempotency-Key of a request with events, at least 48h. A device that repeats a request later is billed twice." default:"336h"`
	KeepQueries               int           `help:"How many days the server keeps searches, summed by account and day; 0: it records none and deletes existing ones." default:"90" placeholder:"DAYS"`
	EventMemory               int           `help:"Memory for events that wait to be stored, in MiB; the server refuses more with 503." default:"64"`
	MinFreeDisk               int           `help:"Free disk space, in MiB, below which the server refuses events with 503 if it stores them in SQLite's files; 0: no minimum." default:"256"`
	RequireSynchronousStandby bool          `help:"Refuse events with 503 while PostgreSQL commits do not wait for a standby."`
	BodyMemory                int           `help:"Memory for the bodies of requests in progress, in MiB; those of one client may take a quarter of it, and at least 8. The server refuses more with 503." default:"256"`
	VerifyUsage               time.Duration `help:"How often the server compares statements and counts with the event log; 0: never." default:"24h"`
}

// minBodyMemory is for two clients with the longest body, in MiB: a buffer that grows is not quite full.
const minBodyMemory = 16

func (c *meterSettings) check() error {
	switch {
	case c.KeepEvents < 0:
		return fmt.Errorf("--keep-events %d is below 0", c.KeepEvents)
	case c.KeepIdempotencyKeys < minKeyMemory:
		return fmt.Errorf("--keep-idempotency-keys %s is below 48h", c.KeepIdempotencyKeys)
	case c.KeepQueries < 0:
		return fmt.Errorf("--keep-queries %d is below 0", c.KeepQueries)
	case c.EventMemory < 1:
		return fmt.Errorf("--event-memory %d is below 1", c.EventMemory)
	case c.MinFreeDisk < 0:
		return fmt.Errorf("--min-free-disk %d is below 0", c.MinFreeDisk)
	case c.BodyMemory < minBodyMemory:
		return fmt.Errorf("--body-memory %d is below %d, the size of the largest event batches of two clients", c.BodyMemory, minBodyMemory)
	case c.VerifyUsage < 0:
		return fmt.Errorf("--verify-usage %s is below 0", c.VerifyUsage)
	}
	return c.addressSettings.check()
}

// addressSettings are those of servers, which keep addresses, and of exports, which tell them: none that is older.
type addressSettings struct {
	KeepAddresses time.Duration `help:"How long the server keeps callers' network addresses with their events; 0: not at all." default:"0s"`
}

func (c *addressSettings) check() error {
	if c.KeepAddresses < 0 {
		return fmt.Errorf("--keep-addresses %s is below 0", c.KeepAddresses)
	}
	return nil
}

// meter takes events, counts them and shows them.
type meter struct {
	commits *intake.Commits
	// limit counts events for the limits of the context's caller.
	limit func(ctx context.Context, events int) error
	// disk watches the disk of the event log; nil: nobody does.
	disk *freeDisk
	// health knows whether events can be stored.
	health *intakeHealth
	// stallAfter is how long the counts may stand still while the log holds newer events.
	stallAfter time.Duration
	// retention is the last error of what deletes old data; nil: it succeeded.
	retention atomic.Pointer[error]
	// replication knows whether commits wait for a standby; nil: there can be none.
	replication *replication
	live        *live.Hub
	counter     *counting.Counter
	log         store.Events
	keeps       meterSettings
	// personKey makes pseudonyms; nil: users are kept as they are named. personKeyBefore made those that are
	// kept from before that was so; nil: there are none.
	personKey, personKeyBefore []byte
}

// Append implements resolvers.EventSink. Events are refused where the disk is nearly full, or where their caller is
// beyond a limit.
func (m *meter) Append(ctx context.Context, submission event.Submission) (event.Verdict, error) {
	if m.disk.low() {
		return 0, errDiskNearlyFull
	}
	if err := m.replication.refusal(); err != nil {
		return 0, err
	}
	if err := m.limit(ctx, len(submission.Events)); err != nil {
		return 0, err
	}
	if m.keeps.KeepAddresses == 0 {
		for i := range submission.Events {
			submission.Events[i].Address = ""
		}
	}
	verdict, err := m.commits.Append(ctx, submission)
	if err == nil {
		m.live.Wake()
	}
	return verdict, err
}

// Recall implements resolvers.EventSink.
func (m *meter) Recall(ctx context.Context, submission event.Submission) (event.Verdict, error) {
	return m.log.Recall(ctx, submission)
}

// intake is what the metrics tell of taking events.
func (m *meter) intake() telemetry.Intake {
	stats := m.commits.Stats()
	return telemetry.Intake{
		Stored: stats.Events, Commits: stats.Commits, Refused: stats.Refused, Failed: stats.Failed, Waiting: stats.Waiting,
	}
}

// counting is what the metrics tell of counting them.
func (m *meter) counting() telemetry.Counting {
	stats := m.counter.Stats()
	counting := telemetry.Counting{Behind: stats.Behind}
	if report := stats.Verified; report != nil {
		counting.Verified, counting.Differences = true, int64(report.Different)
	}
	return counting
}

// stallAfter is meter.stallAfter of a server: with the time until somebody looks, less than a minute.
const stallAfter = 30 * time.Second

// openMeter starts what has to do with events, until the service closes.
func (s *service) openMeter(ctx context.Context, settings *serveCommand) error {
	health := newIntakeHealth(s.stores.events, s.logger)
	watchers := live.New(live.Config{Log: s.stores.events, Logger: s.logger})
	s.meter = &meter{
		health: health, stallAfter: stallAfter,
		log:   s.stores.events,
		keeps: settings.meterSettings,
		limit: s.identity.limits.Events,
		commits: intake.New(intake.Options{
			Log: health, HeldBytes: settings.EventMemory << 20, Logger: s.logger,
		}),
		live: watchers,
		counter: counting.New(counting.Options{
			Log: s.stores.events, Usage: s.stores.usage, Catalogue: s.catalogue, Leases: s.stores.leases,
			VerifyEvery: cmp.Or(settings.VerifyUsage, -1), Logger: s.logger, Polled: watchers.Wake,
		}),
	}
	s.closers = append(s.closers, s.meter.commits.Close)
	if settings.inFiles() {
		s.meter.disk = watchDisk(settings.Data, int64(settings.MinFreeDisk)<<20, s.logger)
		s.whileOpen(ctx, s.meter.disk.run)
	}
	if database := s.stores.database; database != nil {
		s.meter.replication = &replication{
			ask: database.Replication, engine: s.stores.engine, required: settings.RequireSynchronousStandby, logger: s.logger,
		}
		s.meter.replication.look(ctx)
		s.whileOpen(ctx, s.meter.replication.run)
	}
	if settings.PseudonymiseUsers {
		keys, err := s.keys(ctx, personKeys)
		if err != nil {
			return err
		}
		s.meter.personKey = firstSecret(keys)
	} else {
		keys, err := s.stores.accounts.Keys(ctx, personKeys)
		if err != nil {
			return err
		}
		s.meter.personKeyBefore = firstSecret(keys)
	}
	s.whileOpen(ctx, health.run, s.meter.live.Run, s.meter.counter.Run, s.clock.Run, s.forgetOld)
	return nil
}

// minKeyMemory is event.KeyMemory.
const minKeyMemory = time.Duration(event.KeyMemory) * time.Millisecond

// forgetEvery is how often it is looked for what is not kept any longer: an address may be kept for a tenth longer than
// it should, ten minutes at the most.
func (c *meterSettings) forgetEvery() time.Duration {
	if c.KeepAddresses == 0 {
		return 10 * time.Minute
	}
	return min(10*time.Minute, max(time.Second, c.KeepAddresses/10))
}

// forgetOld forgets, now and then, what is not kept any longer.
func (s *service) forgetOld(ctx context.Context) {
	for {
		err := s.forget(ctx, time.Now())
		switch {
		case ctx.Err() != nil:
		case err != nil:
			s.logger.Warn("what is too old cannot be forgotten", "error", err)
			s.meter.retention.Store(&err)
		default:
			s.meter.retention.Store(nil)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.meter.keeps.forgetEvery()):
		}
	}
}

// forget deletes nothing while the clock is not trusted.
func (s *service) forget(ctx context.Context, now time.Time) error {
	if !s.clock.MayDelete(ctx) {
		return nil
	}
	events, keeps := s.stores.events, s.meter.keeps
	faults := []error{
		events.ForgetKeys(ctx, event.InstantOf(now.Add(-keeps.KeepIdempotencyKeys))),
		events.ForgetViewings(ctx, event.InstantOf(now)-event.ViewingLife),
		events.ForgetAddresses(ctx, event.InstantOf(now.Add(-keeps.KeepAddresses))),
		s.stores.queries.ForgetBefore(ctx, forgottenQueries(catalogue.DateOf(now), keeps.KeepQueries)),
	}
	if keeps.KeepEvents > 0 {
		kept := usage.MonthNumber(usage.MonthOf(event.InstantOf(now)).Number() - keeps.KeepEvents)
		faults = append(faults, s.dropBefore(ctx, kept))
	}
	return errors.Join(faults...)
}

// dropBefore drops the months before one from the log and removes from the counts who played what in them, as far as
// they are sealed. Months are those of receipt, so everything that
// was received before the end of a dropped month has to be counted and sealed: a process with a wrong clock may have
// stored events of a month long after the month was sealed.
func (s *service) dropBefore(ctx context.Context, kept usage.Month) error {
	seals, err := s.stores.usage.Seals(ctx)
	if err != nil || len(seals) == 0 {
		return err
	}
	last := seals[len(seals)-1]
	if open := last.Month.Next(); open.Before(kept) {
		kept = open
	}
	// The first event tells cheaply that there is nothing to drop: the log has no index on receipt.
	dropped, err := s.stores.events.Dropped(ctx)
	if err != nil {
		return err
	}
	first, err := s.stores.events.Read(ctx, store.EventQuery{Dropped: dropped}, 0, 1)
	if err != nil {
		return err
	}
	if len(first) == 0 || first[0].Received >= kept.Start() {
		return s.stores.usage.ForgetPersons(ctx, kept)
	}
	unsealed, err := s.stores.events.Read(ctx, store.EventQuery{To: kept.Start(), Dropped: dropped}, last.Position, 1)
	if err != nil || len(unsealed) > 0 {
		return err
	}
	if _, err = s.stores.events.Drop(ctx, kept); err != nil {
		return err
	}
	return s.stores.usage.ForgetPersons(ctx, kept)
}
