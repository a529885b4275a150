package typesense_test

import (
	"iter"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
	"github.com/filmstrip/filmstrip/search/analysis"
	"github.com/filmstrip/filmstrip/search/embedded"
)

// library is a catalogue in the form of index documents.
type library struct {
	options   generate.Options
	documents []search.Document
	directory *catalogue.Directory
	day       catalogue.Date
}

func newLibrary(options generate.Options) *library {
	l := &library{options: options, day: generate.Epoch}
	var small []catalogue.Item
	for item := range generate.Items(options) {
		v, isVideo := item.(*catalogue.Video)
		if !isVideo {
			small = append(small, item)
			continue
		}
		if l.directory == nil {
			l.directory = catalogue.NewDirectory(1, small)
		}
		n := int64(len(l.documents) + 1)
		v.Version, v.Sequence, v.UpdatedAt = n, n, generate.Epoch.Start().Add(time.Duration(n)*time.Second)
		transcript := ""
		if v.Transcript != nil {
			transcript = *v.Transcript
		}
		l.documents = append(l.documents, projection.Document(v, transcript, nil, l.directory))
	}
	return l
}

func (l *library) all() iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		for _, d := range l.documents {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// into fills an index with the library and returns the index.
func (l *library) into(t *testing.T, index search.Index) search.Index {
	t.Helper()
	start := time.Now()
	if err := index.Rebuild(t.Context(), 1, l.all()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%T: %d videos in %s", index, len(l.documents), time.Since(start).Round(time.Millisecond))
	return index
}

func openEmbedded(t *testing.T) search.Index {
	t.Helper()
	index, err := embedded.Open(embedded.Options{Analyzer: analysis.New(analysis.Synonyms{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}
