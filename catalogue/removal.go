package catalogue

import "time"

// Removal reports that a video is no longer available, for mirrors of the catalogue.
type Removal struct {
	ID ID
	// RemovedAt is the time of the removal in UTC with microseconds.
	RemovedAt time.Time
	Reason    RemovalReason
}

// RemovalReason is the reason why a video was removed.
type RemovalReason string

// The reasons.
const (
	Deleted RemovalReason = "DELETED"
	Retired RemovalReason = "RETIRED"
	// Expired means that the last day of availability has passed.
	Expired RemovalReason = "EXPIRED"
)
