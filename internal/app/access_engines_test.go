//go:build system

package app

import (
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
)

// TestWhatRulesHideIsHiddenByOneEngine combines each shared engine with the embedded ones.
func TestWhatRulesHideIsHiddenByOneEngine(t *testing.T) {
	whatRulesHideIsHidden(t, apptest.Engines{PostgreSQL: true}, apptest.Engines{Typesense: true})
}
