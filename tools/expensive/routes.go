package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/filmstrip/filmstrip/tools/internal/program"
)

// request is a request as it is sent to the server.
type request struct {
	method, path, contentType string
	body                      []byte
	signedIn                  bool
}

func (c request) String() string {
	who := "nobody"
	if c.signedIn {
		who = "a token"
	}
	return fmt.Sprintf("%s %.200s (%d characters) with %s, %d bytes: %.300s", c.method, c.path, len(c.path), who, len(c.body), c.body)
}

// candidate is a request that can be mutated and made concrete with other values of the same kinds.
type candidate interface {
	mutate(r *rand.Rand) candidate
	instantiate(r *rand.Rand, p *pools) request
	// place names the route, or the root fields.
	endpoint() string
}

// route is an endpoint of the OpenAPI document.
type route struct {
	method, path string
	parameters   []parameter
}

type parameter struct {
	Name   string
	In     string
	Schema schema
}

type schema struct {
	Type             string
	Format           string
	Enum             []any
	Minimum, Maximum *float64
	Items            *schema
}

// routesOf reads the OpenAPI document, without endpoints that change state, except those of events.
func routesOf(s *program.Server) ([]route, error) {
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := get(s, "/openapi.json", &document); err != nil {
		return nil, err
	}
	var routes []route
	for path, methods := range document.Paths {
		for method, text := range methods {
			var operation struct{ Parameters []parameter }
			if err := json.Unmarshal(text, &operation); err != nil || method == "delete" || method == "put" || method == "patch" {
				continue
			}
			routes = append(routes, route{strings.ToUpper(method), path, operation.Parameters})
		}
	}
	for _, path := range []string{
		"/v1/media/pattern/width/{width}/vid_slices/{count}", "/v1/media/bars/width/{width}/vid_slices/{count}/vid_slice/0",
		"/openapi.json", "/openapi-3.0.json", "/docs", "/docs/quickstart", "/docs?q=water", "/docs/reference", "/graphiql", "/explorer", "/", "/healthz", "/readyz", "/.well-known/openid-configuration",
		"/v1/.well-known/jwks.json", "/embed/{id}", "/watch/{id}", "/player/filmstrip-player.js", "/v1/streams/{id}/{id}/playlist.m3u8",
	} {
		routes = append(routes, route{method: "GET", path: path})
	}
	slices.SortFunc(routes, func(a, b route) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	return routes, nil
}

// routeRequest is a request to a route. It records the parameters of the request and their forms.
type routeRequest struct {
	route    *route
	given    []choice
	path     choice // of the variables in the path
	body     int    // the kind
	size     int
	signedIn bool
}

// choice is the form of a parameter.
type choice struct {
	parameter int
	kind      int
	size      int
	count     int
}

func newChoice(r *rand.Rand, parameter int) choice {
	return choice{parameter: parameter, kind: r.IntN(1 << 20), size: r.IntN(1 << 20), count: counts[r.IntN(len(counts))]}
}

func newRouteRequest(r *rand.Rand, routes []route) candidate {
	chosen := &routes[r.IntN(len(routes))]
	for range 2 { // routes with many parameters have more to try
		if other := &routes[r.IntN(len(routes))]; len(other.parameters) > len(chosen.parameters) && r.IntN(2) == 0 {
			chosen = other
		}
	}
	a := &routeRequest{route: chosen, path: newChoice(r, 0), body: r.IntN(1 << 20), size: r.IntN(1 << 20), signedIn: r.IntN(4) > 0}
	for i := range a.route.parameters {
		if r.IntN(3) == 0 {
			a.given = append(a.given, newChoice(r, i))
		}
	}
	return a
}

func (a *routeRequest) endpoint() string { return a.route.method + a.route.path }

func (a *routeRequest) mutate(r *rand.Rand) candidate {
	b := *a
	b.given = slices.Clone(a.given)
	for range 1 + r.IntN(3) {
		switch n := r.IntN(8); {
		case n < 3 && len(a.route.parameters) > 0:
			b.given = append(b.given, newChoice(r, r.IntN(len(a.route.parameters))))
		case n == 3 && len(b.given) > 0:
			i := r.IntN(len(b.given))
			b.given = slices.Delete(b.given, i, i+1)
		case n < 7 && len(b.given) > 0:
			i := r.IntN(len(b.given))
			b.given[i] = newChoice(r, b.given[i].parameter)
		default:
			b.path, b.body, b.size = newChoice(r, 0), r.IntN(1<<20), r.IntN(1<<20)
		}
	}
	return &b
}

func (a *routeRequest) instantiate(r *rand.Rand, p *pools) request {
	path := a.route.path
	for {
		before, rest, found := strings.Cut(path, "{")
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, "}")
		value := p.text(r, []int{someName, someName, someID, longWord}[a.path.kind%4], a.path.size, name+" "+a.route.path)
		if name == "width" || name == "count" {
			value = strconv.Itoa(1 + r.IntN(map[string]int{"width": 1920, "count": 50}[name]))
		}
		path = before + url.PathEscape(value) + after
	}
	query := url.Values{}
	for _, given := range a.given {
		known := &a.route.parameters[given.parameter]
		if known.In != "query" || len(query) > 40 {
			continue
		}
		one := &known.Schema
		many := 1
		if one.Items != nil {
			one, many = one.Items, given.count
		}
		query.Del(known.Name)
		var values []string
		if many > 2 && given.kind%8 > 0 { // otherwise the URL soon becomes too long
			given.kind = someName + given.kind%2*(someID-someName)
		}
		for range many {
			values = append(values, one.value(r, p, known.Name, given))
		}
		query.Set(known.Name, strings.Join(values, ","))
	}
	made := request{method: a.route.method, path: path, signedIn: a.signedIn}
	if len(query) > 0 {
		made.path += "?" + query.Encode()
	}
	if made.method == "POST" {
		made.contentType, made.body = bodyFor(r, p, a.route.path, a.body, a.size)
	}
	return made
}

