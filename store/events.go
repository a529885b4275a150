package store

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Events is the log of what clients tell of use, and the memory of their idempotency keys. Faults are those of
// Catalogue. Every method may be called concurrently, and by several processes where the engine is shared.
type Events interface {
	// Append adds the events of the submissions, in their order, in one transaction that has reached the disk
	// when Append returns. Each event gets the next Position. A submission with a key is judged first: against
	// what is remembered, and against those before it in the list. One that is Repeated or Mismatched adds
	// nothing and disturbs no other. Of submissions with one key that race, in whatever processes, one is
	// Stored. With an error nothing may be known to be stored: whoever was not told so must come again, and
	// with a key is then counted once. Together at most 100,000 events.
	//
	// Of a submission with a Viewing, Counted of each event is stored as Viewing.Bound says. What counts in a viewing
	// is remembered with the events, in the same transaction, so that submissions that race share what is left, in
	// whatever processes. One that is Repeated or Mismatched adds nothing.
	Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error)
	// Recall is what Append would say of a submission whose key is remembered, and 0 for another. It stores nothing.
	Recall(ctx context.Context, submission event.Submission) (event.Verdict, error)
	// Head is the position of the last event.
	Head(ctx context.Context) (event.Position, error)
	// Read returns up to limit events behind a position that the query keeps, in the order of positions; limit
	// is 1 to 10,000. Nothing that is committed later has a position before one that Read has shown. Values
	// belong to the caller. Where the row of an event is damaged, the error is of code Internal; events that
	// SkipDamaged has recorded are left out. Where Drop has removed events behind the position, Read returns an error of code
	// Conflict instead of skipping them silently, unless EventQuery.Dropped accepts the gap.
	Read(ctx context.Context, query EventQuery, after event.Position, limit int) ([]event.Event, error)

	// Erase makes all events of a person of an account ("": of none, those that came without a token), up to a
	// position that the log has reached, events of another, who is nobody: the ExternalUser or the User by which
	// Person knows them is replaced by the ID alias, and Subtype of interactions aside, what could tell of them
	// (Referer, Address, Trace, Details, Metadata, the other of ExternalUser and User) is emptied. What is billed
	// does not change. It returns how many events there were; a call that was cut short is repeated.
	Erase(ctx context.Context, account, person, alias string, upTo event.Position) (int64, error)
	// ForgetAddresses empties Address of events that were received before an instant.
	ForgetAddresses(ctx context.Context, before event.Instant) error
	// ForgetKeys forgets idempotency keys of requests received before an instant.
	ForgetKeys(ctx context.Context, before event.Instant) error
	// ForgetViewings forgets what counts in viewings that were opened before an instant.
	ForgetViewings(ctx context.Context, before event.Instant) error
	// Drop removes whole months of events: all received before the month. Positions stay taken. It returns
	// what Dropped returns afterwards. It does not keep Append waiting for longer than a moment.
	Drop(ctx context.Context, before usage.Month) (event.Position, error)
	// Dropped returns the position up to which Drop may have removed events, 0 where it has removed none. Events
	// behind it are all there. Some before it may be left: those that were received in a month that is kept, and
	// stored before the last event of a month that was dropped.
	Dropped(ctx context.Context) (event.Position, error)

	// CheckWritable commits a mark in the log's own tables and returns the error that Append would meet there, nil where
	// events can be stored. It adds no event. It finds a full disk, a read-only file system or a damaged log on a server
	// to which nobody sends events.
	CheckWritable(ctx context.Context, at event.Instant) error
	// SkipDamaged records, in one transaction, that readers leave out events that cannot be read. From then on Read
	// never looks at their rows and continues behind them, also where a row becomes readable again. It returns how many
	// it added; events that are skipped already are left as they are. The error is of code Invalid where one of the
	// events can be read, or where the log holds no event at its position; then nothing is skipped. At most 10,000.
	SkipDamaged(ctx context.Context, events []SkippedEvent) (int, error)
	// Skipped returns all events that SkipDamaged has recorded, in the order of positions. Drop does not remove them.
	Skipped(ctx context.Context) ([]SkippedEvent, error)

	// ClockRecord returns what is remembered of the processes' clocks, zero where nothing is.
	ClockRecord(ctx context.Context) (ClockRecord, error)
	// EditClockRecord runs edit on the record in one transaction and stores what edit has made of it, unless edit
	// returns an error, which EditClockRecord returns. Calls exclude one another, also those of other processes.
	// edit may run again where an engine asks for it.
	EditClockRecord(ctx context.Context, edit func(record *ClockRecord) error) error

	io.Closer
}

