package web_test

import (
	"testing"

	"github.com/filmstrip/filmstrip/web"
)

func TestExplorerPage(t *testing.T) {
	checkPage(t, web.Explorer(), "/explorer", "<title>Explorer - Filmstrip</title>")
}
