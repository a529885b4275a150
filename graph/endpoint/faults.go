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

	"github.com/filmstrip/filmstrip/catalogue"
)

// The codes beside those of the domain.
const (
	codeParse                catalogue.Code = errcode.ParseFailed
	codeValidation           catalogue.Code = errcode.ValidationFailed
	codeComplexity           catalogue.Code = "COMPLEXITY_LIMIT"
	codeDepth                catalogue.Code = "DEPTH_LIMIT"
	codePersistedNotFound    catalogue.Code = "PERSISTED_QUERY_NOT_FOUND"
	codePersistedUnsupported catalogue.Code = "PERSISTED_QUERY_NOT_SUPPORTED"
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

func refuse(status int, code catalogue.Code, format string, args ...any) *refusal {
	return &refusal{status: status, faults: gqlerror.List{coded(code, format, args...)}}
}

func badRequest(format string, args ...any) *refusal {
	return refuse(http.StatusBadRequest, catalogue.Invalid, format, args...)
}

func timeIsUp(cause error) *refusal {
	fault := coded(catalogue.Unavailable, "the request took longer than the service allows")
	fault.Err = cause
	return &refusal{status: http.StatusServiceUnavailable, faults: gqlerror.List{fault}}
}

func coded(code catalogue.Code, format string, args ...any) *gqlerror.Error {
	fault := gqlerror.Errorf(format, args...)
	fault.Extensions = map[string]any{keyCode: code}
	return fault
}

// markResolverFaults lets errors of resolvers be told from what the executor finds wrong with the
// arguments: those that are not the domain's are internal.
func markResolverFaults(ctx context.Context, next graphql.Resolver) (any, error) {
	value, err := next(ctx)
	if err != nil && catalogue.CodeOf(err) == catalogue.Internal {
		err = &catalogue.Error{Code: catalogue.Internal, Cause: err}
	}
	return value, err
}

// present says what a caller may know of an error that a field came to.
func (e *Endpoint) present(ctx context.Context, err error) *gqlerror.Error {
	path := graphql.GetPath(ctx)
	argument := argumentOf(err, path)
	var cause *catalogue.Error
	var fault *gqlerror.Error
	switch {
	case errors.As(err, &cause) && cause.Code != catalogue.Internal:
		fault = told(cause)
	case cause == nil && argument != "":
		fault = coded(catalogue.Invalid, "%s", messageOf(err))
	default:
		fault = e.internal(ctx, err).faults[0]
	}
	fault.Path, fault.Locations = path, locationsOf(err)
	if argument != "" {
		fault.Extensions[keyArgument] = argument
	}
	return fault
}

// told is an error of the domain as callers see it.
func told(cause *catalogue.Error) *gqlerror.Error {
	fault := coded(cause.Code, "%s", cause.Message)
	if len(cause.Reasons) > 0 {
		fault.Extensions[keyReasons] = cause.Reasons
	}
	if cause.Code == catalogue.Moved {
		fault.Extensions[keyMovedTo] = cause.MovedTo
	}
	return fault
}

// argumentOf names the argument that an error is about: the executor lets the error's path lead
// through the field to the part of the argument. "": it is about none.
func argumentOf(err error, field ast.Path) string {
	var fault *gqlerror.Error
	if !errors.As(err, &fault) || len(fault.Path) <= len(field) {
		return ""
	}
	return strings.TrimPrefix(fault.Path[len(field):].String(), ".")
}

// messageOf is an error's own text, without the place that gqlgen writes before it.
func messageOf(err error) string {
	var fault *gqlerror.Error
	if errors.As(err, &fault) {
		return fault.Message
	}
	return err.Error()
}

func locationsOf(err error) []gqlerror.Location {
	var fault *gqlerror.Error
	if errors.As(err, &fault) {
		return fault.Locations
	}
	return nil
}

// internal logs a fault of ours and says no more than that there is one.
func (e *Endpoint) internal(ctx context.Context, err error) *refusal {
	if ctx.Err() == nil && !errors.Is(err, errPanic) {
		e.logger.ErrorContext(ctx, "a field failed", "path", "/graphql", "field", graphql.GetPath(ctx).String(), "error", err)
	}
	return refuse(http.StatusInternalServerError, catalogue.Internal, internalMessage)
}

// invalid is the refusal of a query that is not executed.
func invalid(faults gqlerror.List) *refusal {
	faults = faults[:min(len(faults), maxFaults)]
	for _, fault := range faults {
		nameVariable(fault)
	}
	return &refusal{status: http.StatusBadRequest, faults: faults}
}

// nameVariable writes the place in the variables, which the executor puts into the path of the answer,
// into the message.
func nameVariable(fault *gqlerror.Error) {
	if len(fault.Path) > 1 && fault.Path[0] == ast.PathName("variable") {
		fault.Message = "variable $" + fault.Path[1:].String() + ": " + fault.Message
		fault.Path = nil
	}
}
