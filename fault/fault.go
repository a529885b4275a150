// Package fault holds the errors that callers see: a code, a message and reasons. It imports nothing of ours, so
// every package may return them.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Code classifies an Error. One table at each door turns it into a status.
type Code string

// The codes.
const (
	// Invalid: the caller sent something that breaks a rule; Message names the offending value.
	Invalid Code = "INVALID"
	// Unauthenticated: no valid token came along.
	Unauthenticated Code = "UNAUTHENTICATED"
	// Forbidden: the caller is known and lacks the right.
	Forbidden Code = "FORBIDDEN"
	// NotFound: there is no such thing, or the caller may not know of it.
	NotFound Code = "NOT_FOUND"
	// Moved: the thing lives on under another ID, Error.MovedTo.
	Moved Code = "MOVED"
	// Conflict: what the caller wants contradicts what is stored.
	Conflict Code = "CONFLICT"
	// Mismatch: the key of an earlier request came with another one.
	Mismatch Code = "MISMATCH"
	// TooMany: the caller has reached a limit; the same call may succeed later.
	TooMany Code = "TOO_MANY_REQUESTS"
	// Unavailable: an engine cannot answer now; the same call may succeed later.
	Unavailable Code = "UNAVAILABLE"
	// Internal: a fault of ours. Its text never reaches a caller.
	Internal Code = "INTERNAL"
)

// Error is the one error type of the domain. Errors of other types are Internal and silent.
type Error struct {
	Code Code
	// Label is the short text of the API's "error" field; empty: the status text serves.
	Label string
	// Message says what is wrong, in words a caller can act on, naming the offending value.
	Message string
	// Reasons lists the single faults where there can be several, each "field: problem".
	Reasons []string
	// MovedTo is set where Code is Moved.
	MovedTo string
	// Cause is what lies below; it is logged, never shown.
	Cause error
}

// Error returns the message, with its cause where there is one: for logs, not for callers.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an Error of a code with a message for the caller.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidRequest makes an Error of code Invalid with the label that the API's clients know.
func InvalidRequest(format string, args ...any) *Error {
	return &Error{Code: Invalid, Label: "Invalid request", Message: fmt.Sprintf(format, args...)}
}

// CodeOf returns the code of the first *Error in err's chain, Internal for any other error and ""
// for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// FieldError is one fault of a record: the field as an import line writes it, and the problem.
type FieldError struct {
	Field   string
	Problem string
}

// Error returns "field: problem".
func (f FieldError) Error() string { return f.Field + ": " + f.Problem }

// FieldErrors are all faults of a record, in the order of its fields.
type FieldErrors []FieldError

// Error joins the faults with "; ".
func (f FieldErrors) Error() string {
	parts := make([]string, len(f))
	for i, e := range f {
		parts[i] = e.Error()
	}
	return strings.Join(parts, "; ")
}
