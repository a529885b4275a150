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
)

// The codes beside those of the domain.
const (
	codeParse                fault.Code = errcode.ParseFailed
	codeValidation           fault.Code = errcode.ValidationFailed
	codeComplexity           fault.Code = "COMPLEXITY_LIMIT"
	codeDepth                fault.Code = "DEPTH_LIMIT"
	codePersistedNotFound    fault.Code = "PERSISTED_QUERY_NOT_FOUND"
	codePersistedUnsupported fault.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
)

// The keys of a fault's extensions.
const (
	keyCode     = "code"
	keyReasons  = "reasons"
	keyMovedTo  = "movedTo"
	keyArgument = "argument"
)

const internalMessage = "the request could not be answered; the trace id helps the operator to find out why"

// refusal is an answer without data.
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

// markResolverFaults lets errors of resolvers be told from what the executor finds wrong with the
// arguments: those that are not the domain's are internal.
func markResolverFaults(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	if err != nil && fault.CodeOf(err) == fault.Internal {
		err = &fault.Error{Code: fault.Internal, Cause: err}
	}
	return value, err
}

// present says what a caller may know of an error that a field came to.
func (e *Endpoint) present(ctx context.Context, err error) *gqlerror.Error {
	path := graphql.GetPath(ctx)
	argument := argumentOf(err, path)
	var cause *fault.Error
	var problem *gqlerror.Error
	switch {
	case errors.As(err, &cause) && cause.Code != fault.Internal:
		problem = told(cause)
	case cause == nil && argument != "":
		problem = coded(fault.Invalid, "%s", messageOf(err))
	default:
		problem = e.internal(ctx, err).faults[0]
	}
	problem.Path, problem.Locations = path, locationsOf(err)
	if argument != "" {
		problem.Extensions[keyArgument] = argument
	}
	return problem
}

// told is an error of the domain as callers see it.
func told(cause *fault.Error) *gqlerror.Error {
	problem := coded(cause.Code, "%s", cause.Message)
	if len(cause.Reasons) > 0 {
		problem.Extensions[keyReasons] = cause.Reasons
	}
	if cause.Code == fault.Moved {
		problem.Extensions[keyMovedTo] = cause.MovedTo
	}
	return problem
}

// argumentOf names the argument that an error is about: the executor lets the error's path lead
// through the field to the part of the argument. "": it is about none.
func argumentOf(err error, field ast.Path) string {
	var problem *gqlerror.Error
	if !errors.As(err, &problem) || len(problem.Path) <= len(field) {
		return ""
	}
	return strings.TrimPrefix(problem.Path[len(field):].String(), ".")
}

// messageOf is an error's own text, without the place that gqlgen writes before it.
func messageOf(err error) string {
	var problem *gqlerror.Error
	if errors.As(err, &problem) {
		return problem.Message
	}
	return err.Error()
}

func locationsOf(err error) []gqlerror.Location {
	var problem *gqlerror.Error
	if errors.As(err, &problem) {
		return problem.Locations
	}
	return nil
}

// internal logs a fault of ours and says no more than that there is one.
func (e *Endpoint) internal(ctx context.Context, err error) *refusal {
	if ctx.Err() == nil && !errors.Is(err, errPanic) {
		e.logger.ErrorContext(ctx, "a field failed", "path", "/graphql", "field", graphql.GetPath(ctx).String(), "error", err)
	}
	return refuse(http.StatusInternalServerError, fault.Internal, internalMessage)
}

// invalid is the refusal of a query that is not executed.
func invalid(faults gqlerror.List) *refusal {
	faults = faults[:min(len(faults), maxFaults)]
	for _, problem := range faults {
		nameVariable(problem)
	}
	return &refusal{status: http.StatusBadRequest, faults: faults}
}

// nameVariable writes the place in the variables, which the executor puts into the path of the answer,
// into the message.
func nameVariable(problem *gqlerror.Error) {
	if len(problem.Path) > 1 && problem.Path[0] == ast.PathName("variable") {
		problem.Message = "variable $" + problem.Path[1:].String() + ": " + problem.Message
		problem.Path = nil
	}
}
