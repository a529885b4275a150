package postgres

import (
	"cmp"
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

// Error codes of PostgreSQL.
const (
	serializationFailure  = "40001"
	deadlockDetected      = "40P01"
	lockNotAvailable      = "55P03"
	queryCanceled         = "57014"
	readOnlyTransaction   = "25006"
	idleInTransaction     = "25P03"
	undefinedTable        = "42P01"
	wrongObject           = "42809"
	checkViolation        = "23514"
	insufficientPrivilege = "42501"
	invalidPassword       = "28P01"
	invalidAuthorization  = "28000"
	invalidCatalogName    = "3D000"
	tooManyConnections    = "53300"
	notSupported          = "0A000"
	notInRequiredState    = "55000"
)

// refusals contains what the program says about a server that answers and refuses, by error code.
var refusals = map[string]string{
	invalidPassword:       "refuses the user or the password",
	invalidAuthorization:  "refuses the user or the password",
	invalidCatalogName:    "does not exist",
	insufficientPrivilege: "gives the user too few rights",
	tooManyConnections:    "accepts no more connections",
	readOnlyTransaction:   isStandby,
	notInRequiredState:    isStandby, // by functions that a standby does not run
}

const isStandby = "is a standby, which takes no writes: use the address of the primary, or promote the standby"

// Refusal returns why the server refuses calls, as a predicate ("refuses the user or the password"), or "" if an error
// does not say it.
func Refusal(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return ""
	}
	return refusals[e.Code]
}

// isCode reports whether the server returned this error code.
func isCode(err error, code string) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == code
}

// standbyRoutine is the function of the server that refuses BEGIN … READ WRITE on a standby, with notSupported.
const standbyRoutine = "call_bool_check_hook"

// passing contains the messages for transient problems, by error code or by class of codes.
var passing = map[string]string{
	serializationFailure: "the database is busy",
	deadlockDetected:     "the database is busy",
	lockNotAvailable:     "the database is busy",
	queryCanceled:        "the database is too slow",
	readOnlyTransaction:  "the database takes no writes",
	idleInTransaction:    "the database ended the transaction",
	tooManyConnections:   "the database accepts no more connections",
	"08":                 "the database does not answer", // connection exception
	"28":                 "the database refuses the connection",
	"53":                 "the database has no room",     // memory, disk
	"57":                 "the database does not answer", // operator intervention
	"58":                 "the database has a fault",     // system error
}

// storeError converts an error to one for the caller: the error of the caller's own context if it has ended,
// fault.Unavailable if another attempt may succeed, and an internal error otherwise. It returns errors of type
// *fault.Error unchanged.
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

// passingProblem returns a short description of a transient problem, or "" if err is not transient.
func passingProblem(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		if e.Code == notSupported && e.Routine == standbyRoutine {
			return "the database is a standby and takes no writes"
		}
		if problem, ok := passing[e.Code]; ok {
			return problem
		}
		return passing[e.Code[:min(2, len(e.Code))]]
	}
	// storeError has already checked the caller's own context.
	if isLost(err) || pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded) {
		return "the database does not answer"
	}
	return ""
}

// isLost reports whether the connection was lost or could not be made.
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

// isConflict reports whether the server ended a transaction in favor of another.
func isConflict(err error) bool {
	return isCode(err, serializationFailure) || isCode(err, deadlockDetected)
}

// isLocked reports whether the lock timeout passed while another transaction had the lock.
func isLocked(err error) bool {
	return isCode(err, lockNotAvailable)
}

// startFault describes why a program cannot start. The driver's messages contain no password.
func startFault(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return ended
	}
	problem := cmp.Or(Refusal(err), "cannot be reached")
	return &fault.Error{Code: fault.Unavailable, Message: "the database " + problem, Cause: err}
}
