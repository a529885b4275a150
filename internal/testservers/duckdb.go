package testservers

import (
	"path/filepath"
	"testing"
)

// DuckDB returns the path of a Python interpreter with the package duckdb, and skips the test if there is none.
func DuckDB(t testing.TB) string {
	t.Helper()
	python, err := installed(filepath.Join("duckdb-2.0.1", "bin", "python"))
	if err != nil {
		t.Skip("there is no Python environment with DuckDB (make setup)")
	}
	return python
}
