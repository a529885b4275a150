// Package catalogue holds the nouns of the catalogue: videos and what is said of them.
//
// Everything here is a value with its rules: identifiers, durations, dates, ages, languages, the
// closed lists of the API (types, subtypes, CEFR levels), the records an operator writes, and who
// may see which of them. The package imports the standard library only, so that every other room,
// generated code included, can bind to it.
package catalogue
