package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const document = `{"openapi":"3.1.1","security":[{"token":["read"]}],"paths":{
 "/v1/things":{
  "get":{
   "security":[{"token":[]},{}],
   "parameters":[
    {"name":"query","in":"query","schema":{"type":"string","maxLength":10}},
    {"name":"size","in":"query","schema":{"type":"integer","minimum":1,"maximum":100,"default":30}},
    {"name":"order","in":"query","deprecated":true,"schema":{"type":"string","enum":["UP","DOWN"]}},
    {"$ref":"#/components/parameters/User"}],
   "responses":{
    "200":{"headers":{"Etag":{}},"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Things"}}}},
    "404":{"content":{"application/json":{"schema":{"type":"object"}}}}}},
  "post":{
   "requestBody":{"content":{"application/json":{"schema":{"type":"object","required":["name"],"properties":{
     "name":{"type":"string"},"kind":{"enum":["A","B"]},"note":{"type":["string","null"]},"of":{"anyOf":[{"type":"string"},{"type":"number"}]}}}}}},
   "responses":{"201":{"description":"x"}}}},
 "/v1/things/{id}":{"get":{"deprecated":true,"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],
   "responses":{"200":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}}},
 "components":{
  "parameters":{"User":{"name":"User-Id","in":"header","schema":{"type":"string"}}},
  "schemas":{
   "Link":{"type":"object","required":["href"],"properties":{"href":{"type":"string"}}},
   "Things":{"type":"object","required":["list"],"properties":{"list":{"type":"array","items":{"$ref":"#/components/schemas/Thing"}},
     "_links":{"type":"object","properties":{"first":{"$ref":"#/components/schemas/Link"},"next":{"$ref":"#/components/schemas/Link"}}}}},
   "Thing":{"type":"object","required":["id","name"],"properties":{
     "id":{"type":"string"},"name":{"type":"string"},"state":{"type":"string","enum":["ON"]},"old":{"type":"string","deprecated":true},"count":{"type":"integer"},
     "part":{"anyOf":[{"$ref":"#/components/schemas/Thing"},{"type":"null"}]}}}}}}`

// change replaces one text, which must occur, with another.
type change struct{ from, to string }

