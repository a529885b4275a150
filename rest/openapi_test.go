package rest_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest"
	"github.com/filmstrip/filmstrip/rest/hal"
)

// described is the OpenAPI document of the service, against which tests check answers.
type described struct {
	document map[string]any
	compiler *jsonschema.Compiler
	mutex    sync.Mutex
	compiled map[string]*jsonschema.Schema // guarded by mutex
}

// inForce returns the OpenAPI document as clients read it: objects may have additional members.
var inForce = sync.OnceValue(func() *described { return newDescribed(false) })

// newDescribed reads the OpenAPI document. If closed is true, objects must not have members that the document does not
// describe.
func newDescribed(closed bool) *described {
	text := must(rest.OpenAPI(base, false, false))
	document := must(jsonschema.UnmarshalJSON(bytes.NewReader(text))).(map[string]any)
	closeLinks(document["components"])
	if closed {
		closeObjects(document["components"])
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	compiler.UseRegexpEngine(ecmaRegexp)
	check(compiler.AddResource("openapi.json", document))
	return &described{document: document, compiler: compiler, compiled: map[string]*jsonschema.Schema{}}
}

var escapedRune = regexp.MustCompile(`\\u([0-9a-f]{4})`)

// ecmaRegexp compiles a regular expression of ECMA-262, which JSON Schema uses, as far as the document needs it.
func ecmaRegexp(pattern string) (jsonschema.Regexp, error) {
	return regexp.Compile(escapedRune.ReplaceAllString(pattern, `\x{$1}`))
}

// closeLinks forbids links that the document does not describe.
func closeLinks(part any) {
	object, _ := part.(map[string]any)
	for name, inner := range object {
		if links, ok := inner.(map[string]any); ok && name == "_links" {
			links["additionalProperties"] = false
		}
		closeLinks(inner)
	}
}

// closeObjects forbids object members that the document does not describe.
func closeObjects(part any) {
	switch part := part.(type) {
	case map[string]any:
		if part["properties"] != nil && part["additionalProperties"] == nil {
			part["additionalProperties"] = false
		}
		for _, inner := range part {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range part {
			closeObjects(inner)
		}
	}
}

// at returns the part of the document at a path of names, or nil.
func (d *described) at(names ...string) map[string]any {
	part := d.document
	for _, name := range names {
		part, _ = part[name].(map[string]any)
	}
	return part
}

// pathOf returns the described path that matches a request's path, or "". A literal match takes precedence over a
// template.
func (d *described) pathOf(path string) string {
	path = strings.TrimSuffix(path, "/") // which the index may have
	if d.at("paths", path) != nil {
		return path
	}
	segments := strings.Split(path, "/")
	var found string
	for template := range d.at("paths") {
		matches := slices.EqualFunc(strings.Split(template, "/"), segments, func(described, segment string) bool {
			return described == segment || strings.HasPrefix(described, "{") && segment != ""
		})
		if matches && (found == "" || strings.Count(template, "{") < strings.Count(found, "{")) {
			found = template
		}
	}
	return found
}

// check checks an answer against the document. It ignores operations that the document does not describe.
func (d *described) check(t testing.TB, method, address string, status int, header http.Header, body []byte) {
	t.Helper()
	path, _, _ := strings.Cut(address, "?")
	template := d.pathOf(path)
	operation := d.at("paths", template, strings.ToLower(method))
	if operation == nil {
		return
	}
	answer, pointer := d.answer(template, strings.ToLower(method), strconv.Itoa(status))
	if answer == nil {
		t.Errorf("%s %s is answered %d, which is not described", method, address, status)
		return
	}
	d.checkHeaders(t, method+" "+address, answer, header)
	content, _ := answer["content"].(map[string]any)
	mediaType := header.Get("Content-Type")
	switch {
	case content == nil && len(body) > 0:
		t.Errorf("%s %s: status %d has a body, which is not described", method, address, status)
	case content == nil:
	case content[mediaType] == nil:
		t.Errorf("%s %s: status %d has the content type %q, which is not described", method, address, status, mediaType)
	case strings.HasSuffix(mediaType, "json") && header.Get("Content-Encoding") == "":
		d.checkBody(t, method+" "+address, pointer+"/content/"+strings.ReplaceAll(mediaType, "/", "~1")+"/schema", body)
	}
}

// answer returns the description of a status, and its JSON pointer.
func (d *described) answer(template, method, status string) (answer map[string]any, pointer string) {
	answer = d.at("paths", template, method, "responses", status)
	pointer = "#/paths/" + strings.ReplaceAll(template, "/", "~1") + "/" + method + "/responses/" + status
	if target, ok := answer["$ref"].(string); ok {
		return d.at(strings.Split(strings.TrimPrefix(target, "#/"), "/")...), target
	}
	return answer, pointer
}

func (d *described) checkHeaders(t testing.TB, request string, answer map[string]any, header http.Header) {
	t.Helper()
	headers, _ := answer["headers"].(map[string]any)
	for name := range headers {
		if required := d.at("components", "headers", name)["required"]; required == true && header.Get(name) == "" {
			t.Errorf("%s: the answer lacks the header %s", request, name)
		}
	}
}

func (d *described) checkBody(t testing.TB, request, pointer string, body []byte) {
	t.Helper()
	schema, err := d.schema(pointer)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		t.Errorf("%s: %v", request, err)
	}
}

func (d *described) schema(pointer string) (*jsonschema.Schema, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if schema := d.compiled[pointer]; schema != nil {
		return schema, nil
	}
	schema, err := d.compiler.Compile("openapi.json" + pointer)
	d.compiled[pointer] = schema
	return schema, err
}

// TestOpenAPIAndRoutes proves that the document describes each route with all its parameters, and otherwise only the
// other mounts.
func TestOpenAPIAndRoutes(t *testing.T) {
	d := newDescribed(false)
	hidden := []string{"cursor_id", "human-generated"} // in no template
	known := map[string]bool{}
	for _, mount := range []string{
		"post /v1/token", "get /v1/authorize", "post /v1/authorize", "post /v1/revoke", "post /v1/introspect", "get /v1/userinfo", "post /v1/userinfo",
		"get /v1/logout", "post /v1/logout", "get /.well-known/openid-configuration", "get /.well-known/jwks.json",
	} {
		known[mount] = true
	}
	for _, route := range rest.Routes() {
		route.Path = strings.TrimSuffix(route.Path, "/") // the index is described once
		method := strings.ToLower(route.Method)
		known[method+" "+route.Path] = true
		operation := d.at("paths", route.Path, method)
		if operation == nil {
			t.Errorf("%s %s is not described", route.Method, route.Path)
			continue
		}
		var names []string
		for _, one := range operation["parameters"].([]any) {
			parameter := one.(map[string]any)
			if name, _ := parameter["name"].(string); parameter["in"] == "query" && !slices.Contains(hidden, name) {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, route.Parameters) {
			t.Errorf("%s %s reads %v, described are %v", route.Method, route.Path, route.Parameters, names)
		}
	}
	for path := range d.at("paths") {
		for method := range d.at("paths", path) {
			if !known[method+" "+path] {
				t.Errorf("%s %s is described, and there is no such route", method, path)
			}
		}
	}
}

// TestGoldenDocumentsAreDescribed checks every golden document against the OpenAPI document, which must describe every
// member.
func TestGoldenDocumentsAreDescribed(t *testing.T) {
	d := newDescribed(true)
	files := must(filepath.Glob(filepath.Join("testdata", "golden", "*.golden")))
	if len(files) < 90 {
		t.Fatalf("only %d golden documents", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".golden"), func(t *testing.T) {
			one := readGolden(t, file)
			d.check(t, one.method, one.path, one.status, one.header, one.body)
		})
	}
}

// goldenAnswer is a parsed golden document.
type goldenAnswer struct {
	method, path string
	request      string // the body of the request, or ""
	status       int
	header       http.Header
	body         []byte
}

func readGolden(t *testing.T, file string) goldenAnswer {
	t.Helper()
	text := string(must(os.ReadFile(file)))
	text = strings.ReplaceAll(text, `"timestamp": "-"`, `"timestamp": "2026-03-04T05:06:07.000000Z"`)
	request, rest, _ := strings.Cut(text, "\n")
	asked, rest, _ := strings.Cut(rest, "\n\n")
	head, body, _ := strings.Cut(rest, "\n\n")
	lines := strings.Split(head, "\n")
	one := goldenAnswer{header: http.Header{}, body: bytes.TrimSpace([]byte(body))}
	_, one.request, _ = strings.Cut(asked, "\nwith ")
	one.method, one.path, _ = strings.Cut(request, " ")
	one.status = must(strconv.Atoi(strings.Fields(lines[0])[0]))
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		one.header.Set(name, value)
	}
	return one
}

