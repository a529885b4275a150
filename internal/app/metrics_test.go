package app

import (
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestMetrics verifies that the metrics are served at their own address only.
func TestMetrics(t *testing.T) {
	s := openWith(t, "--demo")
	addr := testservers.FreeAddress(t)
	if err := s.serveMetrics(addr, nil); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "everything can be searched for", func() bool { return s.caughtUp(t.Context()) })
	token, _ := demoToken(s)
	for range 2 {
		for _, path := range []string{"/v1/videos?query=water", "/v1/feed/videos?size=5", "/v1/nothing"} {
			send(s, "GET", path, "", "Authorization", "Bearer "+token)
		}
	}
	response := apptest.Must(http.Get("http://" + addr + "/metrics"))(t)
	defer response.Body.Close()
	text := string(apptest.Must(io.ReadAll(response.Body))(t))
	for _, line := range []string{
		`filmstrip_http_requests_total\{method="GET",route="/v1/videos",status="200"\} 2`,
		`filmstrip_http_requests_total\{method="GET",route="other",status="404"\} 2`,
		`filmstrip_engine_calls_total\{engine="sqlite",operation="feed",outcome="ok",port="store"\} 1`,
		`filmstrip_cache_lookups_total\{kind="answers",result="hit"\} [1-9]`,
		`filmstrip_cache_lookups_total\{kind="feed",result="hit"\} 1`,
		`filmstrip_cache_lookups_total\{kind="pages",result="hit"\} [1-9]`,
		`filmstrip_engine_state\{engine="search",state="up"\} 1`,
		`filmstrip_outbox_lag_changes 0`,
		`filmstrip_limit_refusals_total\{limit="client"\} 0`,
		`filmstrip_build_info\{.*store="sqlite".*\} 1`,
	} {
		if !regexp.MustCompile(`(?m)^` + line).MatchString(text) {
			name, _, _ := strings.Cut(line, `\{`)
			t.Errorf("no line %s among\n%s", line, strings.Join(regexp.MustCompile(`(?m)^`+name+`.*$`).FindAllString(text, 20), "\n"))
		}
	}
	if strings.Contains(text, token) || strings.Contains(text, "/v1/nothing") {
		t.Error("the metrics contain input of a caller")
	}
	if err := (&App{telemetry: s.telemetry, logger: slog.New(slog.DiscardHandler)}).serveMetrics(addr, nil); err == nil {
		t.Error("a second listener on the same address")
	}
}