// TestOpenAPI has a breaking and a compatible change for each rule.
func TestOpenAPI(t *testing.T) {
	const token, otherFields = `"security":[{"token":[]},{}]`, `{"$ref":"#/components/parameters/User"}`
	for name, test := range map[string]struct {
		changes []change
		want    string // the rule that the first finding names, or a part of its text; "" if nothing breaks
	}{
		"nothing":                        {},
		"deprecated path removed":        {[]change{{`"/v1/things/{id}":`, `"/v1/thing/{id}":`}}, "GET /v1/things/{id}: api path removed with deprecation"},
		"method removed":                 {[]change{{`"post":`, `"put":`}}, "api-removed-without-deprecation"},
		"operation deprecated":           {[]change{{`"post":{`, `"post":{"deprecated":true,`}}, ""},
		"parameter removed":              {[]change{{`"name":"query"`, `"name":"q"`}}, "request-parameter-removed"},
		"deprecated parameter removed":   {[]change{{`"name":"order"`, `"name":"sort"`}}, "request-parameter-removed-with-deprecation"},
		"header in other case":           {[]change{{`"User-Id"`, `"user-id"`}}, ""},
		"header parameter removed":       {[]change{{`"User-Id"`, `"User"`}}, "request-parameter-removed"},
		"parameter becomes required":     {[]change{{`"name":"query","in":"query"`, `"name":"query","in":"query","required":true`}}, ""},
		"optional parameter added":       {[]change{{otherFields, otherFields + `,{"name":"more","in":"query"}`}}, ""},
		"required parameter added":       {[]change{{otherFields, otherFields + `,{"name":"more","in":"query","required":true}`}}, "new-required-request-parameter"},
		"path variable renamed":          {[]change{{`"name":"id","in":"path"`, `"name":"key","in":"path"`}, {`"/v1/things/{id}"`, `"/v1/things/{key}"`}}, ""},
		"request value removed":          {[]change{{`"enum":["UP","DOWN"]`, `"enum":["UP","SIDE"]`}}, "request-parameter-enum-value-removed"},
		"request value added":            {[]change{{`"enum":["UP","DOWN"]`, `"enum":["UP","DOWN","SIDE"]`}}, ""},
		"list of values closed":          {[]change{{`"type":"string","maxLength":10`, `"type":"string","maxLength":10,"enum":["x"]`}}, "request-parameter-became-enum"},
		"parameter type changed":         {[]change{{`"type":"integer","minimum":1`, `"type":"boolean","minimum":1`}}, "request-parameter-type-changed"},
		"parameter type widened":         {[]change{{`"type":"integer","minimum":1`, `"type":"number","minimum":1`}}, ""},
		"bounds narrowed":                {[]change{{`"maximum":100`, `"maximum":50`}}, "request-parameter-max-decreased"},
		"bounds widened":                 {[]change{{`"maximum":100`, `"maximum":500`}, {`"minimum":1`, `"minimum":0`}, {`,"maxLength":10`, ``}}, ""},
		"pattern added":                  {[]change{{`"maxLength":10`, `"maxLength":10,"pattern":"^a"`}}, "request-parameter-pattern-added"},
		"token required":                 {[]change{{token, `"security":[{"token":[]}]`}}, "GET /v1/things: "},
		"other optional token":           {[]change{{token, `"security":[{"key":[]},{}]`}}, ""},
		"scope required":                 {[]change{{`"deprecated":true,"parameters":[{"name":"id"`, `"deprecated":true,"security":[{"token":["write"]}],"parameters":[{"name":"id"`}}, "GET /v1/things/{id}: "},
		"other token required":           {[]change{{`"deprecated":true,"parameters":[{"name":"id"`, `"deprecated":true,"security":[{"key":[]}],"parameters":[{"name":"id"`}}, "GET /v1/things/{id}: "},
		"token optional":                 {[]change{{`{"openapi":"3.1.1","security":[{"token":["read"]}]`, `{"openapi":"3.1.1","security":[]`}}, ""},
		"default changed":                {[]change{{`"default":30`, `"default":10`}}, "request-parameter-default-value-changed"},
		"default removed":                {[]change{{`,"default":30`, ``}}, "request-parameter-default-value-removed"},
		"default added":                  {[]change{{`"maxLength":10`, `"maxLength":10,"default":"x"`}}, ""},
		"body required":                  {[]change{{`"requestBody":{`, `"requestBody":{"required":true,`}}, "request-body-became-required"},
		"request field required":         {[]change{{`"required":["name"]`, `"required":["name","kind"]`}}, "request-property-became-required"},
		"required request field added":   {[]change{{`"required":["name"],"properties":{`, `"required":["name","new"],"properties":{"new":{},`}}, "new-required-request-property"},
		"request field optional":         {[]change{{`"required":["name"],`, ``}}, ""},
		"request null refused":           {[]change{{`"note":{"type":["string","null"]}`, `"note":{"type":"string"}`}}, "request-property-became-not-nullable"},
		"request field removed":          {[]change{{`"kind":{"enum":["A","B"]},`, ``}}, "request-property-removed"},
		"unknown request fields refused": {[]change{{`"required":["name"],"properties"`, `"additionalProperties":false,"required":["name"],"properties"`}}, "POST /v1/things: the request body refuses unknown fields"},
		"request variant removed":        {[]change{{`{"type":"string"},{"type":"number"}`, `{"type":"string"}`}}, "POST /v1/things: "},
		"request variant added":          {[]change{{`{"type":"string"},{"type":"number"}`, `{"type":"string"},{"type":"number"},{"type":"boolean"}`}}, ""},
		"success status changed":         {[]change{{`"201":`, `"200":`}}, "response-success-status-removed"},
		"error status changed":           {[]change{{`"404":`, `"410":`}}, ""},
		"media type changed":             {[]change{{`"headers":{"Etag":{}},"content":{"application/json"`, `"headers":{"Etag":{}},"content":{"text/csv"`}}, "response-media-type-removed"},
		"response header removed":        {[]change{{`{"Etag":{}}`, `{}`}}, "optional-response-header-removed"},
		"response field removed":         {[]change{{`"count":{"type":"integer"},`, ``}}, "response-optional-property-removed"},
		"deprecated field removed":       {[]change{{`"old":{"type":"string","deprecated":true},`, ``}}, "response-optional-property-removed"},
		"response field optional":        {[]change{{`"required":["id","name"]`, `"required":["id"]`}}, "response-property-became-optional"},
		"response field required":        {[]change{{`"required":["id","name"]`, `"required":["id","name","count"]`}}, ""},
		"response field nullable":        {[]change{{`"id":{"type":"string"},"name"`, `"id":{"type":["string","null"]},"name"`}}, "response-property-became-nullable"},
		"response field never null":      {[]change{{`"part":{"anyOf":[{"$ref":"#/components/schemas/Thing"},{"type":"null"}]}`, `"part":{"$ref":"#/components/schemas/Thing"}`}}, ""},
		"response type widened":          {[]change{{`"count":{"type":"integer"}`, `"count":{"type":["integer","string"]}`}}, "response-property-type-generalized"},
		"response value added":           {[]change{{`"state":{"type":"string","enum":["ON"]}`, `"state":{"type":"string","enum":["ON","OFF"]}`}}, ""},
		"response field added":           {[]change{{`"count":{`, `"new":{"type":"string"},"count":{`}}, ""},
		"link removed":                   {[]change{{`"first":{"$ref":"#/components/schemas/Link"},`, ``}}, "response-optional-property-removed"},
		"link renamed":                   {[]change{{`"first":{"$ref"`, `"begin":{"$ref"`}}, "response-optional-property-removed"},
		"link added":                     {[]change{{`"first":{"$ref"`, `"last":{"$ref":"#/components/schemas/Link"},"first":{"$ref"`}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			changed := document
			for _, one := range test.changes {
				if !strings.Contains(changed, one.from) {
					t.Fatalf("the document does not contain %s", one.from)
				}
				changed = strings.Replace(changed, one.from, one.to, 1)
			}
			from, err := parseOpenAPI("from", []byte(document))
			if err != nil {
				t.Fatal(err)
			}
			to, err := parseOpenAPI("to", []byte(changed))
			if err != nil {
				t.Fatal(err)
			}
			got, err := compareOpenAPI(from, to)
			if err != nil || (len(got) > 0) != (test.want != "") || len(got) > 0 && !strings.Contains(got[0], test.want) {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

const schema = `
type Query { thing(id: ID!, deep: Boolean = true, order: Order): Thing, things(of: [ID!], filter: Filter): [Thing!]!, any: Any, old: Int @deprecated }
type Thing implements Named { id: ID!, name: String, parts: [Thing!] }
type Other { x: Int }
interface Named { name: String }
union Any = Thing | Other
enum Order { UP DOWN }
input Filter { name: String, size: Int! = 3 }
`

// TestGraphQL verifies the reported changes of a schema with a breaking or compatible change for each rule.
func TestGraphQL(t *testing.T) {
	for name, test := range map[string]struct {
		change
		want []string
	}{
		"nothing":           {},
		"a field":           {change{"old: Int @deprecated ", ""}, []string{"Query.old was removed (it was deprecated)"}},
		"a type":            {change{"union Any = Thing | Other", "union Some = Thing | Other\nscalar Any"}, []string{"Any was UNION and is SCALAR"}},
		"a member":          {change{"Thing | Other", "Thing"}, []string{"Any: Other is no longer a member"}},
		"an interface":      {change{" implements Named", ""}, []string{"Thing: Named is no longer implemented"}},
		"a value":           {change{"UP DOWN", "UP SIDE"}, []string{"Order: the value DOWN was removed"}},
		"a value more":      {change{"UP DOWN", "UP DOWN SIDE"}, nil},
		"less promised":     {change{"id: ID!, name", "id: ID, name"}, []string{"Thing.id was ID! and is ID"}},
		"less within":       {change{"parts: [Thing!]", "parts: [Thing]"}, []string{"Thing.parts was [Thing!] and is [Thing]"}},
		"more promised":     {change{"id: ID!, name: String", "id: ID!, name: String!"}, nil},
		"another type":      {change{"{ x: Int }", "{ x: String }"}, []string{"Other.x was Int and is String"}},
		"no list":           {change{"(of: [ID!], ", "(of: ID, "}, []string{"Query.things: the argument of was [ID!] and is ID"}},
		"an argument":       {change{", order: Order", ""}, []string{"Query.thing: the argument order was removed"}},
		"an argument more":  {change{"order: Order", "order: Order, more: Int"}, nil},
		"required argument": {change{"order: Order", "order: Order, more: Int!"}, []string{"Query.thing: the argument more is new and required"}},
		"argument required": {change{"order: Order", "order: Order!"}, []string{"Query.thing: the argument order was Order and is Order!"}},
		"with a default":    {change{"order: Order", "order: Order! = UP"}, nil},
		"argument optional": {change{"thing(id: ID!", "thing(id: ID"}, nil},
		"an input":          {change{"input Filter { name: String,", "input Filter {"}, []string{"Filter.name was removed"}},
		"an input that has": {change{"name: String, size", "name: String!, size"}, []string{"Filter.name was String and is String!"}},
		"a new input":       {change{"name: String, size", "name: String, new: Int!, size"}, []string{"Filter.new is new and required"}},
		"no default":        {change{"size: Int! = 3", "size: Int!"}, []string{"Filter.size became required"}},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(schema, test.from) {
				t.Fatalf("there is no %s", test.from)
			}
			from, err := parseGraphQL("from", []byte(schema))
			if err != nil {
				t.Fatal(err)
			}
			to, err := parseGraphQL("to", []byte(strings.Replace(schema, test.from, test.to, 1)))
			if err != nil {
				t.Fatal(err)
			}
			if got := compareGraphQL(from, to); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRevisions compares three revisions of a repository: one without an OpenAPI document, one with it, and one that
// breaks clients.
func TestRevisions(t *testing.T) {
	t.Chdir(t.TempDir())
	git := func(arguments ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x.example", "-c", "commit.gpgsign=false"}, arguments...)...)
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v %s", arguments, err, output)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	commit := func(tag string) {
		t.Helper()
		git("add", ".")
		git("commit", "--quiet", "--message", tag)
		git("tag", tag)
	}
	git("init", "--quiet")
	write("schema.graphqls", schema)
	commit("v1")
	write("go.mod", "module example.com/x\n\ngo 1.22\n")
	write("cmd/filmstrip/main.go", "package main\n\nimport _ \"embed\"\n\n//go:embed document.json\nvar document string\n\nfunc main() { print2(document) }\n")
	write("cmd/filmstrip/print.go", "package main\n\nimport \"fmt\"\n\nfunc print2(text string) { fmt.Print(text) }\n")
	write("cmd/filmstrip/document.json", document)
	write("rest/openapi/things.json", "{}")
	commit("v2")
	write("cmd/filmstrip/document.json", strings.Replace(document, `"post":`, `"put":`, 1))
	write("schema.graphqls", strings.Replace(schema, "UP DOWN", "UP", 1))
	commit("v3")

	for _, test := range []struct {
		from, to string
		want     string
		broken   bool
		fault    string
	}{
		{"v1", "v2", "", false, "the HTTP API is not compared: v1 has no OpenAPI document"},
		{"v1", "v3", "Order: the value DOWN was removed\n", true, "the HTTP API is not compared: v1 has no OpenAPI document"},
		{"v2", "v1", "", false, "the HTTP API is not compared: v1 has no OpenAPI document"},
		{"v2", "HEAD", "POST /v1/things: api removed without deprecation [api-removed-without-deprecation]\nOrder: the value DOWN was removed\n", true, ""},
		{"v3", "v3", "No change breaks clients.\n", false, ""},
	} {
		var out bytes.Buffer
		broken, err := run(t.Context(), &out, []string{test.from, test.to})
		if fault := fmt.Sprint(err); broken != test.broken || out.String() != test.want || test.fault != "" && fault != test.fault || test.fault == "" && err != nil {
			t.Errorf("%s to %s: got %t %q (%v)", test.from, test.to, broken, out.String(), err)
		}
	}
	if trees, err := output(t.Context(), "", "git", "worktree", "list"); err != nil || bytes.Count(trees, []byte("\n")) != 1 {
		t.Errorf("working trees remain: %s (%v)", trees, err)
	}
}

// TestFiles verifies the comparison of files, and that files that cannot be compared are an error.
func TestFiles(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, changed := file("old.json", document), file("new.json", strings.Replace(document, `"put"`, `"get"`, 1))
	schemas := file("old.graphqls", schema)
	var out bytes.Buffer
	if broken, err := run(context.Background(), &out, []string{old, changed}); err != nil || broken {
		t.Errorf("got %t %v %s", broken, err, &out)
	}
	if broken, err := run(context.Background(), &out, []string{schemas, schemas}); err != nil || broken {
		t.Errorf("got %t %v %s", broken, err, &out)
	}
	for _, arguments := range [][]string{
		{old}, {old, schemas}, {old, "no-such-revision"}, {old, file("bad.json", "{")}, {old, file("none.json", "{}")}, {schemas, file("bad.graphqls", "type {")},
	} {
		if _, err := run(context.Background(), &out, arguments); err == nil {
			t.Errorf("%v is compared", arguments)
		}
	}
}
