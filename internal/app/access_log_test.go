package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/demo"
)

// TestAccessLog verifies which requests are logged, with which fields, and that a line has no secret.
func TestAccessLog(t *testing.T) {
	for _, test := range []struct {
		args   []string
		lines  []string // status and path
		fields string
	}{
		{nil, nil, ""},
		{[]string{"--access-log=errors"}, []string{"401 /v1/videos", "401 /v1/token"}, ""},
		{[]string{"--access-log=all"}, []string{"200 /v1/token", "200 /v1/videos", "200 /v1/streams/*", "401 /v1/videos", "401 /v1/token"}, ""},
		{[]string{"--access-log=all", "--keep-addresses=1h"}, []string{"200 /v1/token", "200 /v1/videos", "200 /v1/streams/*", "401 /v1/videos", "401 /v1/token"}, "192.0.2.1"},
	} {
		p := admitDemo(t, append(test.args, "--log-format=json")...)
		var page struct {
			Embedded struct {
				Videos []struct {
					Playback struct {
						Links struct{ HlsStream struct{ Href string } } `json:"_links"`
					}
				}
			} `json:"_embedded"`
		}
		if err := json.Unmarshal(p.want(http.StatusOK, p.get("/v1/videos?size=1&query=secret-question+ice")).Body, &page); err != nil || len(page.Embedded.Videos) == 0 {
			t.Fatalf("no video is found (%v)", err)
		}
		_, stream, _ := strings.Cut(page.Embedded.Videos[0].Playback.Links.HlsStream.Href, "/v1/streams/")
		p.want(http.StatusOK, p.get("/v1/streams/"+stream))
		p.want(http.StatusUnauthorized, p.request("GET", "/v1/videos?access_token=secret-token", "", "User-Agent", strings.Repeat("x", 300)))
		p.want(http.StatusUnauthorized, p.request("POST", "/v1/token", "grant_type=client_credentials&client_id=demo&client_secret=secret-guess", "Content-Type", "application/x-www-form-urlencoded"))

		var lines []string
		for line := range strings.Lines(p.log.String()) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			if fields["msg"] != "request" {
				continue
			}
			path, _ := fields["path"].(string)
			lines = append(lines, strings.TrimSuffix(strings.Join([]string{jsonNumber(fields["status"]), path}, " "), " "))
			if fields["method"] == "" || fields["trace"] == nil || fields["duration"] == nil || fields["bytes"] == nil {
				t.Errorf("a line lacks a field: %s", line)
			}
			if path == "/v1/videos" && fields["status"] == 200.0 && (fields["account"] != demo.OperatorAccount || fields["client"] != demo.OperatorAccount) {
				t.Errorf("a line does not name the caller: %s", line)
			}
			if agent, _ := fields["agent"].(string); len(agent) > 200 {
				t.Errorf("a line has a user agent of %d bytes", len(agent))
			}
			if address, _ := fields["address"].(string); address != test.fields {
				t.Errorf("%q: the address is %q, want %q", test.args, address, test.fields)
			}
		}
		if strings.Join(lines, ", ") != strings.Join(test.lines, ", ") {
			t.Errorf("%q: the lines are %q, want %q", test.args, lines, test.lines)
		}
		signature, _, _ := strings.Cut(stream, "/")
		for _, secret := range []string{"secret-", p.token, signature} {
			if strings.Contains(p.log.String(), secret) {
				t.Errorf("%q: the log contains %q", test.args, secret)
			}
		}
	}
}

func jsonNumber(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}
