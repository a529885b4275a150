//go:build !race

package embedded_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/search/searchtest"
)

func TestMatchesTextAsBleveDoes(t *testing.T) { searchtest.TextOracle(t, open) }
