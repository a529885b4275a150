package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/filmstrip/filmstrip/cache/redis"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
	"github.com/filmstrip/filmstrip/search/typesense"
	"github.com/filmstrip/filmstrip/store"
)

// parseSettings reads the flags of a server.
func parseSettings(t testing.TB, args ...string) (*Settings, error) {
	t.Helper()
	settings := &Settings{}
	_, err := apptest.Must(kong.New(settings))(t).Parse(args)
	return settings, err
}

// openWith opens a service with command-line settings, without a listener.
func openWith(t *testing.T, args ...string) *App {
	t.Helper()
	settings := apptest.Must(parseSettings(t, args...))(t)
	cleanUp := apptest.Must(settings.prepare())(t)
	t.Cleanup(cleanUp)
	s := apptest.Must(Open(t.Context(), settings, settings.logger(io.Discard)))(t)
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// send sends a request. header lists names and values in turn.
func send(s *App, method, path, body string, header ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			request.Host = header[i+1]
		}
	}
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, request)
	return recorder
}

func demoToken(s *App) (token string, status int) {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {demo.Account}, "client_secret": {demo.Secret}}
	got := send(s, "POST", "/v1/token", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
	var answer struct {
		Token string `json:"access_token"`
	}
	_ = json.Unmarshal(got.Body.Bytes(), &answer) // an error body has no token
	return answer.Token, got.Code
}

// TestBaseAddressSettings verifies that links start with --base-url. Without it, they start with an allowed host, as a
// trusted proxy forwards it.
func TestBaseAddressSettings(t *testing.T) {
	fixed := []string{"--demo", "--base-url=https://catalogue.example/"}
	open := []string{"--demo", "--trusted-proxies=192.0.2.0/24", "--allowed-hosts=api.example"} // httptest sends requests from this network
	closed := []string{"--demo", "--allowed-hosts=api.example"}
	forwarded := []string{"X-Forwarded-Proto", "https", "X-Forwarded-Host", "api.example"}
	for _, test := range []struct {
		name           string
		args, header   []string
		wantIndexStart string
	}{
		{"fixed", fixed, nil, "https://catalogue.example/v1/"},
		{"fixed, behind a proxy", fixed, forwarded, "https://catalogue.example/v1/"},
		{"a trusted proxy", open, forwarded, "https://api.example/v1/"},
		{"an untrusted proxy", closed, forwarded, "http://127.0.0.1:8080/v1/"},
		{"an allowed host", closed, []string{"Host", "api.example"}, "http://api.example/v1/"},
		{"loopback by name", closed, []string{"Host", "localhost:8080"}, "http://localhost:8080/v1/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := openWith(t, test.args...)
			token, _ := demoToken(s)
			got := send(s, "GET", "/v1/", "", append([]string{"Authorization", "Bearer " + token}, test.header...)...)
			var index struct {
				Links map[string]struct{ Href string } `json:"_links"`
			}
			if err := json.Unmarshal(got.Body.Bytes(), &index); err != nil || len(index.Links) == 0 {
				t.Fatalf("%d %s", got.Code, got.Body)
			}
			for rel, link := range index.Links {
				if !strings.HasPrefix(link.Href, test.wantIndexStart) {
					t.Errorf("%s leads to %s", rel, link.Href)
				}
			}
		})
	}
}

// TestDemoIsLockedOutsideTheDemo verifies that the demo's accounts, whose secret is public, work only in demo mode.
// They work again when the demo starts again.
func TestDemoIsLockedOutsideTheDemo(t *testing.T) {
	data := t.TempDir()
	for i, args := range [][]string{{"--demo"}, {}, {"--demo"}} {
		t.Run(fmt.Sprint(i, args), func(t *testing.T) {
			s := openWith(t, append(args, "--data="+data)...)
			want := http.StatusOK
			if len(args) == 0 {
				want = http.StatusUnauthorized
			}
			if _, status := demoToken(s); status != want {
				t.Errorf("the demo's client gets %d, not %d", status, want)
			}
		})
	}
}

// TestDemoBesideAService verifies that a process outside demo mode refuses the demo's clients even if another process
// serves the demo from the same store.
func TestDemoBesideAService(t *testing.T) {
	s := openWith(t, "--data="+t.TempDir())
	if err := demo.AddAccounts(t.Context(), s.stores.Accounts, "http://127.0.0.1:8080"); err != nil {
		t.Fatal(err)
	}
	if _, status := demoToken(s); status != http.StatusUnauthorized {
		t.Errorf("the demo's client gets %d", status)
	}
}

