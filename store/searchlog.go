package store

import (
	"context"
	"io"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/fault"
)

// SearchLog keeps what accounts searched for and what was clicked after it, added up by days of UTC. It knows no
// users and no addresses. Faults are those of Catalogue. Every method may be called concurrently, and by several
// processes where the engine is shared.
type SearchLog interface {
	// Add adds to what is kept, all of the batch or nothing. A call that failed may have been carried out all the
	// same: who repeats it may count twice. At most 100,000 searches and clicks together.
	Add(ctx context.Context, batch SearchLogBatch) error
	// Report answers a question that QueryQuestion.Check takes, as of one moment, in the order that it asks for.
	Report(ctx context.Context, question SearchLogQuery) ([]SearchLogRow, error)
	// Shared returns up to limit texts that at least so many accounts, sandboxes aside, have searched for without a
	// filter on a day or later, and whose last such search found something: those of the most accounts first,
	// then of the most searches, then by the folded text in binary order. accounts and limit are at least 1.
	Shared(ctx context.Context, since catalogue.Date, accounts, limit int) ([]SharedSearch, error)

	// ForgetBefore removes what is of the days before one. A call that was cut short is repeated.
	ForgetBefore(ctx context.Context, day catalogue.Date) error
	// ForgetAccount removes all that is of an account.
	ForgetAccount(ctx context.Context, account string) error

	io.Closer
}

// QueryBatch is what Queries.Add takes.
type SearchLogBatch struct {
	Searches []Searched
	Clicks   []Clicked
}

// QueryKey names what is added up together: what one account searched for on one day.
type SearchLogKey struct {
	Day     catalogue.Date
	Account string
	// Text is the text folded, so that spellings of one query meet; not "".
	Text string
}

// Searched is how often an account searched for a text on a day.
type Searched struct {
	SearchLogKey
	// Sandbox: the account was one for trying out.
	Sandbox bool
	// Spelling is how the text was typed in the last of these searches, which was At.
	Spelling string
	At       event.Instant
	// Times counts the searches, Unfiltered those of them that had no filter, Empty those of the latter that
	// found nothing.
	Times, Unfiltered, Empty int64
	// Found is how many videos the last search without a filter found, which was FoundAt; 0: there was none.
	Found   int64
	FoundAt event.Instant
}

// Clicked is how often a video was clicked on a day after a search of an account.
type Clicked struct {
	SearchLogKey
	Sandbox bool
	// Video is as the client wrote it.
	Video string
	Times int64
}

// QueryOrder is an order of rows; those that it leaves equal come by their folded texts, in binary order.
type SearchLogOrder uint8

// The orders.
const (
	MostSearches SearchLogOrder = iota
	MostEmpty
	MostClicks
)

// MaxQueryRows is the most rows of one report, MaxQueryVideos the most videos of one row.
const (
	MaxQueryRows   = 500
	MaxQueryVideos = 5
)

// QueryQuestion chooses the texts of a report: those that were searched for.
type SearchLogQuery struct {
	// From and To are the first and the last day.
	From, To catalogue.Date
	// Accounts keeps what is of these; nil: of all. Sandbox takes sandboxes in.
	Accounts []string
	Sandbox  bool
	// Few keeps texts whose last search without a filter found at most so many videos; nil: all, also those
	// that were searched for with filters alone.
	Few *int64
	// Contains keeps texts that hold this one, which is folded; "": all.
	Contains string
	Order    SearchLogOrder
	// Limit is 1 to MaxQueryRows.
	Limit int
}

// Check returns an error of code Invalid for a question that cannot be answered.
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

// QueryRow is what a report says of one text.
type SearchLogRow struct {
	Text string
	// Spelling is how it was typed: of the spellings that accounts used last on their days, the one of the most
	// searches, of equals the one used last, then the first in binary order.
	Spelling string
	// Searches, Unfiltered and Empty are sums of Searched. Accounts counts the accounts that searched.
	Searches, Unfiltered, Empty int64
	Accounts                    int
	// Found is how many videos the last search without a filter found; nil: there was none.
	Found *int64
	// Clicks counts the clicks, Videos are the videos of the most, at most MaxQueryVideos: by their clicks, then
	// by id in binary order.
	Clicks int64
	Videos []SearchLogVideo
}

// QueryVideo is a video that was clicked.
type SearchLogVideo struct {
	Video  string
	Clicks int64
}

// SharedQuery is a text that several accounts searched for.
type SharedSearch struct {
	// Text is folded.
	Text string
	// Spelling is the spelling that the most accounts used, where there are as many as were asked for, else the
	// folded text: how one customer alone writes it is not told. Of equals it is the one used last, then the first
	// in binary order.
	Spelling string
	Accounts int
	Searches int64
}
