package usage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/event"
	"github.com/filmstrip/filmstrip/resolvers"
	"github.com/filmstrip/filmstrip/resolvers/resolverstest"
	"github.com/filmstrip/filmstrip/store"
)

// reportPlayback posts and counts one playback event of a caller.
func (b *fixture) reportPlayback(t *testing.T, caller *account.Caller, video string, start, end float64) {
	t.Helper()
	b.reportPlaybackWith(t, caller, video, start, end, "")
}

// reportPlaybackWith reports a segment with more members of the body, which begin with a comma.
func (b *fixture) reportPlaybackWith(t *testing.T, caller *account.Caller, video string, start, end float64, members string) {
	t.Helper()
	query := `mutation($event: PlaybackEventInput!) { recordPlayback(event: $event) }`
	body := json.RawMessage(fmt.Sprintf(`{"videoId":%q,"segmentStartSeconds":%g,"segmentEndSeconds":%g%s}`, video, start, end, members))
	if answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, caller, resolverstest.RequestBody(query, map[string]any{"event": body}))); len(answer.Errors) > 0 {
		t.Fatalf("%+v", answer.Errors)
	}
	b.events++
	resolverstest.Must(t, b.counter.CatchUp(t.Context()))
}

// change stores videos and channels.
func (b *fixture) change(t *testing.T, items ...catalogue.Item) {
	t.Helper()
	resolverstest.Must(t, b.catalogue.Write(t.Context(), func(ctx context.Context, tx store.Tx) error {
		_, err := tx.Put(ctx, items)
		return err
	}))
}

const november = `from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z"`

// nowhere is an ID that no video has.
const nowhere = "ffffffffffffffffffffffff"

// TestOnlyWhatLiesInsideAVideoCounts proves that the part of a segment outside the video is excess, which is not
// billed, whichever ID a client reports the video by. The totals stay the same if the video changes later and
// everything is counted again.
func TestOnlyWhatLiesInsideAVideoCounts(t *testing.T) {
	b := newFixture(t)
	for range 5 { // the attack: a day of a video of 74 seconds
		b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 0, 86_400)
	}
	b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 10, 40.5)   // inside
	b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 70, 76)     // its last second and the second for rounding
	b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 5000, 6000) // outside
	b.reportPlayback(t, schoolLMS, "1001", 73, 77.25)                          // by its legacy id
	b.reportPlayback(t, schoolLMS, string(resolverstest.Duplicate), 60, 100)   // retired into it
	rows := []string{
		`{"video":"1001","plays":1,"seconds":2,"excessSeconds":2.25}`,
		`{"video":"` + string(resolverstest.Floating) + `","plays":8,"seconds":410.5,"excessSeconds":432626}`,
		`{"video":"` + string(resolverstest.Duplicate) + `","plays":1,"seconds":15,"excessSeconds":25}`,
	}
	slices.Sort(rows)
	check := func() {
		t.Helper()
		b.want(t, schoolLMS, `{ usage(`+november+`, by: [VIDEO]) { total { plays seconds milliseconds excessSeconds videos } rows { video plays seconds excessSeconds } } }`,
			`{"total":{"plays":10,"seconds":427.5,"milliseconds":427500,"excessSeconds":432653.25,"videos":3},"rows":[`+strings.Join(rows, ",")+`]}`)
		b.want(t, schoolLMS, `{ statement(month: "2026-11") { plays milliseconds seconds excessMilliseconds lines { seconds excessMilliseconds } } }`,
			`{"plays":10,"milliseconds":427500,"seconds":428,"excessMilliseconds":432653250,"lines":[{"seconds":428,"excessMilliseconds":432653250}]}`)
		b.want(t, schoolLMS, `{ retention(video: "`+string(resolverstest.Floating)+`", `+november+`) { plays seconds } }`, `{"plays":8,"seconds":410.5}`)
		b.verify(t)
	}
	check()
	changed := resolverstest.SampleItems()[3].(*catalogue.Video)
	changed.Playback.Duration = catalogue.Second
	b.change(t, changed)
	resolverstest.Must(t, b.counter.Recount(t.Context()))
	resolverstest.Must(t, b.counter.CatchUp(t.Context()))
	check()
	b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 0, 9)
	b.want(t, schoolLMS, `{ usage(`+november+`) { total { plays milliseconds } } }`, `{"total":{"plays":11,"milliseconds":429500}}`)
}