// TestStoppingEndsRequests verifies that the shutdown cancels requests that take longer than --shutdown-timeout, so
// that no engine that closes afterwards has to wait for them.
func TestStoppingEndsRequests(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	s := &App{handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(began)
		<-r.Context().Done()
		close(ended)
	})}
	listener := apptest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		if response, err := http.Get("http://" + listener.Addr().String()); err == nil {
			_ = response.Body.Close()
		}
	}()
	go func() { <-began; stop() }()
	settings := &Settings{RequestTimeout: time.Minute, ShutdownTimeout: 50 * time.Millisecond}
	if err := settings.listen(ctx, listener, s, nil, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("listen returned no error although a request was cut off")
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("the request was not cut off")
	}
}

// TestRefusedCredentials verifies that the state of an engine that refuses the credentials of this process says so, in
// contrast to an engine that does not answer, and shows neither secrets nor texts of the engine.
func TestRefusedCredentials(t *testing.T) {
	const secret = "a-secret"
	redisOf := func(scheme, address string) engineState {
		far := apptest.Must(redis.Open(t.Context(), redis.Options{URL: scheme + "://:" + secret + "@" + address, Namespace: "test"}))(t)
		defer func() { _ = far.Close() }()
		return (&App{indexes: &indexes{far: far}}).cacheState(t.Context())
	}
	redisState := func(address string) engineState { return redisOf("redis", address) }
	redisReplies := func(reply string) engineState {
		listener := apptest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer func() { _ = listener.Close() }()
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go func() {
					defer func() { _ = conn.Close() }()
					for lines := bufio.NewScanner(conn); lines.Scan(); {
						if strings.HasPrefix(lines.Text(), "*") { // a command
							fmt.Fprintf(conn, "-%s said Redis\r\n", reply)
						}
					}
				}()
			}
		}()
		return redisState(listener.Addr().String())
	}
	typesenseState := func(address string) engineState {
		index := apptest.Must(typesense.Open(t.Context(), typesense.Options{Addresses: []string{address}, Key: secret, Namespace: "test"}))(t)
		defer func() { _ = index.Close() }()
		_, err := index.Count(t.Context())
		return stateOf(engineTypesense, stateDegraded, err)
	}
	strange := httptest.NewTLSServer(http.NotFoundHandler())
	defer strange.Close()
	strange.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	for name, state := range map[string]engineState{
		"--cache-ca":  redisOf("rediss", strange.Listener.Addr().String()),
		"--search-ca": typesenseState(strange.URL),
	} {
		if state.Status != stateDegraded || !strings.Contains(state.Detail, "unknown authority") || !strings.Contains(state.Remedy, name) {
			t.Errorf("of a certificate that nobody trusts, the state is %+v", state)
		}
	}
	typesenseReplies := func(status int) engineState {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, `{"message": "said Typesense"}`)
		}))
		defer server.Close()
		return typesenseState(server.URL)
	}
	for name, test := range map[string]struct {
		state  engineState
		remedy string // "" if the engine does not answer
	}{
		"NOAUTH":       {redisReplies("NOAUTH"), "--cache"},
		"WRONGPASS":    {redisReplies("WRONGPASS"), "--cache"},
		"NOPERM":       {redisReplies("NOPERM"), "--cache"},
		"LOADING":      {redisReplies("LOADING"), ""},
		"no Redis":     {redisState("127.0.0.1:1"), ""},
		"401":          {typesenseReplies(http.StatusUnauthorized), "--search-key"},
		"403":          {typesenseReplies(http.StatusForbidden), "--search-key"},
		"503":          {typesenseReplies(http.StatusServiceUnavailable), ""},
		"no Typesense": {typesenseState("http://127.0.0.1:1"), ""},
	} {
		text := test.state.Detail + "; " + test.state.Remedy
		refused := strings.Contains(test.state.Detail, "refuses the credentials") && strings.Contains(test.state.Remedy, "restart this process") &&
			test.remedy != "" && strings.Contains(test.state.Remedy, test.remedy)
		away := strings.Contains(text, "it does not answer") && strings.Contains(text, "recovers on its own")
		if test.state.Status != stateDegraded || refused != (test.remedy != "") || away == refused {
			t.Errorf("%s: %+v", name, test.state)
		}
		if strings.Contains(text, secret) || strings.Contains(text, "said") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// TestHealth verifies that both probes need no token. If the catalogue cannot be read, the process is alive but not
// ready, and the error body names each engine. Without accounts, the process is degraded.
func TestHealth(t *testing.T) {
	s := openWith(t, "--demo")
	apptest.Await(t, "the index is complete", func() bool { return s.caughtUp(t.Context()) })
	for _, path := range []string{"/healthz", "/readyz"} {
		if got := send(s, "GET", path, ""); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), `"status":"up"`) {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
		if got := send(s, "HEAD", path, ""); got.Code != http.StatusOK {
			t.Errorf("HEAD %s: %d", path, got.Code)
		}
	}
	if err := s.stores.Accounts.Close(); err != nil {
		t.Fatal(err)
	}
	if got := send(s, "GET", "/readyz", ""); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), `"accounts":{"status":"degraded"`) {
		t.Errorf("without accounts: %d %s", got.Code, got.Body)
	}
	s.stores.Catalogue = awayHead{s.stores.Catalogue}
	got := send(s, "GET", "/readyz", "")
	var body struct {
		Status               int
		Error, Message, Path string
		Engines              map[string]engineState
	}
	if err := json.Unmarshal(got.Body.Bytes(), &body); err != nil {
		t.Fatal(err)
	}
	if got.Code != http.StatusServiceUnavailable || body.Status != got.Code || body.Error == "" || body.Message == "" || body.Path != "/readyz" ||
		body.Engines["accounts"].Status != "degraded" || body.Engines["store"].Status != "down" || body.Engines["search"].Lag == nil {
		t.Errorf("not ready: %d %s", got.Code, got.Body)
	}
	if got := send(s, "GET", "/healthz", ""); got.Code != http.StatusOK {
		t.Errorf("alive: %d %s", got.Code, got.Body)
	}
}

