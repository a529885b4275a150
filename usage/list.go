package usage

// List is what an account's list of videos, which rows by video are read from, says of a month.
type List struct {
	Account string
	Month   Month
	Sandbox bool
	// Plays, Milliseconds and Excess are the totals by which the list is believed.
	Plays, Milliseconds, Excess int64
	// Weight is the sum of what its lines weigh, modulo 2^64. Lines that cannot be read weigh nothing.
	Weight uint64
}

// Weight is what a play, a millisecond and a millisecond of excess of one video weigh. Where these are random numbers, others for each video,
// only lists that say the same of every video weigh the same, but for a chance that nobody will meet.
type Weight struct{ Play, Millisecond, Excess uint64 }

// Of is what plays weigh that come to so much in all, modulo 2^64.
func (w Weight) Of(plays, milliseconds, excess int64) uint64 {
	return w.Play*uint64(plays) + w.Millisecond*uint64(milliseconds) + w.Excess*uint64(excess)
}
