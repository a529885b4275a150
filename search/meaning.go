package search

import (
	"math"
)

// Vector is a point in the space of an embedding model: texts with similar meanings have vectors with similar directions.
// Only the direction counts, so each component is scaled to a signed byte.
type Vector []int8

// Quantize returns the vector with the direction of the given components.
func Quantize(components []float32) Vector {
	greatest := 0.0
	for _, c := range components {
		greatest = max(greatest, math.Abs(float64(c)))
	}
	vector := make(Vector, len(components))
	if greatest == 0 {
		return vector
	}
	for i, c := range components {
		vector[i] = int8(math.Round(float64(c) / greatest * math.MaxInt8))
	}
	return vector
}

// VectorOf returns the vector whose components are the bytes, as catalogue.Embedding stores them.
func VectorOf(bytes []byte) Vector {
	vector := make(Vector, len(bytes))
	for i, component := range bytes {
		vector[i] = int8(component)
	}
	return vector
}

// Dot returns the scalar product of two vectors of the same length.
func Dot(a, b []int8) int {
	b = b[:len(a)]
	var sum0, sum1, sum2, sum3 int32 // independent sums, so that the processor adds them in parallel
	for len(a) >= 4 {
		sum0 += int32(a[0]) * int32(b[0])
		sum1 += int32(a[1]) * int32(b[1])
		sum2 += int32(a[2]) * int32(b[2])
		sum3 += int32(a[3]) * int32(b[3])
		a, b = a[4:], b[4:]
	}
	for i := range a {
		sum0 += int32(a[i]) * int32(b[i])
	}
	return int(sum0 + sum1 + sum2 + sum3)
}

// Norm returns the length of the vector.
func (v Vector) Norm() float32 { return float32(math.Sqrt(float64(Dot(v, v)))) }

// Similarity returns the cosine of the angle between two vectors, from -1 to 1, or 0 if their lengths differ.
func (v Vector) Similarity(other Vector) float32 {
	if len(v) != len(other) {
		return 0
	}
	norms := v.Norm() * other.Norm()
	if norms == 0 {
		return 0
	}
	return float32(Dot(v, other)) / norms
}

// Meaning is the vector of a text, and the similarity from which on videos match it.
type Meaning struct {
	Vector Vector
	// Least is a cosine, from -1 to 1. The similarity of a video is that of its most similar passage.
	Least float32
}

// MaxNearest is the greatest number of videos that a Meaning adds to those that match words.
const MaxNearest = 100

// MeaningShare is the share of similarity in the relevance of a query with a Meaning; words have the rest.
const MeaningShare = 0.5

// Fuse returns the relevance, from 0 to 1, of a video among the results of a query with a Meaning. Both parts are relative
// to the best result, because neither scores of words nor similarities of different texts can be compared: words is the
// video's score, bestWords the highest one; similarity is the video's, 0 if it is not among the nearest, least that of
// the Meaning, and nearest the highest.
func Fuse(words, bestWords float64, similarity, least, nearest float32) float64 {
	relevance := 0.0
	if bestWords > 0 {
		relevance = (1 - MeaningShare) * words / bestWords
	}
	if similarity >= least && nearest > least {
		relevance += MeaningShare * float64((similarity-least)/(nearest-least))
	}
	return relevance
}
