// Package captions reads and writes WebVTT and SubRip files.
//
// Parsing is strict where text or times would be lost, because nobody checks the result before pupils see it: an error
// names the line that does not belong to a cue. It is lenient where nothing is lost: it accepts either decimal mark,
// missing hours, missing blank lines, cue settings and any line ending.
package captions
