// Package deprecation lists the deprecated parts of the API (items.go), announces them in the headers of responses to
// calls that use them (call.go, register.go), counts these uses by client (register.go), and determines which clients
// should be notified (notices.go).
//
// The operator decides when a deprecated part ends (account.Deprecation). This package switches nothing off.
package deprecation