// awayHead is a catalogue that cannot be read.
type awayHead struct{ store.Catalogue }

func (awayHead) Head(context.Context) (store.Position, error) {
	return 0, fault.Errorf(fault.Unavailable, "away")
}

// TestAnotherHistoryIsNotReady verifies that a process is not ready after its store was restored while it ran.
func TestAnotherHistoryIsNotReady(t *testing.T) {
	s := openWith(t, "--demo")
	apptest.Await(t, "the index is complete", func() bool { return s.caughtUp(t.Context()) })
	if err := s.stores.History.RenewLineage(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := send(s, "GET", "/readyz", ""); got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "another history") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestReadinessIsAskedOnceForMany verifies that concurrent probes share one check of the engines.
func TestReadinessIsAskedOnceForMany(t *testing.T) {
	s := openWith(t, "--demo")
	slow := &slowHead{Catalogue: s.stores.Catalogue, release: make(chan struct{})}
	s.stores.Catalogue = slow
	var asking sync.WaitGroup
	for range 50 {
		asking.Go(func() { send(s, "GET", "/readyz", "") })
	}
	apptest.Await(t, "all probes wait", func() bool {
		stacks := make([]byte, 8<<20)
		return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), "singleflight.(*Group).Do(") == 50
	})
	close(slow.release)
	asking.Wait()
	if asked := slow.asked.Load(); asked != 1 {
		t.Errorf("the store is asked %d times for 50 callers", asked)
	}
}

// slowHead is a catalogue whose Head waits until the test releases it.
type slowHead struct {
	store.Catalogue
	asked   atomic.Int64
	release chan struct{}
}

func (c *slowHead) Head(ctx context.Context) (store.Position, error) {
	c.asked.Add(1)
	<-c.release
	return c.Catalogue.Head(ctx)
}

// TestRoutesThatNeedNoToken verifies which paths need no token.
func TestRoutesThatNeedNoToken(t *testing.T) {
	s := openWith(t, "--demo")
	for path, want := range map[string]int{
		"/healthz": 200, "/readyz": 0, "/.well-known/jwks.json": 200, "/v1/.well-known/jwks.json": 200, "/graphiql": 200, "/player/filmstrip-player.js": 200,
		"/watch/1001": 200, "/embed/1001": 403, "/embed/1001/token": 403,
		"/v1/token": 405, "/v1/streams/x/y/playlist.m3u8": 0, "/v1/media/bars/width/64/vid_slices/3/vid_slice/1": 200,
		"/": 401, "/v1/": 401, "/graphql": 426, "/v1/videos": 401, "/metrics": 401, "/debug/pprof/": 401, "/v1/streams": 401,
	} {
		got := send(s, "GET", path, "")
		if want != 0 && got.Code != want || want == 0 && got.Code == 401 {
			t.Errorf("%s: %d %.200s", path, got.Code, got.Body)
		}
	}
}

// TestStandbyNeedsPostgreSQL verifies that a server with SQLite refuses --require-synchronous-standby, because SQLite
// has no standby.
func TestStandbyNeedsPostgreSQL(t *testing.T) {
	settings := apptest.Must(parseSettings(t, "--demo", "--require-synchronous-standby"))(t)
	if _, err := settings.prepare(); err == nil || !strings.Contains(err.Error(), "requires PostgreSQL") {
		t.Errorf("got %v", err)
	}
}
