package usage

import "github.com/filmstrip/filmstrip/event"

// Lists contains what verifications compare with the log for each video, as of one moment. Both fields are in the order
// of account, month and sandbox.
type Lists struct {
	// Videos are the lists of videos, from which rows by video are read.
	Videos []List
	// Plays are the single plays that are counted, from Horizon on: the months before have none, because their persons
	// were forgotten (store.Usage.ForgetPersons).
	Plays    []List
	Horizon  event.Instant
	Progress Progress
}

// List summarizes the videos of an account and a month: its list, or its single plays.
type List struct {
	Account string
	Month   Month
	Sandbox bool
	// Plays, Milliseconds and Excess are totals used to verify the list.
	Plays, Milliseconds, Excess int64
	// Weight is the sum of the weights of its lines, modulo 2^64. Unreadable lines have weight 0.
	Weight uint64
}

// Weight contains the weights of a play, a millisecond and a millisecond of excess of one video. With random weights
// that differ between videos, two different lists have the same total weight only with negligible probability.
type Weight struct{ Play, Millisecond, Excess uint64 }

// Of returns the weight of the given totals, modulo 2^64.
func (w Weight) Of(plays, milliseconds, excess int64) uint64 {
	return w.Play*uint64(plays) + w.Millisecond*uint64(milliseconds) + w.Excess*uint64(excess)
}