// TestDescriptionCheckFindsDeviations proves that the check detects deviations from the document.
func TestDescriptionCheckFindsDeviations(t *testing.T) {
	d := newDescribed(true)
	video := readGolden(t, filepath.Join("testdata", "golden", "video-full.golden"))
	plain := func(change func(*goldenAnswer)) goldenAnswer {
		changed := video
		changed.header = video.header.Clone()
		change(&changed)
		return changed
	}
	for name, one := range map[string]goldenAnswer{
		"a status": plain(func(a *goldenAnswer) { a.status = http.StatusTeapot }),
		"a type":   plain(func(a *goldenAnswer) { a.header.Set("Content-Type", "text/html") }),
		"a header": plain(func(a *goldenAnswer) { a.header.Del("Etag") }),
		"a member that is none": plain(func(a *goldenAnswer) {
			a.body = bytes.Replace(a.body, []byte(`"title":`), []byte(`"titel":`), 1)
		}),
		"a value": plain(func(a *goldenAnswer) {
			a.body = bytes.Replace(a.body, []byte(`"promoted": true`), []byte(`"promoted": "yes"`), 1)
		}),
		"a link": plain(func(a *goldenAnswer) {
			a.body = bytes.Replace(a.body, []byte(`"logInteraction":`), []byte(`"logInteractions":`), 1)
		}),
		"a date": plain(func(a *goldenAnswer) {
			a.body = bytes.Replace(a.body, []byte(`"2021-05-17"`), []byte(`"17.5.2021"`), 1)
		}),
	} {
		recorder := &failures{TB: t}
		d.check(recorder, one.method, one.path, one.status, one.header, one.body)
		if !recorder.failed {
			t.Errorf("%s passes", name)
		}
	}
	recorder := &failures{TB: t}
	d.check(recorder, video.method, video.path, video.status, video.header, video.body)
	if recorder.failed {
		t.Error("the document itself does not pass")
	}
}

