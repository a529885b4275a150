// Package counting counts the event log: it follows it, applies what was played to the store of usage, composes
// monthly statements, and verifies both against raw events. What is counted how is said in docs/billing.md.
//
// Every play is counted exactly once, whoever counts and whatever is killed: plays are applied in the
// transaction that moves the progress on, and only from the place where it is. So processes may count at the
// same time; who comes second has done nothing. A lease sees to it that they do not do each other's work over
// and over; nothing else rests on it.
package counting
