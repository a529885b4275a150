package store

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/usage"
)

// Events is the log of the events that clients report, and the store of their idempotency keys. Errors are those of
// Catalogue. Every method may be called concurrently, and by several processes if the engine is shared.
type Events interface {
	// Append adds the events of the submissions, in order, in one transaction, which is on disk when Append returns.
	// Each event gets the next Position. One call accepts at most 100,000 events.
	//
	// Append first compares a submission that has a key with the stored keys and with earlier submissions of the list.
	// A submission that is Repeated or Mismatched adds nothing and does not affect the others. Of concurrent
	// submissions with one key, in any process, exactly one is Stored. If Append returns an error, the caller cannot
	// know whether the events were stored and must repeat the call; submissions with keys are then counted once.
	//
	// If a submission has a Viewing, Append stores Counted of each event as Viewing.Bound determines it. The counted
	// time of the viewing is stored in the same transaction, so that concurrent submissions, in any process, share the
	// remaining time.
	//
	// Append sets Continues on an event whose key, as Submission.PlayKey determines it, an event that is Stored had
	// before, in the list or in the log. Concurrent submissions, in any process, begin one play.
	Append(ctx context.Context, submissions []event.Submission) ([]event.Verdict, error)
	// Recall returns the verdict that Append would return for a submission whose key is stored, and 0 for any other. It
	// stores nothing.
	Recall(ctx context.Context, submission event.Submission) (event.Verdict, error)
	// Head returns the position of the last event.
	Head(ctx context.Context) (event.Position, error)
	// Read returns up to limit events after a position that match the query, in the order of positions. limit is 1 to
	// 10,000. No event that is committed later has a position below one that Read has returned. Values belong to the
	// caller. If the row of an event is damaged, the error is of code Internal; Read leaves out events that SkipDamaged
	// has recorded. If Drop has removed events after the position, Read returns an error of code Conflict instead of
	// skipping them silently, unless EventQuery.Dropped accepts the gap.
	//
	// For a query with Names, or with an Account and a Person, Read examines only the parts of the log in which the index
	// of persons has the names, and what the index does not cover (IndexPersons). It reports damage only there.
	Read(ctx context.Context, query EventQuery, after event.Position, limit int) ([]event.Event, error)

	// Erase pseudonymizes all events of a person of an account up to a position that the log has reached. Account ""
	// selects events without an account, which were submitted without a token. Erase replaces the ExternalUser or the
	// User by which Person identifies the person with the ID alias. It empties the other identifying fields (Referer,
	// Address, Trace, Details, Metadata, and the other of ExternalUser and User), but keeps Subtype of interactions.
	// Billed usage does not change. Erase returns the number of events. Repeat a call that was interrupted.
	//
	// Erase examines the same parts of the log as Read. In the same transactions, it replaces the names in the index of
	// persons, except in parts that IndexPersons must read again because of damage or because of an earlier release.
	Erase(ctx context.Context, account, person, alias string, upTo event.Position) (int64, error)
	// IndexPersons extends the index of persons by one small step: it reads a part of the log and stores where names occur
	// in it. It reports whether more steps may remain. When none remain, the index covers all events except the newest, of
	// which there are fewer than 131,072. Other methods return the same results with and without the index. IndexPersons
	// delays Append only briefly, and several processes may call it.
	IndexPersons(ctx context.Context) (more bool, err error)
	// ForgetAddresses empties Address of events that were received before an instant.
	ForgetAddresses(ctx context.Context, before event.Instant) error
	// ForgetKeys deletes the keys of requests that were received before an instant, and those of plays that began before
	// it: their next event begins another play.
	ForgetKeys(ctx context.Context, before event.Instant) error
	// ForgetViewings deletes the counted time of viewings that were opened before an instant.
	ForgetViewings(ctx context.Context, before event.Instant) error
	// Drop removes whole months of events: all events that were received before the month, and from the index of persons
	// the names that only these events contain. Their positions are not reused. Drop returns the result of a later call of
	// Dropped. It delays Append only briefly. Repeat a call that was interrupted.
	Drop(ctx context.Context, before usage.Month) (event.Position, error)
	// Dropped returns the position up to which Drop may have removed events; 0: it has removed none. All events after
	// it exist. Some events before it may remain: those that were received in a kept month but stored before the last
	// event of a dropped month.
	Dropped(ctx context.Context) (event.Position, error)

	// CheckWritable commits a mark in the log's own tables and returns the error that Append would return; nil: events
	// can be stored. It adds no event. It detects a full disk, a read-only file system or a damaged log on a server
	// that receives no events.
	CheckWritable(ctx context.Context, at event.Instant) error
	// SkipDamaged records, in one transaction, that readers leave out events that cannot be read. From then on, Read
	// does not access their rows and continues after them, even if a row becomes readable again. SkipDamaged returns
	// how many events it added; it ignores events that are already skipped. The error is of code Invalid, and nothing
	// is skipped, if one of the events is readable or if the log has no event at its position. One call accepts at most
	// MaxSkipped events.
	SkipDamaged(ctx context.Context, events []SkippedEvent) (int, error)
	// Skipped returns all events that SkipDamaged has recorded, in the order of positions. Drop does not remove them.
	Skipped(ctx context.Context) ([]SkippedEvent, error)

	// ClockRecord returns the stored clock record, or the zero value if there is none.
	ClockRecord(ctx context.Context) (ClockRecord, error)
	// EditClockRecord calls edit with the record and stores the edited record, in one transaction. If edit returns an
	// error, EditClockRecord returns it and stores nothing. Calls exclude one another, including those of other
	// processes. edit may run again where an engine requires it.
	EditClockRecord(ctx context.Context, edit func(record *ClockRecord) error) error

	io.Closer
}

