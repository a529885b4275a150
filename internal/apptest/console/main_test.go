//go:build system

package console_test

import (
	"os"
	"testing"

	"github.com/filmstrip/filmstrip/internal/app"
	"github.com/filmstrip/filmstrip/internal/apptest"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m, app.Release)) }