// value returns a value of a schema.
func (s *schema) value(r *rand.Rand, p *pools, name string, given choice) string {
	switch {
	case len(s.Enum) > 0:
		return fmt.Sprint(s.Enum[r.IntN(len(s.Enum))])
	case s.Type == "integer" || s.Type == "number":
		lowest, highest := 0.0, 10_000.0
		if s.Minimum != nil {
			lowest = *s.Minimum
		}
		if s.Maximum != nil {
			highest = *s.Maximum
		}
		n := [...]float64{lowest, highest, highest, (lowest + highest) / 2}[given.kind%4]
		if name == "page" {
			n = float64(r.IntN(100))
		}
		if s.Type == "integer" {
			return strconv.Itoa(int(n))
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	case s.Type == "boolean":
		return strconv.FormatBool(given.kind%3 > 0)
	case strings.Contains(name, "date") || strings.Contains(name, "updated_as_of"):
		return fmt.Sprintf("20%02d-0%d-1%d", 10+r.IntN(16), 1+r.IntN(9), r.IntN(10))
	case strings.Contains(name, "duration"):
		return fmt.Sprintf("PT%dM-PT%dM", r.IntN(20), 20+r.IntN(100))
	case strings.Contains(name, "age_range"):
		return fmt.Sprintf("%d-%d", r.IntN(8), 8+r.IntN(10))
	case strings.Contains(name, "language"):
		return []string{"eng", "spa", "fra", "deu", "und"}[r.IntN(5)]
	case name == "sort_by" || name == "projection" || name == "countryCode":
		return []string{"TITLE", "RELEASE_DATE", "details", "USA", "NAME_DESC"}[r.IntN(5)]
	}
	return p.text(r, given.kind, given.size, name)
}

// bodyFor returns a body: a list of video IDs, a list of events, a form, or a deeply nested or long value.
func bodyFor(r *rand.Rand, p *pools, path string, kind, size int) (contentType string, body []byte) {
	if strings.HasSuffix(path, "/token") || strings.HasSuffix(path, "/authorize") {
		form := url.Values{"grant_type": {[]string{"client_credentials", "refresh_token", "authorization_code", "password"}[kind%4]},
			"client_id": {"demo"}, "client_secret": {p.text(r, kind, size, "")}, "refresh_token": {p.text(r, kind/7, size, "")}}
		return "application/x-www-form-urlencoded", []byte(form.Encode())
	}
	n := []int{1, 10, 100, 500, 1000}[size%5]
	video := func() string { return p.text(r, someName, 0, "video") }
	switch kind % 6 {
	case 0, 1:
		ids := make([]string, n)
		for i := range ids {
			ids[i] = video()
		}
		body, _ = json.Marshal(map[string]any{"ids": ids, "searchTerm": p.text(r, someWords, size, "")})
	case 2, 3:
		events := make([]map[string]any, n)
		for i := range events {
			events[i] = map[string]any{"videoId": video(), "segmentStartSeconds": 1, "segmentEndSeconds": 20, "captureTime": "2026-01-01T00:00:00Z", "videoIndex": i}
		}
		body, _ = json.Marshal(map[string]any{"events": events})
	case 4:
		depth := 1 + size%200_000
		body = []byte(strings.Repeat(`{"ids":[`, depth) + strings.Repeat("]}", depth))
	default:
		body = []byte(`{"videoId":"` + strings.Repeat("x", size) + `","ids":["` + video() + `"]}`)
	}
	return "application/json", body
}
