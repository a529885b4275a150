package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/filmstrip/filmstrip/rest/openapi"
)

// chosenGoldens are the golden documents that are examples of an operation where the one with the shortest name is not
// the best.
var chosenGoldens = map[string]string{
	"getIndex": "index-pupil", "getVideoMetadata": "metadata-two", "updateUser": "user-named", "updateCollection": "collection-changed",
}

// mountExamples are the examples of the operations outside the facade: the fields of the form and the golden document
// of package auth.
var mountExamples = map[string]struct {
	form   map[string]string
	golden string
}{
	"getToken": {map[string]string{"grant_type": "client_credentials", "client_id": "demo", "client_secret": "demo-secret"}, "token/client_credentials"},
	"authorizeByForm": {map[string]string{
		"response_type": "code", "client_id": "demo", "redirect_uri": "https://learn.example/callback", "state": "af0ifjsldkj", "scope": "openid profile",
		"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
	}, ""},
	"revokeToken":     {map[string]string{"token": "45ghiukldjahdnhzdauz", "client_id": "demo", "client_secret": "demo-secret"}, ""},
	"introspectToken": {map[string]string{"token": "45ghiukldjahdnhzdauz", "client_id": "demo", "client_secret": "demo-secret"}, "introspect/signed_in"},
	"getUserInfo":     {nil, "userinfo/all"},
	"postUserInfo":    {nil, "userinfo/all"},
	"logoutByForm":    {map[string]string{"client_id": "demo", "post_logout_redirect_uri": "https://learn.example/"}, ""},
	"getDiscovery":    {nil, "discovery/get"},
	"getKeys":         {nil, "keys/get"},
}

// faultGoldens are the golden documents that are examples of faults.
var faultGoldens = []string{
	"moved", "error-400-number", "error-401-none", "error-403-expired", "error-404-video", "error-collection-409", "error-413", "error-414",
	"error-415", "error-event-422", "error-429", "error-431", "fault-500-engine", "fault-503-engine",
}

// variable are the parts that golden documents of package auth replace, with the values of the examples.
var variable = strings.NewReplacer(
	`"<token>"`, `"eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJkZW1vIn0.c2lnbmF0dXJl"`, `"<256 bits>"`, `"c0mmT5AoD1Vd0lkqy2hJ3Zf3kBv7w8n9xYpQmRsTuVw"`,
	`"<now>"`, `1893553445`, `"<user>"`, `"4f4e4d4c4b4a494847464544"`, `"<130 bits>"`, `"MFRGGZDFMZTWQ2LKNNWG23TPOB"`,
	`"<thumbprint>"`, `"NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"`, `"<public key>"`, `"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"`,
	"https://films.example", base,
)

// TestExamplesAreGolden proves that the examples of the OpenAPI document are the golden documents of the service, that
// every operation has an example of each body, and that examples match their schemas. With -update, it writes them.
func TestExamplesAreGolden(t *testing.T) {
	examples := examplesOf(t)
	const folder = "openapi/examples"
	if *update {
		check(os.RemoveAll(folder))
		check(os.MkdirAll(folder, 0o750))
	}
	for name, example := range examples {
		file := filepath.Join(folder, name+".json")
		want := append(must(json.MarshalIndent(example, "", "  ")), '\n')
		if *update {
			check(os.WriteFile(file, want, 0o600))
		}
		if got, err := os.ReadFile(file); !bytes.Equal(got, want) {
			t.Errorf("%s is not the golden document (%v): go test ./rest -run TestExamplesAreGolden -update writes it", file, err)
		}
	}
	if files := must(os.ReadDir(folder)); len(files) != len(examples) {
		t.Errorf("%s has %d files for %d examples", folder, len(files), len(examples))
	}
	if *update {
		return // this program contains the previous examples
	}
	d := newDescribed(true)
	for path := range d.at("paths") {
		for method := range d.at("paths", path) {
			d.checkExamples(t, path, method)
		}
	}
	for name := range d.at("components", "responses") {
		d.checkContent(t, "#/components/responses/"+name, d.at("components", "responses", name))
	}
}

