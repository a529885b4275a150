// Package export writes events and statements in the forms that others read: JSON lines, CSV, Parquet, xAPI
// statements and Caliper envelopes. All writers stream.
package export
