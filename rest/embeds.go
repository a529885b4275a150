package rest

import (
	"encoding/json"
	"net/http"

	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/rest/hal"
)

var embedFields = []field{
	optional("expiresIn", anInteger),
	optional("start", aNumber),
	optional("end", aNumber),
	optional("origins", aList(aText)),
}

// createEmbed serves POST /v1/videos/{id}/embeds; the body is optional.
func createEmbed(f *facade, r *http.Request, _ hal.Variables) (*reply, error) {
	input, err := readOptionalObject(r, embedFields)
	if err != nil {
		return nil, err
	}
	data, err := f.run(r.WithContext(embed.WithBase(r.Context(), f.base(r))), "CreateEmbed", hal.Variables{"videoId": idIn(r), "input": input})
	if err != nil {
		return nil, err
	}
	var created struct{ URL string }
	if err := json.Unmarshal(data, &created); err != nil {
		return nil, err
	}
	return &reply{status: http.StatusCreated, location: created.URL, body: data}, nil
}

// embedRoutes lists the routes that serve callers whose token is confined to one video. If the path does not name the
// video, the domain compares the request with it.
var embedRoutes = map[string]string{
	"/v1/videos/{id}":               http.MethodGet,
	"/v1/videos/{id}/captions":      http.MethodGet,
	"/v1/videos/{id}/transcript":    http.MethodGet,
	"/v1/events/playback":           http.MethodPost,
	"/v1/events/player-interaction": http.MethodPost,
}

func (r *route) forEmbeds() bool { return embedRoutes[r.path] == r.method }
