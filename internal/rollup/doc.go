// Package rollup counts the event log: it follows it, applies what was played to the store of usage, composes
// monthly statements, and verifies both against raw events.
package rollup
