package embeds_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestEmbedsEndWithTheirCreator verifies that the page and all tokens of an embed end within a second after its client,
// or the user for whom the client created it, is disabled or deleted, unless the account takes over the user's embeds.
func TestEmbedsEndWithTheirCreator(t *testing.T) {
	data := t.TempDir()
	s := apptest.Start(t, "--demo", "--data", data)
	s.LogIn(demo.Account, demo.Secret)
	video := lastPathElement(s.ShortVideo())
	mine := s.CreateEmbed(video).URL
	s.Token = s.Access(demo.Account, demo.Secret, "Service-User-Id", "ada")
	ada := apptest.Subject(t, s.Token)
	hers := s.CreateEmbed(video).URL
	run := func(args ...string) string { t.Helper(); return apptest.Succeed(t, append(args, "--data", data)...) }
	var second struct{ Secret string }
	if err := json.Unmarshal([]byte(run("clients", "create", "second", "--account", demo.Account, "--json")), &second); err != nil {
		t.Fatal(err)
	}
	ofSecond := s.Access("second", second.Secret)

	page := func(address string) int {
		response, _ := s.Send(http.MethodGet, strings.TrimPrefix(address, s.Base), "", "")
		return response.StatusCode
	}
	reads := func(token string) int { return s.Status("/v1/videos/"+video, token) }
	posts := func(token string) int {
		response, _ := s.Send(http.MethodPost, "/v1/events/playback", token, playedBy("", video, 0, 1), "Content-Type", "application/json")
		return response.StatusCode
	}
	// soon wants a status within a second, plus the delays of a busy machine.
	soon := func(what string, want int, get func() int) {
		t.Helper()
		if got := 0; !apptest.Within(apptest.LearnTime, func() bool { got = get(); return got == want }) {
			t.Fatalf("%s: %d, want %d", what, got, want)
		}
	}
	token, renew := openFrame(s, hers)
	own, _ := openFrame(s, mine)
	if got := []int{page(hers), page(mine), reads(token), posts(token), reads(own)}; got[0] != 200 || got[1] != 200 || got[2] != 200 || got[3] != 201 || got[4] != 200 {
		t.Fatalf("at first: %v", got)
	}

	run("users", "update", ada, "--disabled")
	soon("the page of a disabled user", http.StatusForbidden, func() int { return page(hers) })
	soon("the token of that page", http.StatusUnauthorized, func() int { return reads(token) })
	soon("events with it", http.StatusUnauthorized, func() int { return posts(token) })
	if response, _ := s.Send(http.MethodGet, renew, "", ""); response.StatusCode != http.StatusForbidden {
		t.Errorf("its next token: %s", response.Status)
	}
	if got := []int{page(mine), reads(own)}; got[0] != 200 || got[1] != 200 {
		t.Errorf("the client's own embed: %v", got)
	}

	run("accounts", "update", demo.Account, "--embeds-taken-over", ada)
	soon("the page after the account has taken it over", http.StatusOK, func() int { return page(hers) })
	soon("the token of before", http.StatusOK, func() int { return reads(token) })
	again, _ := openFrame(s, hers)
	if got := []int{reads(again), posts(again)}; got[0] != 200 || got[1] != 201 {
		t.Errorf("a token issued afterwards: %v", got)
	}

	run("users", "delete", ada)
	run("clients", "update", "second", "--disabled")
	soon("a change after the deletion", http.StatusUnauthorized, func() int { return reads(ofSecond) })
	if got := []int{page(hers), reads(again)}; got[0] != 200 || got[1] != 200 {
		t.Errorf("the user is deleted, the account has taken it over: %v", got)
	}
	run("accounts", "update", demo.Account, "--clear", "embedsTakenOver")
	soon("the account gives it back", http.StatusForbidden, func() int { return page(hers) })
	soon("the token of a deleted user", http.StatusUnauthorized, func() int { return reads(again) })

	run("clients", "update", demo.Account, "--disabled")
	soon("the page of a client that is disabled", http.StatusForbidden, func() int { return page(mine) })
	soon("its token", http.StatusUnauthorized, func() int { return reads(own) })
}
