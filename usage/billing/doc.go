// Package billing computes money: what a price plan charges for a month of usage, the lines of invoices, and the
// shares of channels. docs/billing.md defines it. It stores nothing; package account has the records.
package billing
