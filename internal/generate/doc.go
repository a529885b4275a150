// Package generate generates synthetic catalogues and their usage: plausible, of any size, and the same for the same
// options on every machine. Benchmarks, demonstrations and tests use them.
//
// Words follow Zipf's law: a few hundred stems per subject make up most of the text, so that text, subjects, topics and
// categories agree; a long tail of coined terms and names makes the dictionary grow with the catalogue. Every attribute
// that filters use occurs, with the skew of a real catalogue. All randomness is integer arithmetic on a seeded PCG, so
// no rounding differs between processors.
package generate
