// Package catalogue defines the catalogue: videos and everything that describes them.
//
// It contains values with their rules: identifiers, durations, dates, ages, languages, the closed lists of the API (types,
// subtypes, CEFR levels), the items that an operator writes, and the rules that decide who may see them. It imports only
// the standard library and package fault, so that every other package, including generated code, can use it.
package catalogue