// failures records whether a test would have failed.
type failures struct {
	testing.TB
	failed bool
}

func (f *failures) Errorf(string, ...any) { f.failed = true }
func (f *failures) Helper()               {}

// TestLinksAreDescribed proves that the OpenAPI document names each link of each document, so that a comparison of two
// releases detects a removed link, and that the tables of the HAL API contain no link without an address.
func TestLinksAreDescribed(t *testing.T) {
	d := newDescribed(false)
	schemas := d.at("components", "schemas")
	for name := range schemas {
		links := d.at("components", "schemas", name, "properties", "_links")
		if links != nil && len(links["properties"].(map[string]any)) == 0 {
			t.Errorf("the schema %s names no link", name)
		}
	}
	for _, name := range []string{"Index", "Collection", "SubCollection"} {
		for relation := range d.at("components", "schemas", name, "properties", "_links", "properties") {
			if _, known := hal.Relations()[relation]; !known && !slices.Contains([]string{"self", "edit", "remove"}, relation) {
				t.Errorf("%s: %s has no address", name, relation)
			}
		}
	}
	w := shared()
	bites := &failures{TB: t}
	index := w.send(t, apiRequest{as: customer, path: "/v1/"})
	body := bytes.Replace(index.body, []byte(`"videoFeed":`), []byte(`"videoFeeds":`), 1)
	d.check(bites, "GET", "/v1/", http.StatusOK, index.Header, body)
	if !bites.failed {
		t.Error("a link of the index that is not described passes")
	}
}

// TestOpenAPIIsServed proves that the document is public, has the base address of the request, and is answered with 304
// if the client already has it.
func TestOpenAPIIsServed(t *testing.T) {
	w := newWorld(t, options{empty: true, config: func(c *wiring) {
		c.Base = &httpserver.Base{Hosts: []string{"127.0.0.1:8080"}, Default: base}
	}})
	got := w.send(t, apiRequest{path: rest.OpenAPIPath, host: "elsewhere.example"})
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "application/json" ||
		got.Header.Get("Cache-Control") != "public, max-age=300" || got.Header.Get("Etag") == "" {
		t.Errorf("got %d %v", got.StatusCode, got.Header)
	}
	serverOf := func(a *answer) string {
		var document struct {
			Servers []struct{ URL string }
		}
		check(json.Unmarshal(a.body, &document))
		return document.Servers[0].URL
	}
	if server := serverOf(got); server != base {
		t.Errorf("the server is %s", server)
	}
	here := w.send(t, apiRequest{path: rest.OpenAPIPath, host: "127.0.0.1:8080"})
	if server := serverOf(here); server != "http://127.0.0.1:8080" || here.Header.Get("Etag") == got.Header.Get("Etag") {
		t.Errorf("the server is %s, with %s", server, here.Header.Get("Etag"))
	}
	again := w.send(t, apiRequest{path: rest.OpenAPIPath, header: map[string]string{"If-None-Match": here.Header.Get("Etag")}})
	if again.StatusCode != http.StatusNotModified || len(again.body) > 0 {
		t.Errorf("got %d with %d bytes for what the client has", again.StatusCode, len(again.body))
	}
	if head := w.send(t, apiRequest{method: "HEAD", path: rest.OpenAPIPath}); head.StatusCode != http.StatusOK || len(head.body) > 0 {
		t.Errorf("HEAD: got %d with %d bytes", head.StatusCode, len(head.body))
	}
	wantRejection(t, w.send(t, apiRequest{method: "POST", path: rest.OpenAPIPath}), http.StatusMethodNotAllowed)
}

