package rest_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
)

var update = flag.Bool("update", false, "write the golden documents anew")

// shared returns the world of the tests that only read. It stays open until all tests have ended.
var shared = sync.OnceValue(func() *world { return openWorld(sharedDirectory, options{}) })

var sharedDirectory string

func TestMain(m *testing.M) {
	flag.Parse()
	otel.SetTracerProvider(trace.NewTracerProvider())
	otel.SetTextMapPropagator(propagation.TraceContext{})
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if sharedDirectory, err = os.MkdirTemp("", "filmstrip-rest-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(sharedDirectory)
	status := m.Run()
	if err := shared().close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return status
}
