package catalogue

import "time"

// Removal tells whoever keeps a copy of the catalogue that a video is to be seen no longer.
type Removal struct {
	ID ID
	// RemovedAt is when it happened: UTC, microseconds.
	RemovedAt time.Time
	Reason    RemovalReason
}

// RemovalReason says why a video is gone.
type RemovalReason string

// The reasons.
const (
	Deleted RemovalReason = "DELETED"
	Retired RemovalReason = "RETIRED"
	// Expired: the last day of its availability has passed.
	Expired RemovalReason = "EXPIRED"
)

// RemovalReasons lists the reasons.
func RemovalReasons() []RemovalReason { return []RemovalReason{Deleted, Retired, Expired} }
