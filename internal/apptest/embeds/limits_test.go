package embeds_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// openFrame opens the page of an embed of a video, and returns the token of its visitor and the path that renews it.
func openFrame(s *apptest.Server, address string, header ...string) (token, renew string) {
	s.Helper()
	response, page := s.Send(http.MethodGet, strings.TrimPrefix(address, s.Base), "", "", header...)
	found := frameData.FindStringSubmatch(string(page))
	if response.StatusCode != http.StatusOK || found == nil {
		s.Fatalf("the page is answered %s %s", response.Status, page)
	}
	return found[1], "/embed/" + html.UnescapeString(found[2])
}

var frameData = regexp.MustCompile(`data-token="([^"]+)" data-renew="([^"]+)"`)

// playedBy returns the body of a playback event that names a user.
func playedBy(user, video string, from, to float64) string {
	return fmt.Sprintf(`{"videoId":%q,"userId":%q,"segmentStartSeconds":%g,"segmentEndSeconds":%g}`, video, user, from, to)
}

// TestVisitorsOfAnEmbedUseNoQuota verifies that visitors of an embed use up neither the client's rate limit, nor the
// account's quota, nor the client's idempotency keys, and that their events name no user, whatever the visitors send.
func TestVisitorsOfAnEmbedUseNoQuota(t *testing.T) {
	data := t.TempDir()
	s := apptest.Start(t, "--demo", "--data", data, "--trusted-proxies", "127.0.0.0/8", "--event-rate", "500", "--device-event-rate", "1")
	s.LogIn(demo.Account, demo.Secret)
	client, video := s.Token, lastPathElement(s.ShortVideo())
	address := s.CreateEmbed(video).URL
	apptest.Succeed(t, "accounts", "update", demo.Account, "--requests-per-minute", "6", "--requests-per-month", "9", "--data", data)
	s.Await(http.StatusTooManyRequests, func() int { return s.Status("/v1/subjects", client) })

	post := func(token, body, from string, header ...string) *http.Response {
		header = append(header, "X-Forwarded-For", from, "Content-Type", "application/json", "Service-User-Id", "somebody")
		response, _ := s.Send(http.MethodPost, "/v1/events/playback", token, body, header...)
		return response
	}
	visitor, _ := openFrame(s, address, "X-Forwarded-For", "192.0.2.1")
	for range 20 {
		if got := s.Status("/v1/videos/"+video, visitor, "X-Forwarded-For", "192.0.2.1"); got != http.StatusOK {
			t.Fatalf("a visitor reads %d where the client may not any more", got)
		}
	}
	passed := 0
	for i := range 30 {
		response := post(visitor, playedBy("somebody", video, 0, float64(i)), "192.0.2.1", "Idempotency-Key", fmt.Sprint("key-", i))
		switch response.StatusCode {
		case http.StatusCreated:
			passed++
		case http.StatusTooManyRequests:
			if policy := response.Header.Get("RateLimit-Policy"); policy != `"events-address";q=20;w=20` || response.Header.Get("Retry-After") == "" {
				t.Fatalf("refused by %s, %v", policy, response.Header)
			}
		default:
			t.Fatalf("a visitor's event is answered %s", response.Status)
		}
	}
	if passed < 20 || passed > 25 { // the limit admits one more per second while the loop runs
		t.Errorf("%d of 30 events got in, want 20", passed)
	}
	if got := post(visitor, playedBy("", video, 0, 1), "192.0.2.2").StatusCode; got != http.StatusCreated {
		t.Errorf("a visitor at another address is answered %d", got)
	}
	for i := range 100 { // neither limit applies to the client's own events, and their keys belong to the client
		if got := post(client, playedBy("", video, 0, 2), "192.0.2.1", "Idempotency-Key", fmt.Sprint("key-", i)).StatusCode; got != http.StatusCreated {
			t.Fatalf("event %d of the client is answered %d", i, got)
		}
	}
	batch := "[" + strings.TrimSuffix(strings.Repeat(strings.Replace(playedBy("", video, 0, 1), "{", `{"captureTime":"2026-01-01T00:00:00Z",`, 1)+",", 450), ",") + "]"
	response, body := s.Send(http.MethodPost, "/v1/events/playback/batch", client, batch, "Content-Type", "application/json")
	if response.StatusCode != http.StatusTooManyRequests || response.Header.Get("RateLimit-Policy") != `"events";q=500;w=60` || response.Header.Get("Retry-After") == "" {
		t.Errorf("450 events after 100, at a rate of 500: %s %v %s", response.Status, response.Header, body)
	}
	s.Stop(os.Interrupt)
	for line := range strings.Lines(apptest.Succeed(t, "events", "export", "--format", "jsonl", "--kinds", "PLAYBACK", "--data", data)) {
		var reported struct {
			UserID, TokenUserID string
			SegmentEndSeconds   float64
		}
		if err := json.Unmarshal([]byte(line), &reported); err != nil || reported.TokenUserID != "" || reported.SegmentEndSeconds != 2 && reported.UserID != "" {
			t.Fatalf("%v: a visitor is a user: %s", err, line)
		}
	}
}

