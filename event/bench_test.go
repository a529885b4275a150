package event_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/filmstrip/filmstrip/event"
)

const singleBody = `{"videoId":"5c54d6cdd8eafeecae2063b5","videoDurationSeconds":120.4,"segmentStartSeconds":0.105628,` +
	`"segmentEndSeconds":12.333333333333334,"playerId":"c9bf9e57-1685-4c89-bafb-ff5af830be8a","userId":"pupil-7"}`

func batchBody(n int) event.Body {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"videoId":"5c54d6cdd8eafeecae2063b5","segmentStartSeconds":%d.25,"segmentEndSeconds":%d.5,"captureTime":"2026-11-20T12:%02d:%02d.123+01:00","userId":"pupil-%d"}`,
			i, i+5, i/60, i%60, i)
	}
	b.WriteByte(']')
	return b.Bytes()
}

func BenchmarkDecodePlayback(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(singleBody)))
	for b.Loop() {
		if _, err := event.DecodePlayback(event.Body(singleBody), received); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodePlaybackBatch(b *testing.B) {
	body := batchBody(event.MaxBatch)
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := event.DecodePlaybackBatch(body, received); err != nil {
			b.Fatal(err)
		}
	}
}
