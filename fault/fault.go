// Package fault defines the errors that callers see: a code, a message and reasons. It imports nothing of ours, so every
// package can return them.
package fault

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Code classifies an Error. The HAL facade and the GraphQL endpoint each have one table from codes to statuses.
type Code string

// The codes.
const (
	// Invalid: the caller sent something that breaks a rule; Message names the offending value.
	Invalid Code = "INVALID"
	// Unauthenticated: the request has no valid token.
	Unauthenticated Code = "UNAUTHENTICATED"
	// Forbidden: the caller is known, but lacks the permission.
	Forbidden Code = "FORBIDDEN"
	// NotFound: the resource does not exist, or the caller may not know that it does.
	NotFound Code = "NOT_FOUND"
	// Moved: the resource now has another ID, Error.MovedTo.
	Moved Code = "MOVED"
	// Conflict: the request contradicts what is stored.
	Conflict Code = "CONFLICT"
	// Mismatch: an earlier request used the same idempotency key with other content.
	Mismatch Code = "MISMATCH"
	// TooMany: the caller has reached a limit; the same call may succeed later.
	TooMany Code = "TOO_MANY_REQUESTS"
	// Unavailable: an engine cannot answer now; the same call may succeed later.
	Unavailable Code = "UNAVAILABLE"
	// Internal: an error of the server. Its text never reaches a caller.
	Internal Code = "INTERNAL"
)

// Error is the only error type of the domain. Errors of other types are Internal, and callers do not see their text.
type Error struct {
	Code Code
	// Label is the short text of the API's "error" field. If it is empty, the field holds the status text.
	Label string
	// Message says what is wrong so that the caller can act on it, and names the offending value.
	Message string
	// Argument is the path of the argument of the schema that the error is about, if Message leaves its name to the API, which
	// may have another one: "filter.ignoreDiscoverable".
	Argument string
	// Reasons lists the faults if there can be several, each as "field: problem".
	Reasons []string
	// MovedTo is the new ID if Code is Moved.
	MovedTo string
	// Cause is the underlying error. It is logged, and never shown to callers.
	Cause error
}

// Error returns the message and the cause, if there is one, for logs. Callers see only the message.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Message + ": " + e.Cause.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf returns an Error with a code, and a message for the caller.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// InvalidRequest returns an Error of code Invalid with the label that the API's clients know.
func InvalidRequest(format string, args ...any) *Error {
	return &Error{Code: Invalid, Label: "Invalid request", Message: fmt.Sprintf(format, args...)}
}

// About returns an Error about an argument of the schema. Errors of other types stay as they are.
func About(argument string, err error) error {
	var cause *Error
	if !errors.As(err, &cause) {
		return err
	}
	about := *cause
	about.Argument = argument
	return &about
}

// NotOneOf returns the problem of a value that is not in a closed list: `"GOLD" is not one of BASIC, PLUS, PREMIUM`.
func NotOneOf[T ~string](value string, valid []T) string {
	names := make([]string, len(valid))
	for i, name := range valid {
		names[i] = string(name)
	}
	return fmt.Sprintf("%q is not one of %s", Shorten(value), strings.Join(names, ", "))
}

// Shorten truncates a caller's text to at most 100 bytes, without splitting characters, and adds an ellipsis if it
// truncated.
func Shorten(text string) string {
	if len(text) > 100 {
		return strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
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

// FieldError is one fault of a record or body: the field under the client's name, and the problem. Field is "" if the fault
// concerns the whole.
type FieldError struct {
	Field   string
	Problem string
}

// Error returns a sentence about the field if the problem is a predicate: "tier is required". It returns "field: problem"
// for other problems: `tier: "GOLD" is not one of BASIC, PLUS, PREMIUM`.
func (f FieldError) Error() string {
	verb, _, _ := strings.Cut(f.Problem, " ")
	switch {
	case f.Field == "":
		return f.Problem
	case slices.Contains(verbs, verb):
		return f.Field + " " + f.Problem
	}
	return f.Field + ": " + f.Problem
}

// Reason returns "field: problem", the form of Error.Reasons.
func (f FieldError) Reason() string { return strings.TrimPrefix(f.Field+": "+f.Problem, ": ") }

// ParseReason returns the FieldError of a reason. Its Field is "" if the reason names no field.
func ParseReason(reason string) FieldError {
	field, problem, named := strings.Cut(reason, ": ")
	if !named {
		return FieldError{Problem: reason}
	}
	return FieldError{Field: field, Problem: problem}
}

// verbs begin problems whose subject is the field.
var verbs = []string{"is", "has", "must", "cannot", "holds", "needs", "starts"}

// FieldErrors are all faults of a record or body, in the order of its fields.
type FieldErrors []FieldError

// Reasons returns the faults in the form of Error.Reasons.
func (f FieldErrors) Reasons() []string {
	reasons := make([]string, len(f))
	for i, one := range f {
		reasons[i] = one.Reason()
	}
	return reasons
}

// Error joins the faults with "; ".
func (f FieldErrors) Error() string {
	parts := make([]string, len(f))
	for i, e := range f {
		parts[i] = e.Error()
	}
	return strings.Join(parts, "; ")
}
