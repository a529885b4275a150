package embedded

import "github.com/filmstrip/filmstrip/search/relevance"

// impactOf converts the summed weight of a word in a document into its impact, from 1 to 255.
func impactOf(weight float32) uint8 {
	return uint8(max(1, 255*weight/(weight+relevance.Saturation)))
}

// longImpacts contains the impact for long texts, from 1 to 255, by the stored impact.
var longImpacts = func() *[256]uint32 {
	var impacts [256]uint32
	for stored := range impacts {
		weight := weightOf(uint8(stored))
		impacts[stored] = uint32(max(1, 255*weight/(weight+relevance.LongSaturation)))
	}
	return &impacts
}()

// summed returns the total impact of a word from its impact in the document's own text and its impact in the names that
// the document shows. An impact of 0 means that the word does not occur there; one of the two is positive. summed works
// with impacts and not with weights, so that names can be replaced when the weights are no longer known.
func summed(own, named uint8) uint8 {
	switch {
	case named == 0:
		return own
	case own == 0:
		return named
	}
	return impactOf(weightOf(own) + weightOf(named))
}

// weightOf returns the middle of the range of weights that impactOf converts to an impact.
func weightOf(impact uint8) float32 {
	middle := float32(min(impact, 254)) + 0.5
	return relevance.Saturation * middle / (255 - middle)
}
