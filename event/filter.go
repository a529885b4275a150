package event

import "slices"

// Filter matches events that have one of the values in each list; a nil list matches all events, an empty one none.
type Filter struct {
	Accounts []string
	Kinds    []Kind
	Videos   []string
}

// Keeps reports whether an event matches.
func (f *Filter) Keeps(e *Event) bool {
	return (f.Accounts == nil || slices.Contains(f.Accounts, e.Account)) &&
		(f.Kinds == nil || slices.Contains(f.Kinds, e.Kind)) &&
		(f.Videos == nil || slices.Contains(f.Videos, e.Video))
}
