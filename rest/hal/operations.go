package hal

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"

	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/graph/scalars"
	"github.com/filmstrip/filmstrip/internal/spans"
)

//go:embed operations/*.graphql
var operationFiles embed.FS

// Variables are the values of an operation's variables by name. Each value has a type that encoding/json decodes into
// an any, or is an int64. The executor does not check the values; the caller must.
type Variables map[string]any

// operation is one validated operation together with the fragments that it uses. It has one root field.
type operation struct {
	name       string
	text       string
	document   *ast.QueryDocument
	definition *ast.OperationDefinition
	// cuts contains the null members that the fields marked @absentWhenNull produce, as bytes to remove.
	cuts [][]byte
}

// Operations are the operations of the facade, each validated against the schema on which it runs.
type Operations struct {
	execution func(ctx context.Context) // runs the operation of ctx
	byName    map[string]*operation
}

// Load reads and validates every operation. It fails if an operation does not match the schema.
func Load(schema graphql.ExecutableSchema) (*Operations, error) {
	operations, err := loadOperations(schema.Schema())
	if err != nil {
		return nil, err
	}
	return &Operations{execution: executionOf(schema), byName: operations}, nil
}

// executionOf returns how the schema runs an operation whose values only the RootResolverMiddleware uses.
func executionOf(schema graphql.ExecutableSchema) func(ctx context.Context) {
	if cheaper, ok := schema.(interface{ Execute(context.Context) }); ok {
		return cheaper.Execute
	}
	return func(ctx context.Context) { schema.Exec(ctx)(ctx) }
}

func loadOperations(schema *ast.Schema) (map[string]*operation, error) {
	operations, fragments := map[string]*ast.OperationDefinition{}, map[string]*ast.FragmentDefinition{}
	texts := map[string]string{}
	paths, err := fs.Glob(operationFiles, "operations/*.graphql")
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := operationFiles.ReadFile(path)
		if err != nil {
			return nil, err
		}
		document, err := parser.ParseQuery(&ast.Source{Name: path, Input: string(text)})
		if err != nil {
			return nil, err
		}
		for _, definition := range document.Operations {
			operations[definition.Name], texts[definition.Name] = definition, string(text)
		}
		for _, fragment := range document.Fragments {
			fragments[fragment.Name] = fragment
		}
	}
	loaded := make(map[string]*operation, len(operations))
	for name, definition := range operations {
		operation, err := newOperation(schema, definition, fragments)
		if err != nil {
			return nil, fmt.Errorf("operation %s: %w", name, err)
		}
		operation.text = texts[name]
		loaded[name] = operation
	}
	return loaded, nil
}

func newOperation(schema *ast.Schema, definition *ast.OperationDefinition, fragments map[string]*ast.FragmentDefinition) (*operation, error) {
	used := map[string]*ast.FragmentDefinition{}
	cuts := map[string]bool{}
	collect(definition.SelectionSet, fragments, used, cuts)
	document := &ast.QueryDocument{Operations: ast.OperationList{definition}}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		document.Fragments = append(document.Fragments, used[name])
	}
	//nolint:staticcheck // the rules of the default set are what is wanted
	if faults := validator.Validate(schema, document); len(faults) > 0 {
		return nil, faults
	}
	loaded := &operation{name: definition.Name, document: document, definition: definition}
	for _, name := range slices.Sorted(maps.Keys(cuts)) {
		loaded.cuts = append(loaded.cuts, []byte(`,"`+name+`":null`))
	}
	return loaded, nil
}

// collect gathers the fragments that a selection uses and the fields that it marks @absentWhenNull.
func collect(selection ast.SelectionSet, fragments, used map[string]*ast.FragmentDefinition, cuts map[string]bool) {
	for _, selected := range selection {
		switch selected := selected.(type) {
		case *ast.Field:
			if selected.Directives.ForName("absentWhenNull") != nil {
				cuts[selected.Alias] = true
			}
			collect(selected.SelectionSet, fragments, used, cuts)
		case *ast.FragmentSpread:
			if fragment := fragments[selected.Name]; fragment != nil { // validation refuses a fragment that does not exist
				used[selected.Name] = fragment
				collect(fragment.SelectionSet, fragments, used, cuts)
			}
		}
	}
}

