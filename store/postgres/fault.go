package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/filmstrip/filmstrip/fault"
)

var errClosed = errors.New("store/postgres: the database is closed")

// Codes of PostgreSQL's errors.
const (
	serializationFailure = "40001"
	deadlockDetected     = "40P01"
	lockNotAvailable     = "55P03"
	queryCanceled        = "57014"
	readOnlyTransaction  = "25006"
	idleInTransaction    = "25P03"
	undefinedTable       = "42P01"
	wrongObject          = "42809"
	checkViolation       = "23514"
	insufficientRight    = "42501"
	invalidPassword      = "28P01"
	invalidAuthorization = "28000"
	invalidCatalogName   = "3D000"
)

// passing are the problems that may pass, by code or by class of codes.
var passing = map[string]string{
	serializationFailure: "the database is busy",
	deadlockDetected:     "the database is busy",
	lockNotAvailable:     "the database is busy",
	queryCanceled:        "the database is too slow",
	readOnlyTransaction:  "the database takes no writes",
	idleInTransaction:    "the database ended the transaction",
	"08":                 "the database does not answer", // connection exception
	"28":                 "the database refuses the connection",
	"53":                 "the database has no room",     // connections, memory, disk
	"57":                 "the database does not answer", // operator intervention
	"58":                 "the database has a fault",     // system error
}

// storeError says what an error means to the caller: the end of the caller's own context,
// catalogue.Unavailable where trying again may help, an internal error else.
func storeError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	if problem := passingProblem(err); problem != "" {
		return &fault.Error{Code: fault.Unavailable, Message: problem, Cause: err}
	}
	return fmt.Errorf("store/postgres: %w", err)
}

// passingProblem says in a few words what may pass by itself, "" where nothing will.
func passingProblem(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		if problem, ok := passing[e.Code]; ok {
			return problem
		}
		return passing[e.Code[:min(2, len(e.Code))]]
	}
	// The caller's own time was looked at before.
	if isLost(err) || pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded) {
		return "the database does not answer"
	}
	return ""
}

// isLost reports whether the connection is gone, or none could be made.
func isLost(err error) bool {
	var (
		e       *pgconn.PgError
		connect *pgconn.ConnectError
		network net.Error
	)
	switch {
	case errors.As(err, &connect):
		return true
	case errors.As(err, &e):
		return strings.HasPrefix(e.Code, "57P") || strings.HasPrefix(e.Code, "08")
	case errors.As(err, &network):
		return !network.Timeout()
	}
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		pgconn.SafeToRetry(err)
}

// isConflict reports whether the server gave up a transaction for the sake of another.
func isConflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == serializationFailure || e.Code == deadlockDetected)
}

// isLocked reports whether another held a lock for longer than the patience.
func isLocked(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == lockNotAvailable
}

// startFault says clearly what is wrong when a program starts. What the driver says holds no password.
func startFault(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	problem := "cannot be reached"
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch e.Code {
		case invalidPassword, invalidAuthorization:
			problem = "refuses the user or the password"
		case invalidCatalogName:
			problem = "does not exist"
		case insufficientRight:
			problem = "gives the user too few rights"
		}
	}
	return &fault.Error{Code: fault.Unavailable, Message: "the database " + problem, Cause: err}
}
