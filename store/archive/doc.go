// Package archive moves old months of the event log into Parquet files, and reads log and files as one log.
//
// An archive is a manifest and the files that it lists. A month is moved in this order: the events are written to new
// files, the files are read again and compared with the log, a new manifest lists them, the log drops the events. Until the
// manifest is replaced, readers find the events in the log alone; afterwards in the files alone. Everything that changes
// files begins with the current manifest and ends by replacing exactly that manifest, so of two concurrent changes one
// begins again.
package archive
