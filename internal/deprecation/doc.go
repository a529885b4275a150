// Package deprecation knows what of the API is deprecated (items.go), says so in the header of answers to
// calls that use it (call.go, register.go), gathers who does (tally.go), and tells whom to write to
// (notices.go).
//
// When a deprecated thing may be gone is the operator's decision, kept as account.Deprecation; nothing here
// switches anything off.
package deprecation
