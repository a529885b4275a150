// Package captions reads and writes timed text as files of WebVTT and SubRip.
//
// Reading is strict where text or times would be lost, for nobody looks at the result before pupils do: what
// is no cue is an error that names its line. It is lenient where nothing is: either mark of decimals,
// missing hours and blank lines, settings, any end of lines.
package captions
