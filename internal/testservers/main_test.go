package testservers_test

import (
	"os"
	"testing"

	"github.com/filmstrip/filmstrip/internal/testservers"
)

func TestMain(m *testing.M) { os.Exit(testservers.Main(m)) }
