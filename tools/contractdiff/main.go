// Contractdiff compares what two releases promise to clients, and names what breaks them.
//
//	contractdiff v1.2.0 HEAD                       two revisions of this repository
//	contractdiff old.json new.json                 two OpenAPI documents
//	contractdiff old.graphqls new.graphqls         two GraphQL schemas
//
// Of a revision it reads schema.graphqls and what `filmstrip openapi` prints; one from before that command has its
// GraphQL schema compared alone. The exit status is 0 where nothing breaks, 1 where something does, 2 where it could
// not be found out, or not for all of it.
//
// What breaks is what makes a client fail that kept to the contract: something is gone, is to be sent that was not,
// is taken no more, stands for something else where it is left out, or may be missing in an answer. That something
// may be sent now that has to be, because it is a variable of a link's template, does not (spec, "Versioning", 3);
// neither do new values in answers, fields or operations.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

func main() {
	broken, err := run(context.Background(), os.Stdout, os.Args[1:])
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "contractdiff:", err)
		os.Exit(2)
	case broken:
		os.Exit(1)
	}
}

// release is what one side promises. A part that is nil is not known.
type release struct {
	openAPI map[string]any
	graphQL *ast.Schema
	// revision: it is one of the repository, which promises both.
	revision bool
}

// run compares what the arguments name, prints what breaks, one line each, and reports whether anything does. Where
// something that a revision promises was not compared, it returns an error all the same.
func run(ctx context.Context, out io.Writer, arguments []string) (broken bool, err error) {
	if len(arguments) != 2 {
		return false, fmt.Errorf("wanted: two revisions or two files, not %d", len(arguments))
	}
	var sides [2]release
	for i, name := range arguments {
		if sides[i], err = read(ctx, name); err != nil {
			return false, err
		}
	}
	var breaks []string
	compared := false
	if from, to := sides[0].openAPI, sides[1].openAPI; from != nil && to != nil {
		compared, breaks = true, compareOpenAPI(from, to)
	}
	if from, to := sides[0].graphQL, sides[1].graphQL; from != nil && to != nil {
		compared, breaks = true, slices.Concat(breaks, compareGraphQL(from, to))
	}
	if !compared {
		return false, fmt.Errorf("%s and %s have nothing to compare", arguments[0], arguments[1])
	}
	for _, one := range breaks {
		fmt.Fprintln(out, one)
	}
	for i, side := range sides {
		if side.revision && sides[1-i].revision && side.openAPI == nil {
			return len(breaks) > 0, fmt.Errorf("the HTTP API is not compared: %s has no OpenAPI document", arguments[i])
		}
	}
	if len(breaks) == 0 {
		fmt.Fprintln(out, "Nothing breaks clients.")
	}
	return len(breaks) > 0, nil
}

// read reads a side: a file, else a revision.
func read(ctx context.Context, name string) (release, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return readRevision(ctx, name)
	}
	if filepath.Ext(name) == ".json" {
		document, err := parseOpenAPI(name, text)
		return release{openAPI: document}, err
	}
	schema, err := parseGraphQL(name, text)
	return release{graphQL: schema}, err
}

func parseOpenAPI(name string, text []byte) (map[string]any, error) {
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if document["paths"] == nil {
		return nil, fmt.Errorf("%s is no OpenAPI document: it has no paths", name)
	}
	return document, nil
}

func parseGraphQL(name string, text []byte) (*ast.Schema, error) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: name, Input: string(text)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return schema, nil
}
