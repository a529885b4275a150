package rest

import (
	"maps"
	"strings"
	"testing"

	"github.com/filmstrip/filmstrip/catalogue"
)

// TestDescriptionAndRoutesBelongTogether: what one has and the other lacks keeps the service from starting.
func TestDescriptionAndRoutesBelongTogether(t *testing.T) {
	wantFault := func(part string) {
		t.Helper()
		if _, err := OpenAPI("", false); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, which does not name %s", err, part)
		}
	}
	allRoutes, allDescriptions, allTexts := routes, describedRoutes, parameterTexts
	restore := func() {
		routes, describedRoutes, parameterTexts = allRoutes, maps.Clone(allDescriptions), maps.Clone(allTexts)
	}
	defer func() { routes, describedRoutes, parameterTexts = allRoutes, allDescriptions, allTexts }()

	restore()
	routes = append(routes[:len(routes):len(routes)], route{method: "GET", path: "/v1/more"})
	wantFault("GET /v1/more")

	restore()
	describedRoutes["GET /v1/gone"] = describedRoutes["GET /v1/tags"]
	wantFault("GET /v1/gone")

	restore()
	tag := describedRoutes["GET /v1/tags"]
	tag.id = "getVideo"
	describedRoutes["GET /v1/tags"] = tag
	wantFault("getVideo")

	restore()
	tag = describedRoutes["GET /v1/tags"]
	tag.answers = []answerOf{halAnswer("", "Nothing"), halAnswer("Tags.", "Nothing")}
	describedRoutes["GET /v1/tags"] = tag
	wantFault("#/components/schemas/Nothing")

	restore()
	tag = describedRoutes["GET /v1/tags"]
	tag.answers = []answerOf{halAnswer("Tags.", "Tag")}
	describedRoutes["GET /v1/tags"] = tag
	wantFault("schema Tags")

	restore()
	delete(parameterTexts, "best_for")
	wantFault("best_for")

	restore()
	type unlisted string
	routes = append(routes[:len(routes):len(routes)], route{method: "GET", path: "/v1/more", parameters: []parameter{
		enumsParameter("type", "", func(text string) (unlisted, error) { return unlisted(text), nil }),
	}})
	describedRoutes["GET /v1/more"] = description{id: "more"}
	parameterTexts["/v1/more type"] = parameterText{text: "One of them."}
	wantFault("GET /v1/more takes")
}

// TestListedSchemas: closed lists of parameters are those of the catalogue.
func TestListedSchemas(t *testing.T) {
	if got := listedSchema[catalogue.VideoType]()["enum"].([]string); len(got) != len(catalogue.VideoTypes()) {
		t.Errorf("got %v", got)
	}
}
