package media_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/media"
)

// TestDemoStreamsAreAsLongAsTheirVideos verifies that a stream of the binary repeats up to the length of its video,
// that each repetition is marked, and that each segment of a playlist can be fetched.
func TestDemoStreamsAreAsLongAsTheirVideos(t *testing.T) {
	for _, test := range []struct {
		length, want catalogue.Duration
		repetitions  int
	}{
		{0, 30 * catalogue.Second, 1},
		{10 * catalogue.Second, 30 * catalogue.Second, 1},
		{30 * catalogue.Second, 30 * catalogue.Second, 1},
		{31 * catalogue.Second, 36 * catalogue.Second, 2},
		{342 * catalogue.Second, 342 * catalogue.Second, 12},
	} {
		t.Run(fmt.Sprint(test.length/catalogue.Second), func(t *testing.T) {
			f := newFixture(t, media.Options{})
			f.length = test.length
			master := f.signer.Sign(video, noon)
			for line := range strings.Lines(bodyOf(t, f.get("GET", master))) {
				if strings.HasPrefix(line, "#") {
					continue
				}
				at := siblingOf(master, strings.TrimSpace(line))
				playlist := bodyOf(t, f.get("GET", at))
				for line := range strings.Lines(playlist) {
					if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
						continue
					}
					if response := f.get("GET", siblingOf(at, line)); response.StatusCode != 200 {
						t.Errorf("segment %s is answered %d", line, response.StatusCode)
					}
				}
				length, repetitions := lengthOf(t, playlist), 1+strings.Count(playlist, "#EXT-X-DISCONTINUITY\n")
				if length != float64(test.want)/float64(catalogue.Second) || repetitions != test.repetitions {
					t.Errorf("%s lasts %g s in %d repetitions", line, length, repetitions)
				}
				if !strings.HasPrefix(playlist, "#EXTM3U") || strings.Count(playlist, "#EXT-X-ENDLIST") != 1 || !strings.HasSuffix(playlist, "#EXT-X-ENDLIST\n") {
					t.Errorf("the playlist is not whole:\n%s", playlist)
				}
			}
		})
	}
}