// MonthMover is implemented by event logs whose old months can be moved elsewhere (store/archive).
type MonthMover interface {
	// DropMoved is Events.Drop for months whose events up to a position exist elsewhere. If the log has an event that was
	// received before the month and is after the position, the error is of code Conflict, and the log keeps the event;
	// it may have dropped others.
	DropMoved(ctx context.Context, before usage.Month, upTo event.Position) error
}

// MaxSkipped is the maximum number of events in one call of Events.SkipDamaged.
const MaxSkipped = 10_000

// SkippedEvent is an event whose row in the log is damaged and which an operator has decided to leave out.
type SkippedEvent struct {
	Position event.Position `json:"position"`
	// At is when it was skipped. By identifies the client and the user of the audit log's actor.
	At event.Instant `json:"at"`
	By string        `json:"by"`
	// Reason is the operator's text.
	Reason string `json:"reason"`
}

// MaxNames is the maximum number of EventQuery.Names.
const MaxNames = 4

// EventQuery selects the events that Read returns. Zero fields select all.
type EventQuery struct {
	// Account keeps events of one account. Person (Event.Person) keeps events of one person of the account.
	Account, Person string
	// Names keeps events that contain one of up to MaxNames names of the account, also if the event belongs to another
	// person: "x" and an ExternalUser, or "u" and a User. Account "" then selects events without an account.
	Names []string
	Kinds []event.Kind
	// From keeps events that were received at or after it, To events that were received before it.
	From, To event.Instant
	// UpTo keeps events up to a position.
	UpTo event.Position
	// Dropped accepts that events up to this position were dropped. A reader that starts at the oldest remaining event
	// sets it to the result of Events.Dropped; Read still rejects later drops.
	Dropped event.Position
}

