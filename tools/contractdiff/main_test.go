package main

import (
	"bytes"
	"context"
	"encoding/json"
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
     "id":{"type":"string"},"name":{"type":"string"},"old":{"type":"string","deprecated":true},"count":{"type":"integer"},
     "part":{"anyOf":[{"$ref":"#/components/schemas/Thing"},{"type":"null"}]}}}}}}`

// change puts one text for another, which has to be there.
type change struct{ from, to string }

func TestOpenAPI(t *testing.T) {
	for name, test := range map[string]struct {
		changes []change
		want    []string
	}{
		"nothing": {},
		"a path": {
			[]change{{`"/v1/things/{id}":`, `"/v1/thing/{id}":`}},
			[]string{"GET /v1/things/{id} is gone (it was deprecated)"},
		},
		"a method":    {[]change{{`"post":`, `"put":`}}, []string{"POST /v1/things is gone"}},
		"a parameter": {[]change{{`"name":"query"`, `"name":"q"`}}, []string{"GET /v1/things: the parameter query (query) is gone"}},
		"a deprecated parameter": {
			[]change{{`"name":"order"`, `"name":"sort"`}},
			[]string{"GET /v1/things: the parameter order (query) is gone (it was deprecated)"},
		},
		"a header, with other letters":      {[]change{{`"User-Id"`, `"user-id"`}}, nil},
		"a header":                          {[]change{{`"User-Id"`, `"User"`}}, []string{"GET /v1/things: the parameter user-id (header) is gone"}},
		"a variable that has to be sent":    {[]change{{`"name":"query","in":"query"`, `"name":"query","in":"query","required":true`}}, nil},
		"a new parameter":                   {[]change{{`{"$ref":"#/components/parameters/User"}`, `{"$ref":"#/components/parameters/User"},{"name":"more","in":"query"}`}}, nil},
		"a new parameter that has to be":    {[]change{{`{"$ref":"#/components/parameters/User"}`, `{"$ref":"#/components/parameters/User"},{"name":"more","in":"query","required":true}`}}, []string{"GET /v1/things: the parameter more (query) is new and has to be sent"}},
		"a variable of the path, otherwise": {[]change{{`"name":"id","in":"path"`, `"name":"key","in":"path"`}}, nil},
		"an enum with less": {
			[]change{{`"enum":["UP","DOWN"]`, `"enum":["UP","SIDE"]`}},
			[]string{"GET /v1/things: order (query): the value DOWN is taken no more"},
		},
		"an enum with more":        {[]change{{`"enum":["UP","DOWN"]`, `"enum":["UP","DOWN","SIDE"]`}}, nil},
		"an enum where none was":   {[]change{{`"type":"string","maxLength":10`, `"type":"string","maxLength":10,"enum":["x"]`}}, []string{"GET /v1/things: query (query): its values are a closed list now"}},
		"another type":             {[]change{{`"type":"integer","minimum":1`, `"type":"boolean","minimum":1`}}, []string{"GET /v1/things: size (query): its type was [integer] and is [boolean]"}},
		"a wider type":             {[]change{{`"type":"integer","minimum":1`, `"type":"number","minimum":1`}}, nil},
		"bounds that are narrower": {[]change{{`"maximum":100`, `"maximum":50`}}, []string{"GET /v1/things: size (query): its maximum was 100 and is 50"}},
		"bounds that are wider":    {[]change{{`"maximum":100`, `"maximum":500`}, {`"minimum":1`, `"minimum":0`}, {`,"maxLength":10`, ``}}, nil},
		"a pattern":                {[]change{{`"maxLength":10`, `"maxLength":10,"pattern":"^a"`}}, []string{"GET /v1/things: query (query): its pattern was <nil> and is ^a"}},
		"a token":                  {[]change{{`"security":[{"token":[]},{}]`, `"security":[{"token":[]}]`}}, []string{"GET /v1/things: it needs a token now"}},
		"another token": {
			[]change{{`"security":[{"token":[]},{}]`, `"security":[{"key":[]},{}]`}},
			nil, // whoever has one may as well bring none
		},
		"more of a token": {
			[]change{{`"deprecated":true,"parameters":[{"name":"id"`, `"deprecated":true,"security":[{"token":["write"]}],"parameters":[{"name":"id"`}},
			[]string{"GET /v1/things/{id}: the credentials [token] suffice no more"},
		},
		"a token that must be of one kind": {
			[]change{{`"deprecated":true,"parameters":[{"name":"id"`, `"deprecated":true,"security":[{"key":[]}],"parameters":[{"name":"id"`}},
			[]string{"GET /v1/things/{id}: the credentials [token] suffice no more"},
		},
		"a token that need not be": {[]change{{`{"openapi":"3.1.1","security":[{"token":["read"]}]`, `{"openapi":"3.1.1","security":[]`}}, nil},
		"another default": {
			[]change{{`"default":30`, `"default":10`}}, []string{"GET /v1/things: size (query): its default was 30 and is 10"},
		},
		"a default no more":   {[]change{{`,"default":30`, ``}}, []string{"GET /v1/things: size (query): its default was 30 and is <nil>"}},
		"a default, now told": {[]change{{`"maxLength":10`, `"maxLength":10,"default":"x"`}}, nil},
		"a body that has to be": {
			[]change{{`"requestBody":{`, `"requestBody":{"required":true,`}}, []string{"POST /v1/things: there has to be a body now"},
		},
		"a field that has to be sent": {
			[]change{{`"required":["name"]`, `"required":["name","kind"]`}}, []string{"POST /v1/things: body: kind: the field has to be sent now"},
		},
		"a new field that has to be sent": {
			[]change{{`"required":["name"],"properties":{`, `"required":["name","new"],"properties":{"new":{},`}}, []string{"POST /v1/things: body: new: the field has to be sent now"},
		},
		"a field that may be left out":    {[]change{{`"required":["name"],`, ``}}, nil},
		"a null that is refused":          {[]change{{`"note":{"type":["string","null"]}`, `"note":{"type":"string"}`}}, []string{"POST /v1/things: body: note: it may not be null any more"}},
		"a field that is refused":         {[]change{{`"kind":{"enum":["A","B"]},`, ``}}, []string{"POST /v1/things: body: kind: the field is gone"}},
		"other fields":                    {[]change{{`"required":["name"],"properties"`, `"additionalProperties":false,"required":["name"],"properties"`}}, []string{"POST /v1/things: body: fields that are not named are refused now"}},
		"a variant that is refused":       {[]change{{`{"type":"string"},{"type":"number"}`, `{"type":"string"}`}}, []string{`POST /v1/things: body: of: anyOf is not as it was: {"type":"number"}`}},
		"a variant more that is taken":    {[]change{{`{"type":"string"},{"type":"number"}`, `{"type":"string"},{"type":"number"},{"type":"boolean"}`}}, nil},
		"a status":                        {[]change{{`"201":`, `"200":`}}, []string{"POST /v1/things: it is not answered 201 any more"}},
		"a fault":                         {[]change{{`"404":`, `"410":`}}, nil},
		"a media type":                    {[]change{{`"headers":{"Etag":{}},"content":{"application/json"`, `"headers":{"Etag":{}},"content":{"text/csv"`}}, []string{"GET /v1/things: 200: application/json is gone"}},
		"a header of an answer":           {[]change{{`{"Etag":{}}`, `{}`}}, []string{"GET /v1/things: 200: the header Etag is gone"}},
		"a field of an answer, once":      {[]change{{`"count":{"type":"integer"},`, ``}}, []string{"GET /v1/things: 200: list[]: count: the field is gone"}},
		"a deprecated field of an answer": {[]change{{`"old":{"type":"string","deprecated":true},`, ``}}, []string{"GET /v1/things: 200: list[]: old: the field is gone (it was deprecated)"}},
		"a field that may be missing":     {[]change{{`"required":["id","name"]`, `"required":["id"]`}}, []string{"GET /v1/things: 200: list[]: name: the field may be missing now"}},
		"a field that is always there":    {[]change{{`"required":["id","name"]`, `"required":["id","name","count"]`}}, nil},
		"a null":                          {[]change{{`"id":{"type":"string"},"name"`, `"id":{"type":["string","null"]},"name"`}}, []string{"GET /v1/things: 200: list[]: id: it may be null now"}},
		"a null that is no more":          {[]change{{`"part":{"anyOf":[{"$ref":"#/components/schemas/Thing"},{"type":"null"}]}`, `"part":{"$ref":"#/components/schemas/Thing"}`}}, nil},
		"a type of an answer":             {[]change{{`"count":{"type":"integer"}`, `"count":{"type":["integer","string"]}`}}, []string{"GET /v1/things: 200: list[]: count: its type was [integer] and is [integer string]"}},
		"a new field":                     {[]change{{`"count":{`, `"new":{"type":"string"},"count":{`}}, nil},
		"a relation":                      {[]change{{`"first":{"$ref":"#/components/schemas/Link"},`, ``}}, []string{"GET /v1/things: 200: _links: first: the field is gone"}},
		"a relation by another name":      {[]change{{`"first":{"$ref"`, `"begin":{"$ref"`}}, []string{"GET /v1/things: 200: _links: first: the field is gone"}},
		"a relation more":                 {[]change{{`"first":{"$ref"`, `"last":{"$ref":"#/components/schemas/Link"},"first":{"$ref"`}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			changed := document
			for _, one := range test.changes {
				if !strings.Contains(changed, one.from) {
					t.Fatalf("there is no %s", one.from)
				}
				changed = strings.Replace(changed, one.from, one.to, 1)
			}
			var from, to map[string]any
			for text, into := range map[*string]*map[string]any{ptr(document): &from, &changed: &to} {
				if err := json.Unmarshal([]byte(*text), into); err != nil {
					t.Fatal(err)
				}
			}
			if got := compareOpenAPI(from, to); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func ptr[T any](value T) *T { return &value }

const schema = `
type Query { thing(id: ID!, deep: Boolean = true, order: Order): Thing, things(of: [ID!], filter: Filter): [Thing!]!, any: Any, old: Int @deprecated }
type Thing implements Named { id: ID!, name: String, parts: [Thing!] }
type Other { x: Int }
interface Named { name: String }
union Any = Thing | Other
enum Order { UP DOWN }
input Filter { name: String, size: Int! = 3 }
`

func TestGraphQL(t *testing.T) {
	for name, test := range map[string]struct {
		change
		want []string
	}{
		"nothing":           {},
		"a field":           {change{"old: Int @deprecated ", ""}, []string{"Query.old is gone (it was deprecated)"}},
		"a type":            {change{"union Any = Thing | Other", "union Some = Thing | Other\nscalar Any"}, []string{"Any was UNION and is SCALAR"}},
		"a member":          {change{"Thing | Other", "Thing"}, []string{"Any: Other is no longer one of it"}},
		"an interface":      {change{" implements Named", ""}, []string{"Thing: Named is no longer implemented"}},
		"a value":           {change{"UP DOWN", "UP SIDE"}, []string{"Order: the value DOWN is gone"}},
		"a value more":      {change{"UP DOWN", "UP DOWN SIDE"}, nil},
		"less promised":     {change{"id: ID!, name", "id: ID, name"}, []string{"Thing.id was ID! and is ID"}},
		"less within":       {change{"parts: [Thing!]", "parts: [Thing]"}, []string{"Thing.parts was [Thing!] and is [Thing]"}},
		"more promised":     {change{"id: ID!, name: String", "id: ID!, name: String!"}, nil},
		"another type":      {change{"{ x: Int }", "{ x: String }"}, []string{"Other.x was Int and is String"}},
		"no list":           {change{"(of: [ID!], ", "(of: ID, "}, []string{"Query.things: the argument of was [ID!] and is ID"}},
		"an argument":       {change{", order: Order", ""}, []string{"Query.thing: the argument order is gone"}},
		"an argument more":  {change{"order: Order", "order: Order, more: Int"}, nil},
		"one that has to":   {change{"order: Order", "order: Order, more: Int!"}, []string{"Query.thing: the argument more is new and has to be given"}},
		"one that must now": {change{"order: Order", "order: Order!"}, []string{"Query.thing: the argument order was Order and is Order!"}},
		"with a default":    {change{"order: Order", "order: Order! = UP"}, nil},
		"one that may now":  {change{"thing(id: ID!", "thing(id: ID"}, nil},
		"an input":          {change{"input Filter { name: String,", "input Filter {"}, []string{"Filter.name is gone"}},
		"an input that has": {change{"name: String, size", "name: String!, size"}, []string{"Filter.name was String and is String!"}},
		"a new input":       {change{"name: String, size", "name: String, new: Int!, size"}, []string{"Filter.new is new and has to be given"}},
		"no default":        {change{"size: Int! = 3", "size: Int!"}, []string{"Filter.size has to be given now"}},
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

// TestRevisions compares three revisions of a repository: one without a document, one with it, and one that breaks
// clients.
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
		{"v1", "v3", "Order: the value DOWN is gone\n", true, "the HTTP API is not compared: v1 has no OpenAPI document"},
		{"v2", "v1", "", false, "the HTTP API is not compared: v1 has no OpenAPI document"},
		{"v2", "HEAD", "POST /v1/things is gone\nOrder: the value DOWN is gone\n", true, ""},
		{"v3", "v3", "Nothing breaks clients.\n", false, ""},
	} {
		var out bytes.Buffer
		broken, err := run(t.Context(), &out, []string{test.from, test.to})
		if fault := fmt.Sprint(err); broken != test.broken || out.String() != test.want || test.fault != "" && fault != test.fault || test.fault == "" && err != nil {
			t.Errorf("%s to %s: got %t %q (%v)", test.from, test.to, broken, out.String(), err)
		}
	}
	if trees, err := output(t.Context(), "", "git", "worktree", "list"); err != nil || bytes.Count(trees, []byte("\n")) != 1 {
		t.Errorf("working trees are left: %s (%v)", trees, err)
	}
}

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
