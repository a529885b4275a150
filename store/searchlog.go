package store

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// SearchLog stores the searches of accounts and the clicks that followed them, summed by UTC day. It stores no users and
// no addresses. Errors have the codes of Catalogue. Every method may be called concurrently, and by several processes if
// the engine is shared.
type SearchLog interface {
	// Add adds a whole batch or nothing. A failed call may have added the batch nevertheless, so repeating it may
	// count the batch twice. A batch has at most 100,000 searches and clicks together.
	Add(ctx context.Context, batch SearchLogBatch) error
	// Report returns the rows of a query that SearchLogQuery.Check accepts, as of one moment and in the query's order.
	Report(ctx context.Context, question SearchLogQuery) ([]SearchLogRow, error)
	// Shared returns up to limit texts that at least that many accounts, not counting sandboxes, searched for without
	// a filter since a day, and whose last such search found something. The texts of the most accounts come first, then
	// those of the most searches, then the folded texts in binary order. accounts and limit are at least 1.
	Shared(ctx context.Context, since catalogue.Date, accounts, limit int) ([]SharedSearch, error)

	// ForgetBefore removes all earlier days. After an interrupted call, call it again.
	ForgetBefore(ctx context.Context, day catalogue.Date) error
	// ForgetAccount removes the searches and clicks of an account.
	ForgetAccount(ctx context.Context, account string) error

	io.Closer
}

// SearchLogBatch is a batch for SearchLog.Add.
type SearchLogBatch struct {
	Searches []Searched
	Clicks   []Clicked
}

// SearchLogKey identifies one sum: the searches of one account for one text on one day.
type SearchLogKey struct {
	Day     catalogue.Date
	Account string
	// Text is folded, so that the spellings of a query share a sum; it is not "".
	Text string
}

// Searched counts the searches of an account for a text on a day.
type Searched struct {
	SearchLogKey
	// Sandbox: the account was a sandbox.
	Sandbox bool
	// Spelling is the text as typed in the last of these searches, at the time At.
	Spelling string
	At       event.Instant
	// Times counts all searches, Unfiltered those without a filter, and Empty those without a filter and without
	// results.
	Times, Unfiltered, Empty int64
	// Found is the number of videos that the last search without a filter found, at the time FoundAt; 0: there was
	// none.
	Found   int64
	FoundAt event.Instant
}

// Clicked counts the clicks on a video that followed the searches of an account for a text on a day.
type Clicked struct {
	SearchLogKey
	Sandbox bool
	// Video is the ID as the client sent it.
	Video string
	Times int64
}

// SearchLogOrder is an order of rows, the highest first. Equal rows are ordered by their folded texts, in binary order.
type SearchLogOrder uint8

// The orders.
const (
	MostSearches SearchLogOrder = iota
	MostEmpty
	MostClicks
)

// MaxQueryRows is the maximum number of rows of a report. MaxQueryVideos is the maximum number of videos of a row.
const (
	MaxQueryRows   = 500
	MaxQueryVideos = 5
)

// SearchLogQuery selects the texts of a report.
type SearchLogQuery struct {
	// From and To are the first and the last day, both included.
	From, To catalogue.Date
	// Accounts keeps the searches of these accounts; nil: of all. Sandbox includes those of sandboxes.
	Accounts []string
	Sandbox  bool
	// Few keeps texts whose last search without a filter found at most that many videos; nil: all texts, including
	// those that were searched for only with filters.
	Few *int64
	// Contains keeps texts that contain this folded text; "": all.
	Contains string
	Order    SearchLogOrder
	// Limit is 1 to MaxQueryRows.
	Limit int
}

// Check returns an error of code Invalid for a query that is out of range.
func (q *SearchLogQuery) Check() error {
	switch {
	case q.To < q.From:
		return fault.InvalidRequest("the days from %s to %s are none", q.From, q.To)
	case q.Few != nil && *q.Few < 0:
		return fault.InvalidRequest("%d results are below 0", *q.Few)
	case q.Order > MostClicks:
		return fault.InvalidRequest("%d is not an order of queries", q.Order)
	case q.Limit < 1 || q.Limit > MaxQueryRows:
		return fault.InvalidRequest("%d rows are not between 1 and %d", q.Limit, MaxQueryRows)
	}
	return nil
}

// SearchLogRow is the row of a report for one text.
type SearchLogRow struct {
	Text string
	// Spelling is the most frequent of the spellings that accounts used last on their days. Of equally frequent ones
	// it is the one used last, then the first in binary order.
	Spelling string
	// Searches, Unfiltered and Empty are sums of Searched. Accounts counts the accounts that searched.
	Searches, Unfiltered, Empty int64
	Accounts                    int
	// Found is the number of videos that the last search without a filter found; nil: there was none.
	Found *int64
	// Clicks counts all clicks. Videos lists the most clicked videos, at most MaxQueryVideos, by their clicks and then
	// by ID in binary order.
	Clicks int64
	Videos []SearchLogVideo
}

// SearchLogVideo is a clicked video.
type SearchLogVideo struct {
	Video  string
	Clicks int64
}

// SharedSearch is a text that several accounts searched for.
type SharedSearch struct {
	// Text is folded.
	Text string
	// Spelling is the spelling that most accounts used, if at least the requested number of accounts used it, and
	// otherwise the folded text, because a spelling could identify a single customer. Of equally frequent spellings it
	// is the one used last, then the first in binary order.
	Spelling string
	Accounts int
	Searches int64
}
