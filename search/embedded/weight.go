package embedded

// field is one of a document's texts.
type field int

const (
	titleField field = iota
	keywordField
	subjectField
	channelField
	descriptionField
	transcriptField
)

// fieldWeights are the constants of BM25F: how much a word of a field says, the length at which a
// field is an ordinary one, and how far the length counts. The lengths are constants and not the
// catalogue's means, so that a document's impacts never change while others come and go.
var fieldWeights = [...]struct{ weight, length, slope float32 }{
	titleField:       {weight: 6, length: 7, slope: 0.5},
	keywordField:     {weight: 3, length: 8, slope: 0.4},
	subjectField:     {weight: 2.5, length: 4, slope: 0.2},
	channelField:     {weight: 2, length: 3, slope: 0.2},
	descriptionField: {weight: 1.4, length: 40, slope: 0.5},
	transcriptField:  {weight: 0.7, length: 600, slope: 0.6},
}

// weight is what one word of the field says where the field has so many.
func (f field) weight(words int) float32 {
	w := fieldWeights[f]
	return w.weight / (1 - w.slope + w.slope*float32(words)/w.length)
}

// saturation is k1 of BM25F: the weight at which a word has half of its greatest impact.
const saturation = 3

// impactOf turns the summed weight of a word in a document into its impact, 1 to 255.
func impactOf(weight float32) uint8 {
	return uint8(max(1, 255*weight/(weight+saturation)))
}

// summed is the impact of a word of which a document's own texts say so much and the names that it shows
// so much; 0 stands for nothing, and one of them is more. It is made of impacts and not of weights, so that
// names can be exchanged where the weights are not known any more.
func summed(own, named uint8) uint8 {
	switch {
	case named == 0:
		return own
	case own == 0:
		return named
	}
	return impactOf(weightOf(own) + weightOf(named))
}

// weightOf is the middle of the weights that impactOf turns into an impact.
func weightOf(impact uint8) float32 {
	middle := float32(min(impact, 254)) + 0.5
	return saturation * middle / (255 - middle)
}
