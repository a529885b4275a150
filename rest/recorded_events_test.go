package rest_test

import (
	"context"
	"sync"

	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/resolvers/events"
)

// Valid bodies of each kind of event.
const (
	playbackBody = `{"videoId":"64d135150d3cc59d7c8a59a5","segmentStartSeconds":0,"segmentEndSeconds":12.5}`
	batchBody    = `[{"videoId":"64d135150d3cc59d7c8a59a5","segmentStartSeconds":0,"segmentEndSeconds":12.5,"captureTime":"2026-03-04T05:06:07.890Z"}]`
	playerBody   = `{"videoId":"64d135150d3cc59d7c8a59a5","currentTime":3.25,"subtype":"captionsEnabled","payload":{"kind":"subtitles"}}`
	pageBody     = `{"url":"https://school.example/videos?q=water","viewport":{"width":1280,"height":720},"isResize":false}`

	completionsBody = `{"searchQuery":"wat","impressions":["water"],"componentId":"search-bar","completionId":"1"}`
)

// eventSink receives the events of a world. If fault is set, every Append fails with it.
type eventSink struct {
	mutex       sync.Mutex
	submissions []event.Submission
	fault       error
}

var _ events.Sink = (*eventSink)(nil)

func (s *eventSink) Append(_ context.Context, submission event.Submission) (event.Verdict, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.fault == nil {
		s.submissions = append(s.submissions, submission)
	}
	return event.Stored, s.fault
}

func (*eventSink) Recall(context.Context, event.Submission) (event.Verdict, error) { return 0, nil }
