package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/testservers"
)

// TestDemoRejectsForeignHosts verifies that a page of a foreign site, whose name resolves to this machine, reaches no
// part of a demo, although it knows the public credentials: neither tokens nor pages, sockets or metrics.
func TestDemoRejectsForeignHosts(t *testing.T) {
	s := openWith(t, "--demo", "--allowed-hosts=lab.example", "--base-url=https://catalogue.example", "--trusted-proxies=192.0.2.0/24")
	routes := map[string]string{
		"/v1/token": "POST", "/v1/": "GET", "/v1/videos": "GET", "/v1/nothing": "GET", "/v1/authorize": "GET", "/v1/login": "POST",
		"/.well-known/openid-configuration": "GET", "/graphql": "GET", "/graphiql": "GET", "/openapi.json": "GET", "/v1/userinfo": "OPTIONS",
	}
	for path, method := range routes {
		for _, host := range []string{"evil.example", "evil.example:8080", "127.0.0.1.evil.example"} {
			got := send(s, method, path, "", "Host", host, "Origin", "http://"+host, "X-Forwarded-Host", "lab.example", "Upgrade", "websocket", "Connection", "Upgrade")
			var body struct {
				Status  int
				Message string
				Path    string
			}
			if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil || got.Code != http.StatusMisdirectedRequest || body.Status != got.Code || body.Path != path {
				t.Errorf("%s %s for %s: %d %s", method, path, host, got.Code, got.Body)
			}
			for _, part := range []string{host, "--allowed-hosts", "--base-url"} {
				if !strings.Contains(body.Message, part) {
					t.Errorf("%s %s for %s does not name %s: %s", method, path, host, part, body.Message)
				}
			}
		}
	}
	for _, host := range []string{"127.0.0.1:8080", "127.1.2.3", "[::1]:1", "localhost", "demo.localhost:8080", "lab.example:80", "catalogue.example"} {
		if got := send(s, "GET", "/.well-known/openid-configuration", "", "Host", host); got.Code != http.StatusOK {
			t.Errorf("for %s: %d %s", host, got.Code, got.Body)
		}
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := send(s, "GET", path, "", "Host", "10.1.2.3:8080"); got.Code == http.StatusMisdirectedRequest {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
}

// TestDemoMetricsRejectForeignHosts verifies that the metrics of a demo reject foreign hosts, because DNS rebinding
// reaches loopback addresses.
func TestDemoMetricsRejectForeignHosts(t *testing.T) {
	s := openWith(t, "--demo")
	addr := testservers.FreeAddress(t)
	if err := s.serveMetrics(addr, apptest.Must(parseSettings(t, "--demo"))(t).localHosts()); err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]int{addr: http.StatusOK, "evil.example": http.StatusMisdirectedRequest} {
		request := apptest.Must(http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+"/metrics", nil))(t)
		request.Host = host
		response := apptest.Must(http.DefaultClient.Do(request))(t)
		_ = response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("for %s: %s", host, response.Status)
		}
	}
}

// TestUnknownHostsOutsideTheDemo verifies that a server without --base-url answers requests for any host, but that no
// link, issuer or redirect in a response leads to a host that a request invented.
func TestUnknownHostsOutsideTheDemo(t *testing.T) {
	s := openWith(t, "--data="+t.TempDir(), "--anonymous=playback")
	for _, path := range []string{"/v1/", "/.well-known/openid-configuration", "/v1/authorize?client_id=none", "/openapi.json", "/v1/logout"} {
		for _, header := range [][]string{{"Host", "evil.example"}, {"X-Forwarded-Host", "evil.example"}} {
			got := send(s, "GET", path, "", header...)
			if text := fmt.Sprint(got.Header(), got.Body); got.Code == http.StatusMisdirectedRequest || strings.Contains(text, "evil.example") {
				t.Errorf("%s with %v: %d %s", path, header, got.Code, text)
			}
		}
	}
}
