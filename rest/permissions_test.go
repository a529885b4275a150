package rest_test

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/auth/authtest"
	"github.com/filmstrip/filmstrip/graph"
)

// whatFollows are object fields that lead to things whose own lists need a right, without it: the facade shows
// these with what they are of.
var whatFollows = map[string]string{
	"Video.bestFor":             "a video's document shows its tags' labels",
	"Video.type":                "a video's document shows it",
	"Channel.contentCategories": "a channel's document shows them",
	"Channel.legalRestriction":  "a channel's document shows it",
}

// TestNestedRights: what a root field gives by a right alone, no other object leads to without it.
func TestNestedRights(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	guards := map[string]account.Permissions{} // of each type, the rights of the root fields that lead to it at once
	for _, field := range schema.Query.Fields {
		guards[field.Type.Name()] |= rightOf(field)
	}
	met := map[string]bool{}
	walkFields(schema, func(on *ast.Definition, field *ast.FieldDefinition, held account.Permissions) {
		name, needed := on.Name+"."+field.Name, guards[field.Type.Name()]
		switch {
		case on == schema.Query || held.Has(account.Operate) || needed == 0 || needed.Has(account.Browse) || needed&held != 0:
		case whatFollows[name] != "":
			met[name] = true
		default:
			t.Errorf("%s leads to %s by %v, and its own root field needs %v", name, field.Type.Name(), held.Names(), needed.Names())
		}
	})
	if len(met) != len(whatFollows) {
		t.Errorf("of the exceptions only %v are met", met)
	}
}

// notInTheFacade are what customers read over GraphQL alone: types, or fields of them.
var notInTheFacade = map[string]string{
	"Query": "checked by the right of each", "Subscription": "likewise",
	"Captions": "the facade writes them as files", "Cue": "likewise",
	"Event": "what the account's own clients told", "UsageReport": "what the account used", "UsageRow": "likewise", "UsageMeasures": "likewise",
	"Retention": "likewise", "Statement": "likewise", "StatementLine": "likewise", "StatementSeal": "likewise", "SearchedText": "likewise", "ClickedVideo": "likewise",
	"Facets": "the facade shows facetMap", "FacetBucket": "likewise", "VideoSearch.facets": "likewise",
	"VideoSearch.videos": "the facade reads references", "VideoConnection.nodes": "likewise", "VideoConnection.edges": "likewise", "VideoEdge": "likewise",
	"ThemeTarget.videos": "likewise", "Collection.videos": "likewise", "CollectionAsset.video": "likewise", "PageInfo.hasNextPage": "likewise",
	"Collection.createdAt": "of one's own collections", "Collection.default": "likewise", "Collection.saved": "likewise",
	"Video.hasTranscript": "the facade shows a link", "Video.language": "the facade shows spokenLanguage", "VideoMetadata.downloadSrtCaptionUrl": "the facade's addresses",
	"VideoMetadata.downloadVttCaptionUrl": "likewise",
}

// TestCustomersReadWhatTheFacadeShows: over GraphQL callers read no more of the catalogue than the documents show;
// the rest is the operator's, or of a thing that has a right of its own.
func TestCustomersReadWhatTheFacadeShows(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	shown := shownFields(schema)
	met := map[string]bool{}
	walkFields(schema, func(on *ast.Definition, field *ast.FieldDefinition, held account.Permissions) {
		name := on.Name + "." + field.Name
		switch {
		case shown[name] || held.Has(account.Operate):
		case name == "Video.channel" && held.Has(account.ViewChannels): // which the facade shows by itself
		case notInTheFacade[on.Name] != "":
			met[on.Name] = true
		case notInTheFacade[name] != "":
			met[name] = true
		default:
			t.Errorf("%s is in no document, and takes %v", name, held.Names())
		}
	})
	if len(met) != len(notInTheFacade) {
		t.Errorf("of the exceptions only %v are met", slices.Sorted(maps.Keys(met)))
	}
}

