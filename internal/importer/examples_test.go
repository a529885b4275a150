package importer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store/sqlite"
)

const (
	examples   = "../../examples"
	khanVideos = "../../../shared/data/khan-videos.jsonl"
)

func openStore(t testing.TB) *sqlite.Catalogue {
	t.Helper()
	c, err := sqlite.OpenCatalogue(t.Context(), filepath.Join(t.TempDir(), "catalogue.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// importExample imports a file through an example program; nothing may be rejected.
func importExample(t *testing.T, c *sqlite.Catalogue, program, data string) importer.Summary {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(examples, program))
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := importer.Files([]string{data}, nil)
	if err != nil {
		t.Fatal(err)
	}
	summary, err := importer.Run(t.Context(), c, importer.Options{
		Inputs: inputs, JQ: string(text), JQName: program,
		Report: func(fault importer.Fault) { t.Error(fault) },
	})
	if err != nil {
		t.Fatal(err)
	}
	return summary
}

func TestKhanVideosComeInWhole(t *testing.T) {
	if _, err := os.Stat(khanVideos); err != nil {
		t.Skipf("SKIPPED: the Khan Academy's data do not stand beside the checkout: %v", err)
	}
	c := openStore(t)
	summary := importExample(t, c, "khan.jq", khanVideos)
	t.Log(summary)
	videos := summary.ByKind[catalogue.KindVideo]
	if videos.Added != 3725 || summary.Rejected != 0 {
		t.Errorf("%d videos were added, %d lines rejected", videos.Added, summary.Rejected)
	}
	again := importExample(t, c, "khan.jq", khanVideos)
	t.Log(again)
}
