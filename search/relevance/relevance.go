// Package relevance contains the formulas by which engines order the results of a text: BM25F, with the constants of the
// fields of a video. Engines that compute scores themselves share them, so that a text has similar results on all.
package relevance

import "math"

// Field is one of a video's texts.
type Field int

// The fields, in the order of search.Document.
const (
	Title Field = iota
	Keywords
	Subjects
	Channel
	Description
	Transcript
)

// fields contains the constants of BM25F: the weight of a word in the field, the typical length of the field in words, and
// the strength of length normalization. The lengths are constants and not the averages of the catalogue, so that the
// scores of a document do not change when other documents are added or removed.
var fields = [...]struct{ weight, length, slope float32 }{
	Title:       {weight: 6, length: 7, slope: 0.5},
	Keywords:    {weight: 3, length: 8, slope: 0.4},
	Subjects:    {weight: 2.5, length: 4, slope: 0.2},
	Channel:     {weight: 2, length: 3, slope: 0.2},
	Description: {weight: 1.4, length: 40, slope: 0.5},
	Transcript:  {weight: 0.7, length: 600, slope: 0.6},
}

// Weight returns the weight of one word of a field with the given number of words. The weight of a word in a document is
// the sum over all its occurrences.
func (f Field) Weight(words int) float32 {
	c := fields[f]
	return c.weight / (1 - c.slope + c.slope*float32(words)/c.length)
}

// Saturation and LongSaturation are k1 of BM25F for texts below search.LongText words and for longer ones: the weight at
// which a word has half of the greatest impact. In a long text, a word that is in a description of 40 words counts more
// than half, and not less, of one that is in the title too: of a title of a few words, a question seldom contains more
// than one.
const (
	Saturation     = 3
	LongSaturation = 1
)

// LongRunShare is the share, from 0 to 1, that a long text has of the bonus for words that occur in the title in the order
// of the text: titles seldom answer in the words of a question.
const LongRunShare = 0.3

// Rarity returns the inverse document frequency of BM25 for a word that some of all documents contain.
func Rarity(documents, all int) float64 {
	n := float64(min(documents, all))
	return math.Log(1 + (float64(all)-n+0.5)/(n+0.5))
}
