package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/filmstrip/filmstrip/internal/apptest"
	"github.com/filmstrip/filmstrip/internal/demo"
)

// warmDemo is a running demo service without a listener.
type warmDemo struct {
	testing.TB
	handler http.Handler
	service *App
	token   string
}

func startDemo(t testing.TB) *warmDemo {
	t.Helper()
	settings := &Settings{
		Demo: true, Addr: "127.0.0.1:8080", Data: t.TempDir(), RequestTimeout: time.Minute, Compression: true,
		CacheMemory: 256, AnswerMemory: 64, PageMemory: 128, AccessTokenLifetime: time.Hour, RefreshTokenLifetime: 2 * time.Hour,
		GraphQLDepth: 12, GraphQLCost: 40_000, LogLevel: "error",
		LimitSettings: LimitSettings{ClientRate: 1 << 40, UnauthorizedRate: 600}, // counted, but never reached
	}
	ctx := context.Background()
	service, err := Open(ctx, settings, settings.logger(io.Discard))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := service.close(); err != nil {
			t.Error(err)
		}
	})
	if err := demo.FillCatalogue(ctx, service.catalogue); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "everything can be searched for", func() bool { return service.caughtUp(ctx) })
	d := &warmDemo{TB: t, handler: service.handler, service: service}
	d.token = d.logIn(demo.Account)
	return d
}

func (d *warmDemo) logIn(client string) string {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "client_secret": {demo.Secret}}
	request := httptest.NewRequest("POST", "http://127.0.0.1:8080/v1/token", strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, request)
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || answer.Token == "" {
		d.Fatalf("token: %s", recorder.Body)
	}
	return answer.Token
}

func (d *warmDemo) get(path string) *httptest.ResponseRecorder {
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, d.request(path))
	return recorder
}

func (d *warmDemo) request(path string) *http.Request {
	request := httptest.NewRequest("GET", "http://127.0.0.1:8080"+path, nil)
	request.Header.Set("Authorization", "Bearer "+d.token)
	return request
}

// void is a ResponseWriter that discards the response.
type void struct {
	header http.Header
	n      int
}

func (v *void) Header() http.Header { return v.header }

func (v *void) WriteHeader(int) {}

func (v *void) Write(b []byte) (int, error) {
	v.n += len(b)
	return len(b), nil
}

func (d *warmDemo) anyVideo() string {
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
	}
	if err := json.Unmarshal(d.get("/v1/videos?size=1").Body.Bytes(), &page); err != nil || len(page.Embedded.Videos) == 0 {
		d.Fatalf("no video: %v", err)
	}
	return page.Embedded.Videos[0].ID
}

// BenchmarkWarm measures the cost of a request within the process when the caches contain everything.
func BenchmarkWarm(b *testing.B) {
	d := startDemo(b)
	for name, path := range map[string]string{
		"video":  "/v1/videos/" + d.anyVideo(),
		"search": "/v1/videos?size=100&include_channel_facets=true",
		"feed":   "/v1/feed/videos",
	} {
		b.Run(name, func(b *testing.B) {
			request := d.request(path)
			w := &void{header: http.Header{}}
			d.handler.ServeHTTP(w, request)
			b.SetBytes(int64(w.n))
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				d.handler.ServeHTTP(w, request)
			}
		})
	}
}

// measuredCollections is the path that lists the collections of putCollections.
const measuredCollections = "/v1/collections?query=measured&size=30"

// putCollections creates n collections of ten videos each, and waits until searches find all of them.
func (d *warmDemo) putCollections(n int) {
	var page struct {
		Embedded struct{ Videos []struct{ ID string } } `json:"_embedded"`
	}
	if err := json.Unmarshal(d.get("/v1/videos?size=100").Body.Bytes(), &page); err != nil || len(page.Embedded.Videos) < 100 {
		d.Fatalf("%d videos: %v", len(page.Embedded.Videos), err)
	}
	operator := d.logIn(demo.OperatorAccount)
	for i := range n {
		var ids []string
		for k := range 10 {
			ids = append(ids, page.Embedded.Videos[(7*i+k)%100].ID)
		}
		body, err := json.Marshal(map[string]any{"title": fmt.Sprintf("Measured %d", i), "videos": ids, "discoverable": true})
		if err != nil {
			d.Fatal(err)
		}
		request := httptest.NewRequest("POST", "http://127.0.0.1:8080/v1/collections", bytes.NewReader(body))
		request.Header.Set("Authorization", "Bearer "+operator)
		request.Header.Set("Content-Type", "application/json")
		recorder := httptest.NewRecorder()
		if d.handler.ServeHTTP(recorder, request); recorder.Code != http.StatusCreated {
			d.Fatalf("%d %s", recorder.Code, recorder.Body)
		}
	}
	apptest.Await(d, "the collections are found", func() bool {
		var found struct {
			Page struct{ TotalElements int }
		}
		return json.Unmarshal(d.get(measuredCollections).Body.Bytes(), &found) == nil && found.Page.TotalElements == n
	})
}

// BenchmarkLists measures the cost of the index's lists when the caches contain everything, and the 99th percentile of
// their duration (p99-ns).
func BenchmarkLists(b *testing.B) {
	d := startDemo(b)
	d.putCollections(30)
	for name, path := range map[string]string{
		"subjects": "/v1/subjects?visibility=all", "disciplines": "/v1/disciplines?visibility=all", "tags": "/v1/tags",
		"channels": "/v1/channels", "video types": "/v1/video-types", "education levels": "/v1/education-levels",
		"content categories": "/v1/content-categories", "legal restrictions": "/v1/contract-legal-restrictions",
		"NGSS codes": "/v1/curriculum/ngss/codes", "NGSS grades": "/v1/curriculum/ngss/grades",
		"alignment providers": "/v1/alignments/providers", "themes": "/v1/alignments/themes", "countries": "/v1/countries",
		"collections": measuredCollections + "&projection=list", "collections with details": measuredCollections + "&projection=details",
	} {
		b.Run(name, func(b *testing.B) {
			request := d.request(path)
			w := &void{header: http.Header{}}
			d.handler.ServeHTTP(w, request)
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				clear(w.header)
				began := time.Now()
				d.handler.ServeHTTP(w, request)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)*99/100]), "p99-ns")
		})
	}
}
