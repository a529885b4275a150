// Package generate makes synthetic catalogues, and use of them: plausible, of any size, and the same for the same
// options on every machine. Benchmarks, demonstrations and tests use them.
//
// Words follow Zipf's law: a few hundred stems, by subject, carry most of the text, so that text,
// subjects, topics and categories agree with one another; a long tail of coined terms and names
// makes the dictionary grow with the catalogue. Every attribute that can be filtered occurs, with
// the skew of a real catalogue. All randomness is integer arithmetic on a seeded PCG: no rounding
// differs between processors.
package generate
