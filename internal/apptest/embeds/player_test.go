//go:build system

package embeds_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// embedding serves a page of another origin that contains the player with some attributes, under a policy that allows
// only what the documentation lists. The URL of the page may end with any path.
func embedding(t *testing.T, s *apptest.Server, attributes string) (address string) {
	t.Helper()
	policy := fmt.Sprintf("default-src 'none'; script-src %[1]s; connect-src %[1]s; img-src %[1]s; media-src blob: %[1]s", s.Base)
	page := fmt.Sprintf(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A lesson</title><script type="module" src="%s/player/filmstrip-player.js"></script></head>
<body><main><h1>A lesson</h1><filmstrip-player muted %s></filmstrip-player></main></body>
</html>`, s.Base, attributes)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", policy)
		_, _ = w.Write([]byte(page))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// span is a part of a video, in seconds.
type span [2]float64

// TestPlayerReportsPlayedSegments verifies that the log contains exactly the played segments: no segment is lost or
// duplicated, and no skipped part is reported. A page whose process is killed loses at most the last second or so.
func TestPlayerReportsPlayedSegments(t *testing.T) {
	if testing.Short() {
		t.Skip("the test plays videos for half a minute")
	}
	data := t.TempDir()
	s := apptest.Start(t, append([]string{"--data", data}, apptest.Unlimited...)...)
	s.LogIn(demo.Account, demo.Secret)
	page := embedding(t, s, fmt.Sprintf("src=%q token=%q segment-seconds=2", s.ShortVideo(), s.Token))
	played := map[string][]span{}
	apptest.RunBrowserScript(t, "reported.mjs", &played, page)
	s.Stop(os.Interrupt)

	reported := reportedSegments(t, data)
	if len(played) != 5 || len(reported) != len(played) {
		t.Fatalf("%d players played, %d reported of it", len(played), len(reported))
	}
	short := 0
	for player, ranges := range played {
		if slices.EqualFunc(reported[player], ranges, roughlyEqual) {
			continue
		}
		// Every player reports everything, except the one whose process was killed, which misses its last moments.
		of := reported[player]
		if short++; short > 1 || len(of) != 1 || len(ranges) != 1 || of[0][0] != ranges[0][0] || of[0][1] > ranges[0][1]+tolerance || ranges[0][1]-of[0][1] > 2 {
			t.Errorf("player %s played %v and reported of %v", player, ranges, reported[player])
		}
	}
}

// tolerance is the allowed difference between the edges of reported and played segments, in seconds.
const tolerance = 0.25

func roughlyEqual(one, other span) bool {
	return math.Abs(one[0]-other[0]) <= tolerance && math.Abs(one[1]-other[1]) <= tolerance
}

// reportedSegments returns the segments in the log by player. It joins adjacent segments. Overlapping segments are an
// error.
func reportedSegments(t *testing.T, data string) map[string][]span {
	t.Helper()
	reported := map[string][]span{}
	for line := range strings.Lines(apptest.Succeed(t, "events", "export", "--format", "jsonl", "--kinds", "PLAYBACK", "--data", data)) {
		var event struct {
			SegmentStartSeconds, SegmentEndSeconds float64
			Metadata                               struct{ PlayerID string }
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		player := event.Metadata.PlayerID
		reported[player] = append(reported[player], span{event.SegmentStartSeconds, event.SegmentEndSeconds})
	}
	for player, spans := range reported {
		slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a[0], b[0]) })
		joined := spans[:1:1]
		for _, next := range spans[1:] {
			switch last := &joined[len(joined)-1]; {
			case next[0] < last[1]:
				t.Errorf("player %s reported of %v and %v", player, *last, next)
			case next[0] == last[1]:
				last[1] = next[1]
			default:
				joined = append(joined, next)
			}
		}
		reported[player] = joined
	}
	return reported
}

// TestThePlayerInItsPage verifies that the player works with the keyboard alone and under a strict policy of the page.
// It describes errors in words and recovers from them. It renews an expiring URL unnoticed.
func TestThePlayerInItsPage(t *testing.T) {
	if testing.Short() {
		t.Skip("the test plays videos for half a minute")
	}
	s := apptest.Start(t, apptest.Unlimited...)
	s.LogIn(demo.Account, demo.Secret)
	page := embedding(t, s, fmt.Sprintf("lang=en src=%q token=%q", s.ShortVideo(), s.Token))
	var seen struct {
		Console, Violations, Walk, Interactions []string
		Keys                                    map[string]any
		Errors                                  map[string][]any
		Refused, Provider, Part, Native         []any
		Preview                                 string
		Phone                                   float64
		Renewal                                 struct {
			Played   int
			Suffered []string
			Used     struct{ First, Second, Refused int }
		}
	}
	apptest.RunBrowserScript(t, "page.mjs", &seen, page)
	if len(seen.Console) > 0 || len(seen.Violations) > 0 {
		t.Errorf("console %q, axe-core %q", seen.Console, seen.Violations)
	}
	reported := map[string]any{
		"walk": seen.Walk, "keys": seen.Keys, "errors": seen.Errors, "provider": seen.Provider, "suffered": len(seen.Renewal.Suffered),
		"played": seen.Renewal.Played, "refused": seen.Refused, "native": seen.Native,
	}
	want := map[string]any{
		"walk": []string{title(s), "Play", "Position", "Unmute", "Volume", "Captions", "Speed: 1×", "Picture in picture", "Full screen"},
		"keys": map[string]any{
			"k": true, "Space": true, "5": 50.0, "ArrowRight": 20.0, "ArrowLeft": 15.0, "l": 25.0, "j": 15.0, "Home": 0.0,
			"m": false, "c": "en showing", ">": 1.25, "<": 1.0, "menu": 1.25, "after": "Speed: 1.25×",
		},
		"errors": map[string][]any{
			"token":       {"token", "Ihr Zugang ist abgelaufen. Melden Sie sich neu an und versuchen Sie es noch einmal.", nil},
			"missing":     {"missing", "This video is no longer there. Check the address, or look for another video."},
			"network":     {"network", "There is no connection. Check your network; what you have watched is kept.", nil},
			"unavailable": {"unavailable", "The service does not answer just now. Try again in a moment.", nil},
		},
		"provider": []any{2.0, true}, "suffered": 0, "played": 1, "refused": []any{400.0, "Invalid Event", 20.0},
		"native": []any{2.0, nil},
	}
	if diff := gocmp.Diff(want, reported); diff != "" {
		t.Error("(-want +got):\n", diff)
	}
	if seen.Phone < 0.5 {
		t.Errorf("on a phone, the timeline has %.0f%% of the player's width", 100*seen.Phone)
	}
	if !strings.Contains(seen.Preview, "/v1/media/") {
		t.Errorf("the preview is %q", seen.Preview)
	}
	if used := seen.Renewal.Used; used.First != 3 || used.Second == 0 || used.Refused == 0 {
		t.Errorf("the stream came from %+v", used)
	}
	if part := seen.Part; len(part) != 4 || part[0] != 3.0 || math.Abs(part[1].(float64)-4.5) > tolerance || part[2] != true || part[3] != true {
		t.Errorf("the part from 3 to 4.5 was played as %v", part)
	}
	for _, subtype := range []string{
		"play", "pause", "playbackStarted", "seeking", "seeked", "progress", "jumpedForward", "jumpedBackward", "unmuted", "captionsEnabled",
		"speedChanged", "fullscreenEnabled", "fullscreenDisabled",
	} {
		if !slices.Contains(seen.Interactions, subtype) {
			t.Errorf("no %s in %q", subtype, seen.Interactions)
		}
	}
}

// title returns the title of the short video.
func title(s *apptest.Server) string {
	s.Helper()
	title, _ := s.Document(s.ShortVideo()).At("title").(string)
	return title
}

// TestThePlayersPage runs the page of docs/player.md, unchanged except for the demo's URL.
func TestThePlayersPage(t *testing.T) {
	s := apptest.Start(t, "--demo")
	page := strings.ReplaceAll(apptest.BlocksOf(t, "player.md", "html")[0], "http://127.0.0.1:8080", s.Base)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page))
	}))
	defer server.Close()
	var seen struct {
		Console  []string
		Events   []int
		Position float64
	}
	apptest.RunBrowserScript(t, "docs.mjs", &seen, server.URL)
	if len(seen.Console) > 0 || seen.Position < 1 || len(seen.Events) == 0 || slices.Max(seen.Events) != http.StatusCreated {
		t.Errorf("the page shows %+v", seen)
	}
}
