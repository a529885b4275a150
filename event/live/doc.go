// Package live delivers events to watchers in the order of the log, as they are stored. It disconnects a watcher that is
// too slow, so that the others never wait for it.
package live