// TestUsageRevealsNoHiddenVideos proves that usage shows plays of a hidden video like those of an unknown one.
func TestUsageRevealsNoHiddenVideos(t *testing.T) {
	answers := map[string][]string{}
	for _, video := range []string{string(resolverstest.Secret), nowhere, "99999"} {
		b := newFixture(t)
		b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 0, 5)
		b.reportPlayback(t, schoolLMS, video, 1, 200_000)
		b.reportPlayback(t, pupil, video, 0, 10)
		report := func() (reported []string) {
			for _, query := range []string{
				`usage(` + november + `, by: [VIDEO]) { total { plays seconds excessSeconds videos } rows { video plays seconds videos } }`,
				`usage(` + november + `, by: [VIDEO, USER]) { rows { video user plays seconds } }`,
				`usage(` + november + `, by: [SUBJECT]) { rows { subject plays } }`,
				`usage(` + november + `, by: [CHANNEL, VIDEO], interval: DAY) { rows { channel video plays } }`,
				`usage(` + november + `, filter: {videos: ["` + video + `"]}) { total { plays } }`,
				`usage(` + november + `, filter: {subjects: ["` + string(resolverstest.Physics) + `"]}) { total { plays } }`,
				`retention(video: "` + video + `", ` + november + `) { plays seconds views }`,
				`statement(month: "2026-11") { milliseconds excessMilliseconds }`,
			} {
				for _, caller := range []*account.Caller{schoolLMS, console} {
					if caller == console && query[0] == 's' {
						continue // operators must name the account
					}
					reported = append(reported, string(resolverstest.Read(t, resolverstest.Post(t, b.handler, caller, resolverstest.RequestBody("{ "+query+" }", nil))).Data))
				}
			}
			return reported
		}
		answers[video] = report()
		b.want(t, schoolLMS, `{ usage(`+november+`, by: [VIDEO]) { total { seconds excessSeconds videos } rows { video seconds } } }`,
			`{"total":{"seconds":86414,"excessSeconds":113600,"videos":1},"rows":[{"video":null,"seconds":86409},{"video":"`+string(resolverstest.Floating)+`","seconds":5}]}`)
		// The answers stay the same if the account may see the video later.
		opened := resolverstest.SampleItems()[1].(*catalogue.Channel)
		opened.Private = false
		b.change(t, opened)
		resolverstest.Must(t, b.counter.Recount(t.Context()))
		resolverstest.Must(t, b.counter.CatchUp(t.Context()))
		if again := report(); fmt.Sprint(again) != fmt.Sprint(answers[video]) {
			t.Errorf("%s: counted again: %s\nbefore %s", video, again, answers[video])
		}
		b.verify(t)
	}
	if want := fmt.Sprint(answers[nowhere]); fmt.Sprint(answers[string(resolverstest.Secret)]) != want || fmt.Sprint(answers["99999"]) != want {
		t.Errorf("a hidden video: %s\nan unknown alias: %s\nan unknown id: %s", answers[string(resolverstest.Secret)], answers["99999"], want)
	}
	operating := newFixture(t)
	house := *console
	house.Access.PrivateChannels = true
	operating.reportPlayback(t, &house, string(resolverstest.Secret), 0, 200)
	operating.want(t, console, `{ usage(`+november+`, by: [VIDEO]) { rows { video seconds } } }`, `{"rows":[{"video":"`+string(resolverstest.Secret)+`","seconds":75}]}`)
}

// failingCatalogue is a catalogue that fails.
type failingCatalogue struct{ store.Catalogue }

func (failingCatalogue) States(context.Context, []catalogue.ID) ([]catalogue.State, error) {
	return nil, errors.New("the disk is gone")
}

// TestEventsWithoutACatalogue proves that events are stored while the catalogue fails, and count like those of unknown
// videos.
func TestEventsWithoutACatalogue(t *testing.T) {
	b := newFixture(t, func(c *resolvers.Config) { c.Catalogue = failingCatalogue{c.Catalogue} })
	b.reportPlayback(t, schoolLMS, string(resolverstest.Floating), 0, 90_000)
	b.want(t, schoolLMS, `{ usage(`+november+`, by: [VIDEO]) { rows { video seconds excessSeconds } } }`,
		`{"rows":[{"video":null,"seconds":86400,"excessSeconds":3600}]}`)
}

