// Contractdiff compares the contracts of two releases and names the changes that break clients.
//
//	contractdiff v1.2.0 HEAD                       two revisions of this repository
//	contractdiff old.json new.json                 two OpenAPI documents
//	contractdiff old.graphqls new.graphqls         two GraphQL schemas
//
// For a revision, it reads schema.graphqls and the output of `filmstrip openapi`; of a revision without that command,
// it compares only the GraphQL schema. The exit status is 0 if nothing breaks, 1 if something does, and 2 if it cannot
// compare everything.
//
// A change breaks clients if a client that keeps to the contract can fail: an element is gone, a client must send a
// value that was optional, a value is no longer accepted or means something else when omitted, or a response may lack a
// value. New values in responses, new fields and new operations do not; neither does a parameter that becomes required,
// as a variable of a link's template (spec, "Versioning", 3). oasdiff finds the changes of the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/oasdiff/oasdiff/load"
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

// release is the contract of one side. A nil part is unknown.
type release struct {
	openAPI *load.SpecInfo
	graphQL *ast.Schema
	// revision reports whether the side is a revision of the repository, whose contract has both parts.
	revision bool
}

// run compares the two sides, prints each breaking change on a line, and reports whether there is one. It also returns
// an error if it could not compare a part of a revision's contract.
func run(ctx context.Context, out io.Writer, arguments []string) (broken bool, err error) {
	if len(arguments) != 2 {
		return false, fmt.Errorf("expected two revisions or two files, got %d arguments", len(arguments))
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
		compared = true
		if breaks, err = compareOpenAPI(from, to); err != nil {
			return false, err
		}
	}
	if from, to := sides[0].graphQL, sides[1].graphQL; from != nil && to != nil {
		compared, breaks = true, slices.Concat(breaks, compareGraphQL(from, to))
	}
	if !compared {
		return false, fmt.Errorf("%s and %s have no part in common", arguments[0], arguments[1])
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
		fmt.Fprintln(out, "No change breaks clients.")
	}
	return len(breaks) > 0, nil
}

// read reads one side: a file, or else a revision.
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

func parseGraphQL(name string, text []byte) (*ast.Schema, error) {
	schema, err := gqlparser.LoadSchema(&ast.Source{Name: name, Input: string(text)})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return schema, nil
}
