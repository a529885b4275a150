// Package intake lets concurrent requests share a commit of the event log. It answers a request when the commit with its events is
// on disk, and refuses requests while too many wait.
package intake
