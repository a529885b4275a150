package embedded

// field identifies one of a document's indexed fields.
type field int

const (
	titleField field = iota
	keywordField
	subjectField
	channelField
	descriptionField
	transcriptField
)

// fieldWeights contains the constants of BM25F: the weight of a word in the field, the typical length of the field in
// words, and the strength of length normalization. The lengths are constants and not the averages of the catalogue, so
// that a document's impacts do not change when other documents are added or removed.
var fieldWeights = [...]struct{ weight, length, slope float32 }{
	titleField:       {weight: 6, length: 7, slope: 0.5},
	keywordField:     {weight: 3, length: 8, slope: 0.4},
	subjectField:     {weight: 2.5, length: 4, slope: 0.2},
	channelField:     {weight: 2, length: 3, slope: 0.2},
	descriptionField: {weight: 1.4, length: 40, slope: 0.5},
	transcriptField:  {weight: 0.7, length: 600, slope: 0.6},
}

// weight returns the weight of one word of a field with the given number of words.
func (f field) weight(words int) float32 {
	w := fieldWeights[f]
	return w.weight / (1 - w.slope + w.slope*float32(words)/w.length)
}

// saturation is k1 of BM25F: the weight at which a word has half of the greatest impact.
const saturation = 3

// longSaturation replaces saturation for long texts: a word that is in a description of 40 words counts two thirds, and
// not less than half, of one that is in the title too. Of a title of a few words, a question seldom contains more than one.
const longSaturation = 1

// impactOf converts the summed weight of a word in a document into its impact, from 1 to 255.
func impactOf(weight float32) uint8 {
	return uint8(max(1, 255*weight/(weight+saturation)))
}

// longImpacts contains the impact for long texts, from 1 to 255, by the stored impact.
var longImpacts = func() *[256]uint32 {
	var impacts [256]uint32
	for stored := range impacts {
		weight := weightOf(uint8(stored))
		impacts[stored] = uint32(max(1, 255*weight/(weight+longSaturation)))
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
	return saturation * middle / (255 - middle)
}
