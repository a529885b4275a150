// Package importline decodes import lines: one JSON object per line, each about one item of the catalogue.
// docs/import.md describes the format for operators.
//
// There are two steps, so that lines can be decoded in parallel and without the store. Decode turns a line into a
// Record and finds every fault of the line itself. Record.Apply then applies the record to the stored item: fields that
// the line leaves out keep their values.
package importline
