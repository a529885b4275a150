package intake

import (
	"container/list"

	"github.com/filmstrip/filmstrip/event"
)

// load is an amount of work. Bytes are an estimate of memory.
type load struct{ events, bytes int }

func (l *load) add(other load) {
	l.events += other.events
	l.bytes += other.bytes
}

func (l *load) subtract(other load) {
	l.events -= other.events
	l.bytes -= other.bytes
}

func (l load) with(other load) load { l.add(other); return l }

func (l load) exceeds(bounds load) bool {
	return l.events > bounds.events || l.bytes > bounds.bytes
}

// sizeOfEvent is the size of an event without its texts, and of a submission without its events.
const sizeOfEvent = 400

func loadOf(s *event.Submission) load {
	bytes := sizeOfEvent + len(s.Client) + len(s.Key)
	for i := range s.Events {
		e := &s.Events[i]
		bytes += sizeOfEvent + len(e.Account) + len(e.Client) + len(e.User) + len(e.ExternalUser) + len(e.Video) +
			len(e.Subtype) + len(e.Trace) + len(e.Referer) + len(e.Address) + len(e.Details) + len(e.Metadata)
	}
	return load{len(s.Events), bytes}
}

// entry is one submission in progress.
type entry struct {
	submission event.Submission
	load       load
	outcome    chan error    // receives one error
	verdict    event.Verdict // valid once outcome is received
	place      *list.Element // nil: it does not wait any more
}

// queue holds the waiting submissions in order of arrival.
type queue struct {
	entries list.List
	load    load
}

func (q *queue) push(e *entry) {
	e.place = q.entries.PushBack(e)
	q.load.add(e.load)
}

// remove removes an entry, if it is still in the queue.
func (q *queue) remove(e *entry) bool {
	if e.place == nil {
		return false
	}
	q.entries.Remove(e.place)
	e.place = nil
	q.load.subtract(e.load)
	return true
}

func (q *queue) first() *entry {
	if front := q.entries.Front(); front != nil {
		return front.Value.(*entry)
	}
	return nil
}

// take removes the first entries: as many as fit within the limits, and at least one.
func (q *queue) take(bounds load) []*entry {
	var group []*entry
	var taken load
	for e := q.first(); e != nil && (len(group) == 0 || !taken.with(e.load).exceeds(bounds)); e = q.first() {
		q.remove(e)
		taken.add(e.load)
		group = append(group, e)
	}
	return group
}