// TestReplacementsOfManyVideos proves that the catalogue is read once for each step of the longest chain, however many
// events a batch has.
func TestReplacementsOfManyVideos(t *testing.T) {
	asked := &countingCatalogue{}
	b := newFixture(t, func(c *resolvers.Config) { asked.Catalogue = c.Catalogue; c.Catalogue = asked })
	var batch []map[string]any
	for n := range 300 {
		retired := resolverstest.VideoOf(fmt.Sprint("retired ", n), "Again", resolverstest.Open)
		next := resolverstest.Floating
		if n > 0 {
			next = resolverstest.IDOf(catalogue.KindVideo, fmt.Sprint("retired ", n%3))
		}
		retired.Retired, retired.RetiredInto = true, &next
		if n < 3 {
			retired.RetiredInto = &resolverstest.Floating
		}
		b.change(t, retired)
		batch = append(batch, map[string]any{
			"videoId": retired.ID, "segmentStartSeconds": 0, "segmentEndSeconds": 100, "captureTime": "2026-11-20T11:00:00Z",
		})
	}
	asked.times = 0
	answer := resolverstest.Read(t, resolverstest.Post(t, b.handler, schoolLMS, resolverstest.RequestBody(`mutation($events: [PlaybackEventInput!]!) { recordPlaybackBatch(events: $events) }`, map[string]any{"events": batch})))
	if len(answer.Errors) > 0 || asked.times > 3 {
		t.Fatalf("the catalogue was asked %d times: %+v", asked.times, answer.Errors)
	}
	events, err := b.log.Read(t.Context(), store.EventQuery{}, 0, 1000)
	resolverstest.Must(t, err)
	for _, e := range events {
		if e.Hidden || e.Counted != 75_000 || e.Kind != event.Playback {
			t.Fatalf("%+v", e)
		}
	}
}

// countingCatalogue counts the calls of States.
type countingCatalogue struct {
	store.Catalogue
	times int
}

func (a *countingCatalogue) States(ctx context.Context, ids []catalogue.ID) ([]catalogue.State, error) {
	a.times++
	return a.Catalogue.States(ctx, ids)
}

// TestAViewingIsOnePlay proves that the segments of a player are one play: in usage, on the bill, in a verification and in a
// recount.
func TestAViewingIsOnePlay(t *testing.T) {
	b := newFixture(t)
	video := string(resolverstest.Floating)
	player := func(user, id string) string {
		return fmt.Sprintf(`,"userId":%q,"metadata":{"playerId":%q}`, user, id)
	}
	const one, two = "c9bf9e57-1685-4c89-bafb-ff5af830be8a", "0b0e6b3b-1a4c-4f3c-8a47-1b1d3c0de001"
	for start := 0.0; start < 50; start += 10 {
		b.reportPlaybackWith(t, schoolLMS, video, start, start+10, player("ann", one))
	}
	b.reportPlaybackWith(t, schoolLMS, video, 0, 30, player("bob", one))  // somebody else at the same screen
	b.reportPlaybackWith(t, schoolLMS, video, 0, 30, player("ann", two))  // another visit
	b.reportPlaybackWith(t, schoolLMS, video, 0, 5, player("ann", "web")) // constants are no identifiers
	b.reportPlaybackWith(t, schoolLMS, video, 5, 10, player("ann", "web"))
	check := func() {
		t.Helper()
		b.want(t, schoolLMS, `{ usage(`+november+`, by: [USER], orderBy: PLAYS) { total { plays seconds users } rows { externalUser plays seconds } } }`,
			`{"total":{"plays":5,"seconds":120,"users":2},"rows":[{"externalUser":"ann","plays":4,"seconds":90},{"externalUser":"bob","plays":1,"seconds":30}]}`)
		b.want(t, schoolLMS, `{ statement(month: "2026-11") { plays seconds } }`, `{"plays":5,"seconds":120}`)
		b.verify(t)
	}
	check()
	resolverstest.Must(t, b.counter.Recount(t.Context()))
	check()
}
