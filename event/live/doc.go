// Package live hands events to whoever watches them, in the order of the log, as they are stored. A watcher
// that is too slow loses its watch, never the others' time.
package live
