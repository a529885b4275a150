package embedded_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

func open(t *testing.T) search.Index {
	t.Helper()
	index, err := embedded.Open(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := index.Close(); err != nil {
			t.Error(err)
		}
	})
	return index
}

func TestConforms(t *testing.T) { searchtest.Run(t, open) }

func TestAgreesWithTheModel(t *testing.T) { searchtest.Properties(t, open) }