// SkippedEvent is an event whose row in the log is damaged and which an operator has decided to leave out.
type SkippedEvent struct {
	Position event.Position `json:"position"`
	// At is when it was skipped, By who did it: the client and the user of the audit log's actor.
	At event.Instant `json:"at"`
	By string        `json:"by"`
	// Reason is the operator's.
	Reason string `json:"reason"`
}

// EventQuery limits what Read returns. Zero fields limit nothing.
type EventQuery struct {
	// Account and Person (Event.Person) keep events of one account, and of one person of it.
	Account, Person string
	Kinds           []event.Kind
	// From keeps events that were received then or later, To those before.
	From, To event.Instant
	// UpTo keeps events up to a position.
	UpTo event.Position
	// Dropped accepts that events up to this position were dropped. A reader that begins with the oldest event
	// that is left sets it to what Events.Dropped returned; later drops are then still refused.
	Dropped event.Position
}

// Usage is what is rolled up of the event log, and the system of record for seals and sealed statements. Faults
// are those of Catalogue. Every method may be called concurrently.
type Usage interface {
	// Progress says how far the log is counted.
	Progress(ctx context.Context) (usage.Progress, error)
	// Apply counts plays, which are all those of the log between two places, in the order of positions, in one
	// transaction that moves the progress from one to the other. Where the progress is not from, nothing
	// changes and the error is of code Conflict: somebody else has counted them. At most 1,000,000 plays.
	Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error
	// Table answers a query that Query.Check takes, exactly, as of one moment. The error is of code Invalid where
	// more than 1,000,000 rows would be gathered to choose the page from.
	Table(ctx context.Context, query usage.Query) (usage.Table, error)
	// Curve answers exactly, as of one moment.
	Curve(ctx context.Context, query usage.CurveQuery) (usage.Curve, error)
	// Lists returns what the lists of videos say that rows by video are read from, in the order of account, month and
	// sandbox, and the progress at that moment. weigh tells what each video weighs, the same whenever it is asked.
	Lists(ctx context.Context, weigh func(video string) usage.Weight) ([]usage.List, usage.Progress, error)

	// Ledger returns all sums of an account ("": of all), in the order of account, month, client, sandbox and
	// seal, and the progress at that moment.
	Ledger(ctx context.Context, account string) ([]usage.Sum, usage.Progress, error)
	// Seals returns all seals in the order of months.
	Seals(ctx context.Context) ([]usage.Seal, error)
	// Seal closes a month in one transaction: all sums that no seal has taken in and whose month is not behind
	// it become part of it. compose makes the statements of it from the ledger of all accounts, as the
	// transaction sees it, and the last statement of each account; it may run again where an engine asks for
	// it. The seal's position is that of the progress. The error is of code Conflict where that month or a
	// later one is sealed.
	Seal(ctx context.Context, seal usage.Seal, compose func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error)) ([]usage.Statement, error)
	// Statements returns sealed statements: of an account ("": of all) and of a month (zero: of all), in the
	// order of month and account.
	Statements(ctx context.Context, account string, month usage.Month) ([]usage.Statement, error)

	// Rename makes all plays of a person (event.Event.Person) of an account that are counted those of another, the
	// person alias, whom nobody has been before, in one transaction. It returns how far the log was counted then:
	// what comes behind stays the person's. Until EndRename the alias is kept, and who comes again with another gets
	// the one that is kept; used is the one that counts. Nobody ("") is not renamed.
	Rename(ctx context.Context, account, person, alias string) (used string, counted event.Position, err error)
	// EndRename forgets which alias a person got.
	EndRename(ctx context.Context, account, person string) error
	// PlaysOf returns all plays that are counted of a person of an account ("": of none), in the order of positions, with
	// client and video, and without channel and subjects. Nobody ("") has none.
	PlaysOf(ctx context.Context, account, person string) ([]usage.Play, error)
	// ForgetPersons removes what tells who played what before a month, by the months of plays: plays, counts by the hour,
	// the persons of all other counts, and users of whom nothing is left. It keeps sums and videos of days and months,
	// and how many users each account had on a day and in a month. The ledger, seals and statements do not change. From
	// then on Table and Curve refuse, by an error of code Invalid, what they cannot answer of that time; the months that
	// it has removed stay removed, whatever month comes next. What is counted later of that time is removed by the next
	// call; it cannot tell its users from those who were counted before. It keeps Apply waiting for a moment at most, and
	// a call that was cut short is repeated.
	ForgetPersons(ctx context.Context, before usage.Month) error

	// Void makes a void: the plays that it selects, of those that are counted now, drop out of all counts and of the
	// ledger's sums that are not sealed; for those that are sealed the ledger gets negative sums that name the void, and
	// that the next seal takes in (usage.Voids.Sums). Position, the numbers of acts and what was taken out are the store's
	// to set. A void with the same ID and selection that is there already is returned instead; with another selection,
	// the error is of code Conflict. The error is of code Invalid where plays of the selected time were removed by
	// ForgetPersons. It works in small transactions; once the first is committed, a call that was cut short is finished
	// by the next Void, UndoVoid or SettleVoids, and until then Seal, EndRecount and ForgetPersons return an error of
	// code Unavailable. Plays that another void has taken out stay that one's, until it is undone.
	Void(ctx context.Context, void usage.Void) (usage.Void, error)
	// UndoVoid puts the plays of a void back that no other void takes: what was sealed without them gets positive sums
	// that name the void. A void that is undone already is returned as it is. The error is of code NotFound where there
	// is no such void, of code Invalid where ForgetPersons has removed plays that it has taken out.
	UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error)
	// SettleVoids finishes what a call of Void or UndoVoid has left, in whatever process.
	SettleVoids(ctx context.Context) error
	// Voids returns all voids, those that were undone too, in the order in which they were made.
	Voids(ctx context.Context) (usage.Voids, error)
	// PreviewVoid returns the sums of plays that Void would take out now, in the order of Ledger, and its errors of code
	// Invalid.
	PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error)

	// BeginRecount begins a second set of counts, from which nothing is answered, for plays of a month and of later
	// ones. With resume it returns the one that was begun before for the same month, unless a month was sealed, a
	// rename has ended or persons were removed since.
	BeginRecount(ctx context.Context, from usage.Month, resume bool) (usage.Recount, error)
	// ApplyRecount is Apply for the second set, and returns it as it is then. Plays before its first month are left
	// out. The error is of code Conflict where it is not the one that was given: another process has gone on with it,
	// or it must begin again.
	ApplyRecount(ctx context.Context, recount usage.Recount, to usage.Progress, plays []usage.Play) (usage.Recount, error)
	// EndRecount puts the second set in the place of the counts of its months and moves the progress, in one
	// transaction. Seals, statements and months before stay as they are. The error is of code Conflict where the
	// second set is not the one that was given or the progress of the counts is not counted, and Unavailable while
	// a rename has not ended.
	EndRecount(ctx context.Context, recount usage.Recount, counted usage.Progress) error

	io.Closer
}
