package embedded_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/embedded"
	"github.com/filmstrip/filmstrip/search/searchtest"
)

func openCollections(*testing.T) search.CollectionIndex { return embedded.OpenCollections(nil) }

func TestCollectionsConform(t *testing.T) { searchtest.RunCollections(t, openCollections) }

func TestCollectionsAgreeWithTheModel(t *testing.T) {
	searchtest.CollectionProperties(t, openCollections)
}