// TestOpenAPIDescribesAnonymousAccess proves that the document describes public access where anonymous callers are allowed, and
// never for changes at the same address.
func TestOpenAPIDescribesAnonymousAccess(t *testing.T) {
	for _, anonymous := range []bool{true, false} {
		must(rest.OpenAPI(base, anonymous, true)) // in OpenAPI 3.0
		document := must(jsonschema.UnmarshalJSON(bytes.NewReader(must(rest.OpenAPI(base, anonymous, false))))).(map[string]any)
		d := &described{document: document}
		for operation, want := range map[string]int{
			"get /v1/videos/{id}": 3, "get /v1/videos": 2, "post /v1/events/playback": 3, "get /v1/collections/{id}": 3,
			"patch /v1/collections/{id}": 2, "delete /v1/collections/{id}": 2,
		} {
			if !anonymous {
				want = 2
			}
			method, path, _ := strings.Cut(operation, " ")
			if security := d.at("paths", path, method)["security"].([]any); len(security) != want {
				t.Errorf("anonymous %t: %s asks for %v", anonymous, operation, security)
			}
		}
	}
}

// TestDefaultsAreDescribed proves that the described default of a parameter gives the same answer as no parameter.
func TestDefaultsAreDescribed(t *testing.T) {
	w := shared()
	paths := inForce().document["paths"].(map[string]any)
	described := map[string]string{}
	for path, item := range paths {
		for method, operation := range item.(map[string]any) {
			operation, _ := operation.(map[string]any)
			parameters, _ := operation["parameters"].([]any)
			for _, one := range parameters {
				parameter := one.(map[string]any)
				if schema, _ := parameter["schema"].(map[string]any); schema["default"] != nil {
					described[strings.ToUpper(method)+" "+path+" "+parameter["name"].(string)] = jsonOf(schema["default"])
				}
			}
		}
	}
	for key, standard := range map[string]string{
		"GET /v1/videos page": "0", "GET /v1/videos size": "100", "GET /v1/feed/videos size": "1000", "GET /v1/feed/removed-videos size": "1000",
		"GET /v1/collections page": "0", "GET /v1/collections size": "30", "GET /v1/collections projection": `"list"`, "GET /v1/collections/{id} projection": `"list"`,
		"GET /v1/users/{id}/collections size": "30", "GET /v1/channels size": "10000", "GET /v1/channels page": "0", "GET /v1/channels sort_by": `"NAME_ASC"`,
		"GET /v1/highlights size": "100", "GET /v1/highlights threshold": "0.815", "GET /v1/highlights hyper_relevance": "false",
		"GET /v1/videos/{id}/captions format": `"vtt"`, "GET /v1/videos/{id}/captions download": "false",
	} {
		if described[key] != standard {
			t.Errorf("%s: %q is described, want %s", key, described[key], standard)
		}
	}
	for _, path := range []string{"/v1/videos", "/v1/collections", "/v1/channels", "/v1/feed/videos"} {
		plain := w.ok(t, operator, path)
		for key, standard := range described {
			at, name, _ := strings.Cut(strings.TrimPrefix(key, "GET "), " ")
			if at != path {
				continue
			}
			given := w.ok(t, operator, path+"?"+name+"="+strings.Trim(standard, `"`))
			if got, want := jsonOf(given["_embedded"]), jsonOf(plain["_embedded"]); got != want || jsonOf(given["page"]) != jsonOf(plain["page"]) {
				t.Errorf("%s with %s=%s is answered otherwise than without", path, name, standard)
			}
		}
	}
}
