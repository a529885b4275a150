package generate

import (
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
)

// records yields the owned items of a catalogue whose videos have been generated, kind by kind.
func (g *generator) records() iter.Seq[catalogue.OwnedItem] {
	return func(yield func(catalogue.OwnedItem) bool) {
		if g.options.Material && !g.besideVideos(yield) {
			return
		}
		for record := range places(g.options) {
			if !yield(record) {
				return
			}
		}
	}
}

// besideVideos yields the items that belong to videos, then the themes that refer to them.
func (g *generator) besideVideos(yield func(catalogue.OwnedItem) bool) bool {
	for stream, of := range []func(v *catalogue.Video) []catalogue.OwnedItem{g.captions, g.material, g.highlights} {
		for number := range g.options.Videos {
			if number%retiredEvery == retiredAt || number >= demoVideos && !drawn(number, stream) {
				continue
			}
			v := g.video(number)
			g.source.Seed(g.options.Seed, (uint64(number)+1)*0x9E3779B97F4A7C15+uint64(stream)+1)
			for _, record := range of(v) {
				if !yield(record) {
					return false
				}
			}
		}
	}
	for _, theme := range g.themes() {
		if !yield(theme) {
			return false
		}
	}
	return true
}

// drawn selects one video in three, different ones for each kind of item.
func drawn(number, stream int) bool {
	return (uint64(number)*0x9E3779B97F4A7C15>>32+uint64(stream))%3 == 0
}

// named sets the reference of an item, and the ID derived from it.
func named[R catalogue.Item](record R, reference string) R {
	head := record.Head()
	head.ID = catalogue.DeriveID(record.Kind(), Source, reference)
	head.Source, head.Reference = Source, reference
	return record
}
