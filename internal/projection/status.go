package projection

// Writes reports whether this process writes the index: always where it is its own, else while it holds
// the lease.
func (f *Follower) Writes() bool { return f.lease == nil || f.lease.held() != nil }