func lastPathElement(address string) string { return address[strings.LastIndex(address, "/")+1:] }

// TestViewingsAreBounded verifies that an address can open a limited number of pages per minute, and that a page that
// is open continues to work.
func TestViewingsAreBounded(t *testing.T) {
	s := apptest.Start(t, "--demo", "--trusted-proxies", "127.0.0.0/8", "--viewing-rate", "3")
	s.LogIn(demo.Account, demo.Secret)
	address := s.CreateEmbed(lastPathElement(s.ShortVideo())).URL
	path := strings.TrimPrefix(address, s.Base)
	_, renew := openFrame(s, address, "X-Forwarded-For", "192.0.2.1")
	refused := 0
	for range 6 {
		response, body := s.Send(http.MethodGet, path, "", "", "X-Forwarded-For", "192.0.2.1", "Accept", "text/html")
		if response.StatusCode == http.StatusTooManyRequests {
			refused++
			if response.Header.Get("Retry-After") == "" || !strings.Contains(string(body), "opened too often") {
				t.Errorf("%v %s", response.Header, body)
			}
		}
	}
	if refused < 3 || refused > 4 {
		t.Errorf("%d of 7 pages are refused, want 4", refused)
	}
	if response, body := s.Send(http.MethodGet, renew, "", "", "X-Forwarded-For", "192.0.2.1"); response.StatusCode != http.StatusOK {
		t.Errorf("a page that is open gets no token: %s %s", response.Status, body)
	}
	without := renew[:strings.Index(renew, "&viewing=")]
	for _, forged := range []string{without, renew + "x", without + "&viewing=a.1.AAAA", renew + renew[strings.Index(renew, "&viewing="):]} {
		if response, _ := s.Send(http.MethodGet, forged, "", "", "X-Forwarded-For", "192.0.2.9"); response.StatusCode != http.StatusForbidden {
			t.Errorf("%s is answered %s", forged, response.Status)
		}
	}
	openFrame(s, address, "X-Forwarded-For", "192.0.2.2")
}

// TestBadTokensBlockNoKnownOnes verifies that guesses of tokens from an address do not block tokens that were accepted
// there before.
func TestBadTokensBlockNoKnownOnes(t *testing.T) {
	s := apptest.Start(t, "--demo", "--unauthorized-rate", "5")
	known := s.Access(demo.Account, demo.Secret)
	if got := s.Status("/v1/", known); got != http.StatusOK {
		t.Fatal(got)
	}
	s.Await(http.StatusTooManyRequests, func() int { return s.Status("/v1/", "guessed") })
	if got := s.Status("/v1/", known); got != http.StatusOK {
		t.Errorf("a token that was verified before is answered %d", got)
	}
	if got := s.Status("/v1/", s.Access(demo.Account, demo.Secret)); got != http.StatusTooManyRequests {
		t.Errorf("an unknown token is answered %d", got)
	}
}

