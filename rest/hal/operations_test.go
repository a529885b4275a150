package hal

import (
	"io/fs"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
)

// TestOperationsHaveOneRootField checks that every operation has one root field, whose alias is the same everywhere.
func TestOperationsHaveOneRootField(t *testing.T) {
	paths, err := fs.Glob(operationFiles, "operations/*.graphql")
	if err != nil || len(paths) == 0 {
		t.Fatalf("got the files %v and the error %v", paths, err)
	}
	for _, path := range paths {
		text, err := operationFiles.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		document, err := parser.ParseQuery(&ast.Source{Name: path, Input: string(text)})
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range document.Operations {
			if len(operation.SelectionSet) != 1 {
				t.Errorf("%s has %d root fields, exactly one is allowed", operation.Name, len(operation.SelectionSet))
			} else if field, ok := operation.SelectionSet[0].(*ast.Field); !ok || field.Alias != "hal" {
				t.Errorf("the root field of %s has to be called hal", operation.Name)
			}
		}
	}
}
