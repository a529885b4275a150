// Package priority has work that can wait go after work that somebody waits for, as far as the system helps.
package priority

// lower is by how many of Unix's steps of priority work goes down that can wait: it gets about a tenth of a
// processor that others want too, and all of one that nobody wants.
const lower = 10