// TestEventsWithoutRoomOnTheDisk verifies that both APIs refuse events with 503 while free disk space is below the
// minimum, and that everything else continues to work.
func TestEventsWithoutRoomOnTheDisk(t *testing.T) {
	s := apptest.Start(t, "--demo", "--min-free-disk", "1000000000")
	token := s.Access(demo.Account, demo.Secret)
	body := playedBy("", "5c54d813d8eafeecae2114da", 0, 1)
	response, text := s.Send(http.MethodPost, "/v1/events/playback", token, body, "Content-Type", "application/json")
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "30" {
		t.Errorf("an event is answered %s %v %s", response.Status, response.Header, text)
	}
	asked, err := json.Marshal(map[string]any{"query": "mutation($e: PlaybackEventInput!) { recordPlayback(event: $e) }", "variables": map[string]any{"e": json.RawMessage(body)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, text := s.Send(http.MethodPost, "/graphql", token, string(asked), "Content-Type", "application/json"); !strings.Contains(string(text), `"UNAVAILABLE"`) {
		t.Errorf("the mutation is answered %s", text)
	}
	if got := s.Status("/v1/subjects", token); got != http.StatusOK {
		t.Errorf("a read is answered %d", got)
	}
}

// TestAVisitorCannotInflateTheBill verifies the bounds on events with the token of an embed. One opened page counts at
// most four times the time since it was opened, whichever of its tokens is used and however often, and is one play. Each
// event counts only the part within the video. The client's own events count separately.
func TestAVisitorCannotInflateTheBill(t *testing.T) {
	for _, engine := range []apptest.Engines{{}, {PostgreSQL: true}} {
		t.Run(engine.String(), func(t *testing.T) {
			where := append([]string{"--data", t.TempDir()}, engine.Settings(t)...)
			s := apptest.Start(t, append([]string{"--demo"}, where...)...)
			s.LogIn(demo.Account, demo.Secret)
			client, video := s.Token, lastPathElement(s.ShortVideo())
			began := time.Now()
			token, renew := openFrame(s, s.CreateEmbed(video).URL)
			report := func(token, body string, header ...string) {
				t.Helper()
				response, text := s.Send(http.MethodPost, "/v1/events/playback", token, body, append(header, "Content-Type", "application/json")...)
				if response.StatusCode != http.StatusCreated {
					t.Fatalf("%s is answered %s %s", body, response.Status, text)
				}
			}
			for range 5 {
				report(token, playedBy("", video, 0, 86_400))
			}
			for range 5 { // a repeated event adds nothing
				report(token, playedBy("", video, 0, 86_400), "Idempotency-Key", "again")
			}
			next, text := s.Send(http.MethodGet, renew, "", "")
			var renewed struct{ Token string }
			if err := json.Unmarshal(text, &renewed); err != nil || renewed.Token == "" || renewed.Token == token {
				t.Fatalf("the next token: %s %s", next.Status, text)
			}
			for i := range 40 {
				report([]string{token, renewed.Token}[i%2], playedBy("", video, 0, 20))
			}
			most := 4 * time.Since(began).Seconds()
			report(client, playedBy("", video, 0, 20))

			var usage struct {
				Data struct {
					Usage struct {
						Total struct {
							Plays                  int
							Seconds, ExcessSeconds float64
						}
					}
				}
			}
			reported := 6*86_400 + 40*20 + 20.0
			apptest.Await(s, "all is counted", func() bool {
				_, text := s.Send(http.MethodPost, "/graphql", client, `{"query":"{ usage(from: \"2026-01-01T00:00:00Z\", to: \"2035-01-01T00:00:00Z\") { total { plays seconds excessSeconds } } }"}`,
					"Content-Type", "application/json")
				return json.Unmarshal(text, &usage) == nil && usage.Data.Usage.Total.Seconds+usage.Data.Usage.Total.ExcessSeconds > reported-0.01
			})
			total := usage.Data.Usage.Total
			if total.Plays != 2 {
				t.Errorf("a page and an event of the client are %d plays", total.Plays)
			}
			if visited := total.Seconds - 20; visited <= 0 || visited > most {
				t.Errorf("a page that is open for %.1f s counts for %.3f s, of %+v", most/4, visited, total)
			}
			if total.Seconds+total.ExcessSeconds > reported+0.01 {
				t.Errorf("%.3f s count and %.3f s are excess, of %.0f s", total.Seconds, total.ExcessSeconds, reported)
			}
		})
	}
}
