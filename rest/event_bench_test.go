package rest_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

// BenchmarkEvents measures a request with one event, and one with a full batch, up to the domain's decision to store them.
func BenchmarkEvents(b *testing.B) {
	elements := make([]string, event.MaxBatch)
	for i := range elements {
		elements[i] = fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":%d.25,"segmentEndSeconds":%d.5,"captureTime":"2026-11-20T12:%02d:%02d.123+01:00","userId":"pupil-%d"}`,
			eventVideo, i, i+5, i/60, i%60, i)
	}
	for name, request := range map[string]struct{ path, body string }{
		"single": {eventBodies["playback"].path, `{"videoId":"5c54d6cdd8eafeecae2063b5","videoDurationSeconds":120.4,"segmentStartSeconds":0.105628,` +
			`"segmentEndSeconds":12.333333333333334,"playerId":"c9bf9e57-1685-4c89-bafb-ff5af830be8a","userId":"pupil-7"}`},
		"batch": {batchPath, batchOf(elements...)},
	} {
		b.Run(name, func(b *testing.B) {
			r := newReporter(b)
			b.ReportAllocs()
			for b.Loop() {
				r.d.calls = nil
				if got := r.post(b, request.path, request.body); got.StatusCode != http.StatusCreated {
					b.Fatalf("got %d %s", got.StatusCode, got.body)
				}
			}
		})
	}
}