// TestVideosLeadToNoMoreThanRightsGive: the tier that may not list channels reads none of them through a video.
func TestVideosLeadToNoMoreThanRightsGive(t *testing.T) {
	w := newWorld(t, options{})
	basic := w.callersOf(t, account.BuiltInTiers()[0])[0].name
	for field, right := range map[string]string{"channel { description notes }": "VIEW_CHANNELS", "categories": "OPERATE", "topics { name }": "OPERATE"} {
		for _, query := range []string{
			`{ video(id: "1001") { title ` + field + ` } }`,
			`{ searchVideos(query: "float") { videos { title ` + field + ` } } }`,
		} {
			body := strings.ReplaceAll(`{"query":"`+strings.ReplaceAll(query, `"`, `\"`)+`"}`, "\n", " ")
			got := w.send(t, ask{as: basic, method: "POST", path: "/graphql", body: body, header: map[string]string{"Content-Type": "application/json"}})
			if !strings.Contains(string(got.body), "the permission "+right+" is required") {
				t.Errorf("%s answers %.300s", query, got.body)
			}
		}
	}
}

// TestSuggestionsByEitherRight: the list shows names of channels and subjects to whoever may search for videos or for
// collections, and to nobody else.
func TestSuggestionsByEitherRight(t *testing.T) {
	w := newWorld(t, options{})
	for role, open := range map[account.Permission]bool{account.ViewVideos: true, account.ViewCollections: true, account.ViewTags: false} {
		name := "suggest " + role.String()
		client := authtest.Client(strings.ReplaceAll(strings.ToLower(name), " ", "-"), string(customer), secret)
		client.Roles = []account.Permission{role}
		check(authtest.Put(t.Context(), w.accounts, client))
		check(w.auth.Refresh(t.Context()))
		w.tokens[name] = logInAs(t, w.handler, client.ID, "")
		if linked := strings.Contains(string(w.get(t, name, "/v1/").body), "/v1/suggestions"); linked != open {
			t.Errorf("%s: the link is shown: %t", role, linked)
		}
		want := http.StatusForbidden
		if open {
			want = http.StatusOK
		}
		if got := w.get(t, name, "/v1/suggestions?query=lab"); got.StatusCode != want {
			t.Errorf("%s: %d %.200s", role, got.StatusCode, got.body)
		}
	}
}

// walkFields visits each field that some caller comes to, with the rights that the way to it takes, itself included:
// each way that takes others than those before it.
func walkFields(schema *ast.Schema, visit func(on *ast.Definition, field *ast.FieldDefinition, held account.Permissions)) {
	type step struct {
		on   string
		held account.Permissions
	}
	been := map[step]bool{}
	var walk func(on *ast.Definition, held account.Permissions)
	walk = func(on *ast.Definition, held account.Permissions) {
		if been[step{on.Name, held}] {
			return
		}
		been[step{on.Name, held}] = true
		for _, field := range on.Fields {
			if strings.HasPrefix(field.Name, "__") {
				continue
			}
			needed := held | rightOf(field)
			visit(on, field, needed)
			if to := schema.Types[field.Type.Name()]; to.Kind == ast.Object {
				walk(to, needed)
			}
		}
	}
	for _, root := range []*ast.Definition{schema.Query, schema.Mutation, schema.Subscription} {
		walk(root, 0)
	}
}

// shownFields are the fields, as Type.field, that some operation of the facade selects.
func shownFields(schema *ast.Schema) map[string]bool {
	var document ast.QueryDocument
	for _, file := range must(filepath.Glob("hal/operations/*.graphql")) {
		parsed := must(parser.ParseQuery(&ast.Source{Name: file, Input: string(must(os.ReadFile(file)))}))
		document.Operations = append(document.Operations, parsed.Operations...)
		document.Fragments = append(document.Fragments, parsed.Fragments...)
	}
	shown := map[string]bool{}
	var walk func(on *ast.Definition, set ast.SelectionSet)
	walk = func(on *ast.Definition, set ast.SelectionSet) {
		for _, selection := range set {
			if field, ok := selection.(*ast.Field); ok {
				shown[on.Name+"."+field.Name] = true
				walk(schema.Types[on.Fields.ForName(field.Name).Type.Name()], field.SelectionSet)
			}
		}
	}
	for _, o := range document.Operations {
		root := schema.Query
		if o.Operation == ast.Mutation {
			root = schema.Mutation
		}
		walk(root, o.SelectionSet)
	}
	for _, f := range document.Fragments {
		walk(schema.Types[f.TypeCondition], f.SelectionSet)
	}
	return shown
}

// rightOf is the right that a field requires, as a set; empty: none.
func rightOf(field *ast.FieldDefinition) account.Permissions {
	if requires := field.Directives.ForName("requires"); requires != nil {
		return account.PermissionsOf(must(account.ParsePermission(requires.Arguments.ForName("permission").Value.Raw)))
	}
	return 0
}
