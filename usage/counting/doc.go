// Package counting counts the event log: it follows the log, applies plays to the store of usage, composes monthly statements, and
// verifies both against raw events. docs/billing.md describes what is counted.
//
// Every play is counted exactly once, whichever process counts or is killed: plays are applied in the transaction that moves the
// progress past them, and only from the present progress. Processes may therefore count at the same time; the second one changes
// nothing. A lease only avoids that they repeat each other's work.
package counting
