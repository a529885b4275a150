package generate

import (
	"bufio"
	"encoding/json"
	"io"
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
)

// Options choose a catalogue. Equal options make the same catalogue, byte for byte.
type Options struct {
	// Videos is the number of videos, retired ones included; at least 0.
	Videos int
	// Seed chooses one of many catalogues of the same size.
	Seed uint64
	// TranscriptWords is the mean length of a transcript; 0: no video has one. Nineteen videos of
	// twenty have one of half to one and a half times the length. Nothing else depends on it.
	TranscriptWords int
	// Material adds what is said beside videos: captions, learning material and highlights for a share of
	// them, providers with themes of them, phrases, synonyms, a search rule and legal restrictions. Nothing else
	// depends on it.
	Material bool
	// Schools is the number of schools, with a district for every ten; at least 0. Nothing else depends on
	// it.
	Schools int
}

// Items yields the catalogue as values, in the order of catalogue.Kinds: first all that is small,
// then the videos, then the records. IDs, sources and references are those that the lines of Write give on import;
// versions, sequences and times, which only a store gives, are zero. The values belong to the
// caller.
func Items(options Options) iter.Seq[catalogue.Item] {
	return func(yield func(catalogue.Item) bool) {
		g := newGenerator(options)
		for _, item := range g.items {
			if !yield(item) {
				return
			}
		}
		for number := range options.Videos {
			if !yield(g.shelved(number)) {
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

// Write writes the catalogue as import lines (docs/import.md), in the order of Items and with the
// memory of one video. The error is w's.
func Write(w io.Writer, options Options) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	encoder := json.NewEncoder(buffered)
	encoder.SetEscapeHTML(false)
	g := newGenerator(options)
	names := references{}
	for _, item := range g.items {
		names[item.Head().ID] = item.Head().Reference
		if err := encoder.Encode(names.line(item)); err != nil {
			return err
		}
	}
	for number := range options.Videos {
		if err := encoder.Encode(names.video(g.shelved(number), number)); err != nil {
			return err
		}
	}
	for record := range g.records() {
		names[record.Head().ID] = record.Head().Reference
		if err := encoder.Encode(names.record(record)); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