// Run runs an operation and returns the value of its root field, as JSON with the slots of a template. If err is not
// nil, no part of the data may be used. Run writes the value once, into pooled memory; the executor does not write it
// again.
func (o *Operations) Run(ctx context.Context, name string, values Variables) (data []byte, err error) {
	err = o.Use(ctx, name, values, func(lent []byte) error {
		data = bytes.Clone(lent)
		return nil
	})
	return data, err
}

// Use is like Run, but lends the data to a function, which must not keep it: those of a page are large.
func (o *Operations) Use(ctx context.Context, name string, values Variables, use func(data []byte) error) error {
	operation := o.byName[name]
	buffer := answers.Get().(*bytes.Buffer)
	defer func() {
		buffer.Reset()
		answers.Put(buffer)
	}()
	err := o.execute(ctx, operation, values, func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		next(ctx).MarshalGQL(buffer)
		return graphql.Null
	})
	if err != nil {
		return err
	}
	return use(operation.cut(buffer.Bytes()))
}

// answers pools the buffers that operations write to.
var answers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// runList runs an operation whose root field is a list, and returns the elements.
func (o *Operations) runList(ctx context.Context, name string, values Variables) ([][]byte, error) {
	operation := o.byName[name]
	var elements [][]byte
	err := o.execute(ctx, operation, values, func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		list, _ := next(ctx).(graphql.Array)
		elements = make([][]byte, len(list))
		var buffer bytes.Buffer
		for i, element := range list {
			buffer.Reset()
			element.MarshalGQL(&buffer)
			elements[i] = bytes.Clone(operation.cut(buffer.Bytes()))
		}
		return graphql.Null
	})
	return elements, err
}

func (o *Operations) execute(
	ctx context.Context, operation *operation, values Variables, root graphql.RootFieldMiddleware,
) (err error) {
	if spans.Recorded(ctx) {
		var span spans.Span
		ctx, span = spans.Start(ctx, "operation "+operation.name)
		defer func() { span.End(err) }()
		root = drawn(root)
	}
	ctx = graphql.WithOperationContext(ctx, &graphql.OperationContext{
		RawQuery: operation.text, Variables: values, OperationName: operation.name,
		Doc: operation.document, Operation: operation.definition,
		DisableIntrospection:   true,
		RecoverFunc:            graphql.DefaultRecover,
		ResolverMiddleware:     resolveField,
		RootResolverMiddleware: root,
	})
	ctx = graphql.WithResponseContext(ctx, presentError, recoverPanic)
	ctx = scalars.WithLinkWriter(ctx, slotWriter{})
	o.execution(ctx)
	if faults := graphql.GetErrors(ctx); len(faults) > 0 {
		return firstCause(faults)
	}
	return ctx.Err()
}

// drawn wraps the resolution of a root field in a span if the request is traced.
func drawn(root graphql.RootFieldMiddleware) graphql.RootFieldMiddleware {
	return func(ctx context.Context, next graphql.RootResolver) graphql.Marshaler {
		ctx, span := spans.Start(ctx, "resolve "+graphql.GetRootFieldContext(ctx).Field.Name)
		defer span.End(nil)
		return root(ctx, next)
	}
}

func resolveField(ctx context.Context, next graphql.Resolver) (any, error) { return next(ctx) }

// presentError returns err unchanged: no caller sees it in this form.
func presentError(ctx context.Context, err error) *gqlerror.Error {
	var presented *gqlerror.Error
	if errors.As(err, &presented) {
		return presented
	}
	return gqlerror.WrapPath(graphql.GetPath(ctx), err)
}

func recoverPanic(_ context.Context, panicked any) error {
	return fmt.Errorf("panic while resolving: %v", panicked)
}

// firstCause returns the first domain error among the faults, or the first fault if there is none.
func firstCause(faults gqlerror.List) error {
	for _, problem := range faults {
		var cause *fault.Error
		if errors.As(problem, &cause) {
			return cause
		}
	}
	return faults[0]
}
