// Package importline reads import lines: one JSON object a line, each saying something about one thing
// of the catalogue. docs/import.md describes the format for operators.
//
// Reading has two steps, so that lines can be decoded in parallel and far from the store. Decode
// turns a line into a Record and finds every fault that the line has by itself. Record.Apply then
// lays the record over what is stored: fields that the line leaves out keep what they hold.
package importline