// Usage is the aggregation of the event log, and the system of record for seals and sealed statements. Errors are those
// of Catalogue. Every method may be called concurrently.
type Usage interface {
	// Progress returns how far the log is counted.
	Progress(ctx context.Context) (usage.Progress, error)
	// Apply counts plays and moves the progress from from to to, in one transaction. plays are all plays of the log
	// between the two, in the order of positions, at most 1,000,000. If the progress is not from, another process has
	// counted them: nothing changes, and the error is of code Conflict.
	Apply(ctx context.Context, from, to usage.Progress, plays []usage.Play) error
	// Table returns the exact result of a query that Query.Check accepts, as of one moment. The error is of code
	// Invalid if the engine would have to collect more than 1,000,000 rows to select the page.
	Table(ctx context.Context, query usage.Query) (usage.Table, error)
	// Curve returns the exact result of a query, as of one moment.
	Curve(ctx context.Context, query usage.CurveQuery) (usage.Curve, error)
	// Lists returns the lists of videos and the single plays. It reads all plays. weigh returns the weight of a video
	// and must always return the same weight for the same video.
	Lists(ctx context.Context, weigh func(video string) usage.Weight) (usage.Lists, error)

	// Ledger returns all sums of an account ("": of all accounts), in the order of account, month, client, sandbox and
	// seal, and the progress at that moment.
	Ledger(ctx context.Context, account string) ([]usage.Sum, usage.Progress, error)
	// Seals returns all seals in the order of months.
	Seals(ctx context.Context) ([]usage.Seal, error)
	// Seal closes a month in one transaction: it adds to the seal all unsealed sums of this month and earlier months.
	// compose creates the seal's statements from the ledger of all accounts, as the transaction sees it, and from the
	// last statement of each account; it may run again where an engine requires it. The seal's position is that of the
	// progress. The error is of code Conflict if this month or a later one is sealed.
	Seal(ctx context.Context, seal usage.Seal, compose func(progress usage.Progress, ledger []usage.Sum, last map[string]usage.Statement) ([]usage.Statement, error)) ([]usage.Statement, error)
	// Statements returns sealed statements of an account ("": of all accounts) and of a month (zero: of all months), in
	// the order of month and account.
	Statements(ctx context.Context, account string, month usage.Month) ([]usage.Statement, error)

	// Rename reassigns all counted plays of a person (event.Event.Person) of an account to the person alias, whose name
	// nobody has used before, in one transaction. It returns how far the log was counted: later plays remain the
	// person's. The store keeps the alias until EndRename; a call with a different alias uses the stored one. used is
	// the alias in effect. Rename ignores the unknown person "".
	Rename(ctx context.Context, account, person, alias string) (used string, counted event.Position, err error)
	// EndRename deletes the stored alias of a person.
	EndRename(ctx context.Context, account, person string) error
	// PlaysOf returns all counted plays of a person of an account ("": of none), in the order of positions, with client
	// and video but without channel and subjects. The unknown person "" has none.
	PlaysOf(ctx context.Context, account, person string) ([]usage.Play, error)
	// ForgetPersons removes the data that shows who played what before a month, by the month of the play. It removes
	// plays, counts by the hour or by user, the persons of all other counts, and users without remaining data. It keeps
	// sums and videos of days and months, and how many users each account had on a day and in a month. The ledger,
	// seals and statements do not change.
	//
	// From then on, Table and Curve return an error of code Invalid for queries about that time that they cannot
	// answer. Removed months stay removed, regardless of the month that a later call passes. The next call removes plays of that time
	// that are counted later; it cannot distinguish their users from those who were counted before. ForgetPersons
	// delays Apply only briefly. Repeat a call that was interrupted.
	ForgetPersons(ctx context.Context, before usage.Month) error

	// Void creates a void: it removes the selected plays that are counted now from all counts and from the unsealed
	// sums of the ledger. For sealed sums, the ledger gets negative sums that name the void and that the next seal
	// includes (usage.Voids.Sums). The store sets Position, the numbers of acts and the removed sums. Plays that
	// another void has removed belong to that void until it is undone.
	//
	// If a void with the same ID and selection exists, Void returns it; with a different selection, the error is of
	// code Conflict. The error is of code Invalid if ForgetPersons has removed plays of the selected time.
	//
	// Void works in small transactions. After the first commit, the next Void, UndoVoid or SettleVoids completes an
	// interrupted call; until then, Seal, EndRecount and ForgetPersons return an error of code Unavailable.
	Void(ctx context.Context, void usage.Void) (usage.Void, error)
	// UndoVoid restores the plays of a void that no other void selects. Seals that lack these plays get positive sums
	// that name the void. A void that is already undone is returned unchanged. The error is of code NotFound if the
	// void does not exist, and of code Invalid if ForgetPersons has removed plays of the void.
	UndoVoid(ctx context.Context, id string, by usage.VoidAct) (usage.Void, error)
	// SettleVoids completes interrupted calls of Void and UndoVoid, of any process.
	SettleVoids(ctx context.Context) error
	// Voids returns all voids, including undone ones, in the order of their creation.
	Voids(ctx context.Context) (usage.Voids, error)
	// PreviewVoid returns the sums of the plays that Void would remove now, in the order of Ledger, and the errors of
	// Void that are of code Invalid.
	PreviewVoid(ctx context.Context, selection usage.Selection) ([]usage.Sum, error)
	// PreviewUndo returns the void that UndoVoid would undo now, and the errors of UndoVoid about the void. It returns a
	// void that is already undone, too.
	PreviewUndo(ctx context.Context, id string) (usage.Void, error)

	// BeginRecount starts a second set of counts, for plays of a month and of later months. Queries do not use it. With
	// resume, BeginRecount returns the existing set of the same month, unless since its start a month was sealed, a
	// rename has ended or persons were removed.
	BeginRecount(ctx context.Context, from usage.Month, resume bool) (usage.Recount, error)
	// ApplyRecount is Apply for the second set, and returns the recount in its new state. It ignores plays before the
	// first month. The error is of code Conflict if the stored recount differs from the given one, because another
	// process has continued it, if the recount must start again, or in the stage usage.Gathering, and of code Unavailable
	// while a rename has not ended: the person's name would be stored again.
	ApplyRecount(ctx context.Context, recount usage.Recount, to usage.Progress, plays []usage.Play) (usage.Recount, error)
	// GatherRecount adds plays that ApplyRecount has stored to the counts of the second set, a bounded number in each call,
	// and returns the recount in its new state: the stage is usage.Gathering until none is left. In the stage
	// usage.Following, it does nothing. The errors of code Conflict are those of ApplyRecount.
	GatherRecount(ctx context.Context, recount usage.Recount) (usage.Recount, error)
	// EndRecount replaces the counts of the recounted months by the second set and moves the progress, in one
	// transaction, which also deletes all spans. Seals, statements and earlier months do not change. The error is of code
	// Conflict if the stored recount differs from the given one, before the stage usage.Following, or if the progress of
	// the counts is not counted, and of code Unavailable while a rename has not ended.
	EndRecount(ctx context.Context, recount usage.Recount, counted usage.Progress) error

	// Spans returns up to limit spans (PutSpan) whose From is not before a position, in the order of From. Values belong
	// to the caller.
	Spans(ctx context.Context, from event.Position, limit int) ([]usage.Span, error)
	// PutSpan adds a span, or replaces the span with the same From. EndRecount deletes all spans. Seal, Void, Rename and
	// all other methods leave them as they are.
	PutSpan(ctx context.Context, span usage.Span) error
	// DeleteSpans deletes the spans whose From is not before from, and before to.
	DeleteSpans(ctx context.Context, from, to event.Position) error
	// Verification returns the state that PutVerification stored last, and the seed, which is the same for all openings
	// of a store and differs between stores.
	Verification(ctx context.Context) (usage.Verification, error)
	// PutVerification replaces the state.
	PutVerification(ctx context.Context, state []byte) error

	io.Closer
}
