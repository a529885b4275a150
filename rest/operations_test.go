package rest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEndpointsUseTheOperations compares the embedded operations with the names that the endpoints use: the arguments of
// parameters called operation, and what is assigned to variables and constants of such names.
func TestEndpointsUseTheOperations(t *testing.T) {
	embedded := map[string]bool{}
	for _, path := range must(filepath.Glob("hal/operations/*.graphql")) {
		if found := regexp.MustCompile(`(?m)^(?:query|mutation) (\w+)`).FindSubmatch(must(os.ReadFile(path))); found != nil {
			embedded[string(found[1])] = true
		}
	}
	used := operationsInSources(t)
	if len(embedded) < 50 || len(used) < 50 {
		t.Fatalf("found %d operations, of which %d are used", len(embedded), len(used))
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !embedded[name] {
			t.Errorf("there is no operation %q", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(embedded)) {
		if !used[name] {
			t.Errorf("no endpoint uses the operation %q", name)
		}
	}
}

// operationsInSources returns the names of operations that the sources of rest and rest/hal contain.
func operationsInSources(t *testing.T) map[string]bool {
	var files []*ast.File
	for _, path := range append(must(filepath.Glob("*.go")), must(filepath.Glob("hal/*.go"))...) {
		if !strings.HasSuffix(path, "_test.go") {
			files = append(files, must(parser.ParseFile(token.NewFileSet(), path, nil, 0)))
		}
	}
	position := map[string]int{} // of the parameter called operation, by function
	for _, file := range files {
		for _, declared := range file.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok {
				continue
			}
			at := 0
			for _, group := range function.Type.Params.List {
				for _, parameter := range group.Names {
					if parameter.Name == "operation" {
						position[function.Name.Name] = at
					}
					at++
				}
			}
		}
	}
	used := map[string]bool{}
	use := func(function string, value ast.Expr) {
		if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			name := must(strconv.Unquote(literal.Value))
			used[name] = true
			if function == "forStaff" {
				used["Staff"+name] = true
			}
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				var function string
				switch called := n.Fun.(type) {
				case *ast.Ident:
					function = called.Name
				case *ast.SelectorExpr:
					function = called.Sel.Name
				}
				if at, ok := position[function]; ok && at < len(n.Args) {
					use(function, n.Args[at])
				}
			case *ast.AssignStmt:
				if variable, ok := n.Lhs[0].(*ast.Ident); ok && variable.Name == "operation" {
					use("", n.Rhs[0])
				}
			case *ast.ValueSpec:
				if strings.HasSuffix(n.Names[0].Name, "Operation") && len(n.Values) > 0 {
					use("", n.Values[0])
				}
			}
			return true
		})
	}
	return used
}
