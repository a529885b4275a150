package event

import "slices"

// Filter keeps events that have one of the values of each list; nil keeps all, an empty list none.
type Filter struct {
	Accounts []string
	Kinds    []Kind
	Videos   []string
}

// Keeps reports whether the filter keeps an event.
func (f *Filter) Keeps(e *Event) bool {
	return (f.Accounts == nil || slices.Contains(f.Accounts, e.Account)) &&
		(f.Kinds == nil || slices.Contains(f.Kinds, e.Kind)) &&
		(f.Videos == nil || slices.Contains(f.Videos, e.Video))
}
