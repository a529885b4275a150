package app

import (
	"cmp"
	"context"
	"sync/atomic"
	"time"

	"github.com/filmstrip/filmstrip/event/intake"
	"github.com/filmstrip/filmstrip/event/live"
	"github.com/filmstrip/filmstrip/internal/telemetry"
	"github.com/filmstrip/filmstrip/usage/counting"
)

// EventSettings configure the intake of events, and how long events and searches are kept. The minimum of
// KeepIdempotencyKeys is event.KeyMemory.
type EventSettings struct {
	KeepEvents int `help:"The number of months after the month of receipt for which the server keeps raw events, and the persons of plays; 0: forever. Statements and totals stay." default:"0" placeholder:"MONTHS" min:"0"`
	ArchiveAge
	AddressSettings
	PseudonymiseUsers         bool          `help:"Store the users whom clients name only as keyed hashes. Switch it for all processes at the start of a month."`
	KeepIdempotencyKeys       time.Duration `help:"The time for which the server remembers the Idempotency-Key of a request with events, at least 48h. A device that repeats a request later is billed twice." default:"336h" min:"48h"`
	KeepQueries               int           `help:"The number of days for which the server keeps searches, summed by account and day; 0: it records none and deletes existing ones." default:"90" placeholder:"DAYS" min:"0"`
	EventMemory               int           `help:"Memory for events that wait to be stored, in MiB; the server refuses more with 503." default:"64" min:"1"`
	MinFreeDisk               int           `help:"Free disk space, in MiB, below which the server refuses events with 503 if it stores them in SQLite's files; 0: no minimum." default:"256" min:"0"`
	RequireSynchronousStandby bool          `help:"Refuse events with 503 while PostgreSQL commits do not wait for a standby."`
	BodyMemory                int           `help:"Memory for the bodies of requests in progress, in MiB; those of one client may take a quarter of it, and at least 8. The server refuses more with 503." default:"256" min:"16"`
	VerifyUsage               time.Duration `help:"The interval at which the server compares statements and counts with the event log, of which it counts a part again each time; 0: never." default:"24h" min:"0s"`
}

// minBodyMemory is the minimum of --body-memory, which is enough for the longest bodies of two clients, in MiB. The sum
// includes slack, because a growing buffer is never quite full.
const minBodyMemory = 16

// AddressSettings bound the age of network addresses, in the store and in exports.
type AddressSettings struct {
	KeepAddresses time.Duration `help:"The time for which the server keeps callers' network addresses with their events; 0: not at all." default:"0s" min:"0s"`
}

// usagePipeline accepts events, counts them, and delivers them to subscribers.
type usagePipeline struct {
	gate *intake.Gate
	// disk watches the disk of the event log. It is nil with PostgreSQL.
	disk *freeDisk
	// health knows whether events can be stored.
	health *intakeHealth
	// stallAfter is how long counting may make no progress while the log contains newer events.
	stallAfter time.Duration
	// retention is the error of the last deletion of old data. It is nil if the deletion succeeded.
	retention atomic.Pointer[error]
	// archiving is the error of the last attempt to move old months to the archive. It is nil if the attempt succeeded.
	archiving atomic.Pointer[error]
	// replication watches the standby. It is nil with SQLite.
	replication *replication
	live        *live.Hub
	counter     *counting.Counter
	keeps       EventSettings
	// personKey creates pseudonyms. If it is nil, user names are stored as they are. personKeyBefore is the key of
	// pseudonyms from an earlier configuration, or nil if there are none.
	personKey, personKeyBefore []byte
}

// ready returns why events cannot be stored safely: the disk is nearly full, or a required standby is missing.
func (m *usagePipeline) ready() error {
	if m.disk.low() {
		return errDiskNearlyFull
	}
	return m.replication.reject()
}

// intake returns the metrics of the intake.
func (m *usagePipeline) intake() telemetry.Intake {
	stats := m.gate.Commits.Stats()
	return telemetry.Intake{
		Stored: stats.Events, Commits: stats.Commits, Refused: stats.Refused, Failed: stats.Failed, Waiting: stats.Waiting,
	}
}

// counting returns the metrics of counting.
func (m *usagePipeline) counting() telemetry.Counting {
	stats := m.counter.Stats()
	counting := telemetry.Counting{Behind: stats.Behind, Unverified: stats.Unverified, Uncompared: stats.Uncompared}
	if report := stats.Verified; report != nil {
		counting.Verified, counting.Differences = true, int64(report.Different)
	}
	return counting
}

// stallAfter leaves less than a minute until the next probe of /readyz reports the stall.
const stallAfter = 30 * time.Second

// openUsage starts the intake, counting, delivery and retention of events.
func (s *App) openUsage(ctx context.Context, settings *Settings) error {
	health := newIntakeHealth(s.stores.Events, s.logger)
	watchers := live.New(live.Config{Log: s.stores.Events, Logger: s.logger})
	s.usage = &usagePipeline{
		health: health, stallAfter: stallAfter,
		keeps: settings.EventSettings,
		live:  watchers,
		counter: counting.New(counting.Options{
			Log: s.stores.Events, Usage: s.stores.Usage, Catalogue: s.catalogue, Leases: s.stores.leases,
			VerifyEvery: cmp.Or(settings.VerifyUsage, -1), Logger: s.logger, Polled: watchers.Wake,
		}),
	}
	s.usage.gate = &intake.Gate{
		Commits: intake.New(intake.Options{Log: health, HeldBytes: settings.EventMemory << 20, Logger: s.logger}),
		Ready:   s.usage.ready, Limit: s.identity.limits.Events, KeepAddresses: settings.KeepAddresses > 0,
		Recalled: s.stores.Events.Recall, Stored: watchers.Wake,
	}
	s.closers = append(s.closers, s.usage.gate.Commits.Close)
	if settings.InFiles() {
		s.usage.disk = watchDisk(settings.Data, int64(settings.MinFreeDisk)<<20, s.logger)
		s.whileOpen(ctx, s.usage.disk.run)
	}
	if database := s.stores.database; database != nil {
		s.usage.replication = &replication{
			ask: database.Replication, engine: s.stores.engine, required: settings.RequireSynchronousStandby, logger: s.logger,
		}
		s.usage.replication.poll(ctx)
		s.whileOpen(ctx, s.usage.replication.run)
	}
	if settings.PseudonymiseUsers {
		keys, err := s.keys(ctx, PersonKeys)
		if err != nil {
			return err
		}
		s.usage.personKey = FirstSecret(keys)
	} else {
		keys, err := s.stores.Accounts.Keys(ctx, PersonKeys)
		if err != nil {
			return err
		}
		s.usage.personKeyBefore = FirstSecret(keys)
	}
	s.whileOpen(ctx, health.run, s.usage.live.Run, s.usage.counter.Run, s.clock.Run, s.forgetOld, s.indexPersons)
	if s.stores.archive != nil {
		s.whileOpen(ctx, s.moveOld)
	}
	return nil
}
