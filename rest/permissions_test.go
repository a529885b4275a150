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

// whatFollows lists the object fields that return items without the permission which a list of these items requires.
// The HAL API shows them as part of their parents.
var whatFollows = map[string]string{
	"Video.bestFor":             "a video's document shows its tags' labels",
	"Video.type":                "a video's document shows it",
	"Channel.contentCategories": "a channel's document shows them",
	"Channel.legalRestriction":  "a channel's document shows it",
}

// TestNestedPermissions proves that no object field, apart from those in whatFollows, returns items without the permission
// that their root fields require.
func TestNestedPermissions(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	guards := map[string]account.Permissions{} // for each type, the permissions of the root fields that return it
	for _, field := range schema.Query.Fields {
		if name := field.Type.Name(); schema.Types[name].Kind != ast.Scalar { // a number is no item
			guards[name] |= permissionOf(field)
		}
	}
	met := map[string]bool{}
	walkFields(schema, func(on *ast.Definition, field *ast.FieldDefinition, held account.Permissions) {
		name, needed := on.Name+"."+field.Name, guards[field.Type.Name()]
		switch {
		case on == schema.Query || isStaffs(held) || needed == 0 || needed.Has(account.Browse) || needed&held != 0:
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

// notInTheFacade lists the types and fields that customers read over GraphQL only.
var notInTheFacade = map[string]string{
	"Query": "checked by the right of each", "Viewer": "who is calling", "Subscription": "likewise",
	"SecondFactor": "of the caller", "SecondFactorEnrollment": "likewise", "Mutation.beginSecondFactorEnrollment": "likewise",
	"Mutation.enrollSecondFactor": "likewise", "Mutation.renewRecoveryCodes": "likewise", "Mutation.removeSecondFactor": "likewise",
	"Captions": "the facade writes them as files", "Cue": "likewise",
	"Event": "what the account's own clients reported", "UsageReport": "what the account used", "UsageRow": "likewise", "UsageMeasures": "likewise",
	"Retention": "likewise", "Statement": "likewise", "StatementLine": "likewise", "StatementSeal": "likewise", "SearchedText": "likewise", "ClickedVideo": "likewise",
	"Facets": "the facade shows facetMap", "FacetBucket": "likewise", "VideoSearch.facets": "likewise",
	"VideoSearch.videos": "the facade reads references", "VideoConnection.nodes": "likewise", "VideoConnection.edges": "likewise", "VideoEdge": "likewise",
	"ThemeTarget.videos": "likewise", "Collection.videos": "likewise", "CollectionAsset.video": "likewise", "PageInfo.hasNextPage": "likewise",
	"Collection.createdAt": "of one's own collections", "Collection.default": "likewise", "Collection.saved": "likewise",
	"Video.hasTranscript": "the facade shows a link", "Video.language": "the facade shows spokenLanguage", "Playback.thumbnail": "the facade shows its template", "VideoMetadata.downloadSrtCaptionUrl": "the facade's addresses",
	"VideoMetadata.downloadVttCaptionUrl": "likewise",
}

// TestCustomersReadWhatTheFacadeShows proves that GraphQL shows callers no more of the catalogue than the HAL documents
// do. Other fields require a permission of staff or one of their own.
func TestCustomersReadWhatTheFacadeShows(t *testing.T) {
	schema := graph.NewExecutableSchema(graph.Config{}).Schema()
	shown := shownFields(schema)
	met := map[string]bool{}
	walkFields(schema, func(on *ast.Definition, field *ast.FieldDefinition, held account.Permissions) {
		name := on.Name + "." + field.Name
		switch {
		case shown[name] || isStaffs(held):
		case name == "Video.channel" && held.Has(account.ViewChannels): // which the HAL API shows as a document of its own
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

// TestVideosOpenNoChannelWithoutPermission proves that a tier which may not list channels cannot read a channel through a
// video either.
func TestVideosOpenNoChannelWithoutPermission(t *testing.T) {
	w := newWorld(t, options{})
	basic := w.callersOf(t, account.BuiltInTiers()[0])[0].name
	for field, permission := range map[string]string{"channel { description notes }": "VIEW_CHANNELS", "categories": "OPERATE", "topics { name }": "OPERATE"} {
		for _, query := range []string{
			`{ video(id: "1001") { title ` + field + ` } }`,
			`{ searchVideos(query: "float") { videos { title ` + field + ` } } }`,
		} {
			body := strings.ReplaceAll(`{"query":"`+strings.ReplaceAll(query, `"`, `\"`)+`"}`, "\n", " ")
			got := w.send(t, apiRequest{as: basic, method: "POST", path: "/graphql", body: body, header: map[string]string{"Content-Type": "application/json"}})
			if !strings.Contains(string(got.body), "the permission "+permission+" is required") {
				t.Errorf("%s answers %.300s", query, got.body)
			}
		}
	}
}

// TestSuggestionsByEitherPermission proves that callers get suggestions if and only if they may search videos or
// collections.
func TestSuggestionsByEitherPermission(t *testing.T) {
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

// walkFields visits each reachable field with the permissions that its path requires, its own included. It visits a
// field once for each distinct set of permissions.
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
			needed := held | permissionOf(field)
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

// shownFields returns the fields, such as Type.field, that an operation of the HAL API selects.
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

// permissionOf returns the permission that a field requires, as a set; the set is empty if it requires none.
func permissionOf(field *ast.FieldDefinition) account.Permissions {
	if requires := field.Directives.ForName("requires"); requires != nil {
		return permissionOfName(requires.Arguments.ForName("permission").Value.Raw)
	}
	return 0
}

// permissionOfName returns a permission as a set; the set is empty for the name "".
func permissionOfName(name string) account.Permissions {
	if name == "" {
		return 0
	}
	return account.PermissionsOf(must(account.ParsePermission(name)))
}

// isStaffs reports whether a set contains a permission that no customer can have.
func isStaffs(permissions account.Permissions) bool {
	return permissions&^account.CustomerPermissions()&account.OperatorPermissions() != 0
}
