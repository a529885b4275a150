package endpoint

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph"
)

// The codes in addition to those of the domain.
const (
	codeParse                fault.Code = errcode.ParseFailed
	codeValidation           fault.Code = errcode.ValidationFailed
	codeComplexity           fault.Code = "COMPLEXITY_LIMIT"
	codeDepth                fault.Code = "DEPTH_LIMIT"
	codePersistedNotFound    fault.Code = "PERSISTED_QUERY_NOT_FOUND"
	codePersistedUnsupported fault.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// The keys of an error's extensions.
const (
	keyCode     = "code"
	keyReasons  = "reasons"
	keyMovedTo  = "movedTo"
	keyArgument = "argument"
)

const internalMessage = "an internal error occurred; the trace id helps the operator find the cause"

// refusal is a response without data.
type refusal struct {
	status int
	faults gqlerror.List
}

func refuse(status int, code fault.Code, format string, args ...any) *refusal {
	return &refusal{status: status, faults: gqlerror.List{coded(code, format, args...)}}
}

func badRequest(format string, args ...any) *refusal {
	return refuse(http.StatusBadRequest, fault.Invalid, format, args...)
}

func timeIsUp(cause error) *refusal {
	problem := coded(fault.Unavailable, "the request took longer than the service allows")
	problem.Err = cause
	return &refusal{status: http.StatusServiceUnavailable, faults: gqlerror.List{problem}}
}

func coded(code fault.Code, format string, args ...any) *gqlerror.Error {
	problem := gqlerror.Errorf(format, args...)
	problem.Extensions = map[string]any{keyCode: code}
	return problem
}

// markResolverFaults marks unknown errors of resolvers as internal. The executor's own errors about arguments stay
// unmarked, so that present can tell them apart.
func markResolverFaults(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	if err != nil && fault.CodeOf(err) == fault.Internal {
		err = &fault.Error{Code: fault.Internal, Cause: err}
	}
	return value, err
}

// present returns the public form of an error of a field.
func (e *Endpoint) present(ctx context.Context, err error) *gqlerror.Error {
	path := graphql.GetPath(ctx)
	argument := argumentOf(err, path)
	var cause *fault.Error
	var problem *gqlerror.Error
	switch {
	case errors.As(err, &cause) && cause.Code != fault.Internal:
		problem = publicError(cause)
	case cause == nil && argument != "":
		problem = coded(fault.Invalid, "%s", graph.DescribeEnumError(e.schema, messageOf(err)))
	default:
		problem = e.internal(ctx, err).faults[0]
	}
	problem.Path, problem.Locations = path, locationsOf(err)
	if argument != "" {
		problem.Extensions[keyArgument] = argument
	}
	return problem
}

// publicError returns the public form of an error of the domain.
func publicError(cause *fault.Error) *gqlerror.Error {
	problem := coded(cause.Code, "%s", cause.Message)
	if cause.Argument != "" {
		problem.Message = cause.Argument + ": " + cause.Message
		problem.Extensions[keyArgument] = cause.Argument
	}
	if len(cause.Reasons) > 0 {
		problem.Extensions[keyReasons] = cause.Reasons
	}
	if cause.Code == fault.Moved {
		problem.Extensions[keyMovedTo] = cause.MovedTo
	}
	return problem
}

// argumentOf returns the path of the argument that an error is about, or "". The executor appends it to the path of the
// field.
func argumentOf(err error, field ast.Path) string {
	var problem *gqlerror.Error
	if !errors.As(err, &problem) || len(problem.Path) <= len(field) {
		return ""
	}
	return strings.TrimPrefix(problem.Path[len(field):].String(), ".")
}

// messageOf returns an error's text without the position that gqlgen prepends.
func messageOf(err error) string {
	if problem, ok := errors.AsType[*gqlerror.Error](err); ok {
		return problem.Message
	}
	return err.Error()
}

func locationsOf(err error) []gqlerror.Location {
	if problem, ok := errors.AsType[*gqlerror.Error](err); ok {
		return problem.Locations
	}
	return nil
}

// internal logs an internal error and returns a refusal without its details.
func (e *Endpoint) internal(ctx context.Context, err error) *refusal {
	if ctx.Err() == nil && !errors.Is(err, errPanic) {
		e.logger.ErrorContext(ctx, "a field failed", "path", "/graphql", "field", graphql.GetPath(ctx).String(), "error", err)
	}
	return refuse(http.StatusInternalServerError, fault.Internal, internalMessage)
}

// invalid returns the refusal for a query that fails validation.
func (e *Endpoint) invalid(faults gqlerror.List) *refusal {
	faults = faults[:min(len(faults), maxFaults)]
	for _, problem := range faults {
		problem.Message = graph.DescribeEnumError(e.schema, problem.Message)
		nameVariable(problem)
	}
	return &refusal{status: http.StatusBadRequest, faults: faults}
}

// nameVariable moves the path within the variables from the error's path, which is for response fields, into the message.
func nameVariable(problem *gqlerror.Error) {
	if len(problem.Path) > 1 && problem.Path[0] == ast.PathName("variable") {
		problem.Message = "variable $" + problem.Path[1:].String() + ": " + problem.Message
		problem.Path = nil
	}
}
