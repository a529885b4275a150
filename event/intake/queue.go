package intake

import (
	"container/list"

	"github.com/filmstrip/filmstrip/event"
)

// load is how much is to be stored. Bytes are those of memory, about.
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

// sizeOfEvent is what an event takes beside its texts, and a submission beside its events.
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

// entry is a submission on its way.
type entry struct {
	submission event.Submission
	load       load
	outcome    chan error    // takes one
	verdict    event.Verdict // is there with the outcome
	place      *list.Element // nil: it does not wait any more
}

// queue is what waits, in the order in which it came.
type queue struct {
	entries list.List
	load    load
}

func (q *queue) push(e *entry) {
	e.place = q.entries.PushBack(e)
	q.load.add(e.load)
}

// remove takes an entry out of the queue, unless it is there no more.
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

// take removes the first entries, as many as fit within the bounds, and one at least.
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