// examplesOf returns the examples by the names of their operations.
func examplesOf(t *testing.T) map[string]openapi.Example {
	t.Helper()
	d := newDescribed(false)
	examples, best := map[string]openapi.Example{openapi.FaultExamples: faultExamples(t)}, map[string]string{}
	consider := func(name string) {
		one := readGolden(t, filepath.Join("testdata", "golden", name+".golden"))
		path, _, _ := strings.Cut(one.path, "?")
		id, _ := d.at("paths", d.pathOf(path), strings.ToLower(one.method))["operationId"].(string)
		if id == "" || one.status >= 300 {
			return
		}
		example, kind := examples[id], one.header.Get("Content-Type")
		if one.request != "" && precedes(name, best[id], chosenGoldens[id]) {
			example.Request, best[id] = json.RawMessage(one.request), name
		}
		if key := id + kind; len(one.body) > 0 && precedes(name, best[key], chosenGoldens[id]) {
			example.Responses, best[key] = withResponse(example.Responses, one), name
		}
		examples[id] = example
	}
	for _, file := range must(filepath.Glob("testdata/golden/*.golden")) {
		consider(strings.TrimSuffix(filepath.Base(file), ".golden"))
	}
	for id, mount := range mountExamples {
		example := openapi.Example{}
		if mount.form != nil {
			example.Request = must(json.Marshal(mount.form))
		}
		if mount.golden != "" {
			example.Responses = withResponse(nil, readAuthGolden(mount.golden))
		}
		examples[id] = example
	}
	maps.DeleteFunc(examples, func(_ string, one openapi.Example) bool { return one.Request == nil && one.Responses == nil })
	return examples
}

// precedes reports whether the golden document called name is a better example than the best one so far.
func precedes(name, best, chosen string) bool {
	switch {
	case best == "" || name == chosen:
		return true
	case best == chosen:
		return false
	}
	return len(name) < len(best) || len(name) == len(best) && name < best
}

// withResponse adds the body of an answer to responses.
func withResponse(responses map[string]map[string]json.RawMessage, one goldenAnswer) map[string]map[string]json.RawMessage {
	status := strconv.Itoa(one.status)
	if responses == nil {
		responses = map[string]map[string]json.RawMessage{}
	}
	if responses[status] == nil {
		responses[status] = map[string]json.RawMessage{}
	}
	var body any = string(one.body)
	if json.Valid(one.body) {
		body = shortened(must(jsonschema.UnmarshalJSON(bytes.NewReader(one.body))))
	}
	responses[status][one.header.Get("Content-Type")] = must(json.Marshal(body))
	return responses
}

// shortened returns a document with two elements of each list, which show its form as well as all of them.
func shortened(document any) any {
	switch document := document.(type) {
	case []any:
		list := document[:min(len(document), 2)]
		for i := range list {
			list[i] = shortened(list[i])
		}
		return list
	case map[string]any:
		for name, value := range document {
			document[name] = shortened(value)
		}
	}
	return document
}

func faultExamples(t *testing.T) openapi.Example {
	t.Helper()
	faults := openapi.Example{}
	for _, name := range faultGoldens {
		faults.Responses = withResponse(faults.Responses, readGolden(t, filepath.Join("testdata", "golden", name+".golden")))
	}
	return faults
}

// readAuthGolden reads a golden document of package auth, which are answers with status 200.
func readAuthGolden(name string) goldenAnswer {
	head, body, _ := strings.Cut(variable.Replace(string(must(os.ReadFile("../auth/testdata/"+name+".golden")))), "\n\n")
	one := goldenAnswer{status: http.StatusOK, header: http.Header{}, body: []byte(body)}
	for _, line := range strings.Split(head, "\n")[1:] {
		name, value, _ := strings.Cut(line, ": ")
		one.header.Set(name, value)
	}
	return one
}

// checkExamples checks that all bodies of an operation have examples that match their schemas.
func (d *described) checkExamples(t *testing.T, path, method string) {
	t.Helper()
	pointer := "#/paths/" + strings.ReplaceAll(path, "/", "~1") + "/" + method
	operation := d.at("paths", path, method)
	if body, ok := operation["requestBody"].(map[string]any); ok {
		d.checkContent(t, pointer+"/requestBody", body)
	}
	for status, response := range operation["responses"].(map[string]any) {
		d.checkContent(t, pointer+"/responses/"+status, response.(map[string]any))
	}
}

// pageType is the content type of pages for browsers. Pages, and errors of operations that answer with pages, have no
// examples.
const pageType = "text/html; charset=utf-8"

func (d *described) checkContent(t *testing.T, pointer string, body map[string]any) {
	t.Helper()
	content, _ := body["content"].(map[string]any)
	if content[pageType] != nil {
		return
	}
	for mediaType, one := range content {
		example, given := one.(map[string]any)["example"]
		if !given {
			t.Errorf("%s: %s has no example", pointer, mediaType)
			continue
		}
		schema := must(d.schema(fmt.Sprintf("%s/content/%s/schema", pointer, strings.NewReplacer("~", "~0", "/", "~1").Replace(mediaType))))
		value := must(jsonschema.UnmarshalJSON(bytes.NewReader(must(json.Marshal(example)))))
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: the example of %s: %v", pointer, mediaType, err)
		}
	}
}
