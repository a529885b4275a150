package rest

import (
	"net/http"

	"github.com/filmstrip/filmstrip/internal/httpserver"
	"github.com/filmstrip/filmstrip/rest/hal"
)

var themeParameters = []parameter{textsParameter("id", "ids")}

// themesOfProvider serves GET /v1/alignments/{provider}/themes.
func themesOfProvider(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	return f.list(r, "Themes", hal.Variables{"provider": httpserver.Variable(r, "provider")}, "themes", withoutSelf)
}

// theme serves GET /v1/alignments/{provider}/themes/{id}: the theme with the documents of its videos, which it reads from the
// cache in one call.
func theme(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	provider, id := httpserver.Variable(r, "provider"), idIn(r)
	data, err := f.found(r, "Theme", hal.Variables{"provider": provider, "id": id}, "there is no theme %q of a provider %q", id, provider)
	if err != nil {
		return nil, err
	}
	return f.withVideos(r, data, detailsProjection)
}
