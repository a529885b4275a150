package generate

import (
	"bufio"
	"io"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Options select a catalogue. Equal options yield the same catalogue, byte for byte.
type Options struct {
	// Videos is the number of videos, including retired ones; at least 0.
	Videos int
	// Seed selects one of many catalogues of the same size.
	Seed uint64
	// TranscriptWords is the mean length of a transcript; with 0, no video has one. Nineteen of twenty videos have one
	// of half to one and a half times that length. It affects nothing else.
	TranscriptWords int
	// Material adds captions, learning material and highlights for a share of the videos, providers with themes,
	// phrases, synonyms, a search rule and legal restrictions. It affects nothing else.
	Material bool
	// Schools is the number of schools, with a district for every ten; at least 0. It affects nothing else.
	Schools int
}

// Items yields the catalogue as values, in the order of catalogue.Kinds: first the small kinds, then the videos, then
// the items that belong to them. IDs, sources and references are those that importing the lines of Write yields;
// versions, sequences and times, which a store assigns, are zero. The caller owns the values.
func Items(options Options) iter.Seq[catalogue.Item] {
	return func(yield func(catalogue.Item) bool) {
		g := newGenerator(options)
		for _, item := range g.items {
			if !yield(item) {
				return
			}
		}
		for number := range options.Videos {
			if !yield(g.videoForThemes(number)) {
				return
			}
		}
		for record := range g.records() {
			if !yield(record) {
				return
			}
		}
	}
}

// Write writes the catalogue as import lines (docs/import.md), in the order of Items, with the memory of one video. The
// error is w's.
func Write(w io.Writer, options Options) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	names := references{}
	for item := range Items(options) {
		line, err := names.line(item)
		if err != nil {
			return err
		}
		if _, err := buffered.Write(line); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
