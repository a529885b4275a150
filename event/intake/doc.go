// Package intake lets concurrent requests share a commit of the event log. A request is answered when the
// commit that holds its events has reached the disk, and refused while too much waits for that.
package intake
