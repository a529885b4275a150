// Package export writes events and statements of usage as JSON lines, CSV, Parquet, xAPI statements and Caliper
// envelopes. All writers stream.
package export
