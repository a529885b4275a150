package rest

import (
	"net/http"
	"slices"

	"github.com/filmstrip/filmstrip/account"
	"github.com/filmstrip/filmstrip/fault"
	"github.com/filmstrip/filmstrip/internal/embed"
	"github.com/filmstrip/filmstrip/internal/httperror"
)

var embedFields = []field{
	{"expiresIn", aWhole},
	{"start", aNumber},
	{"end", aNumber},
	{"origins", aList(aText)},
}

// createEmbed answers POST /v1/videos/{id}/embeds; it needs no body.
func createEmbed(f *facade, r *http.Request, _ variables) (*reply, error) {
	input := map[string]any{}
	if !isWithoutBody(r) {
		var err error
		if input, err = readObject(r, embedFields); err != nil {
			return nil, err
		}
	}
	if seconds, given := input["expiresIn"].(int64); given && int64(int32(seconds)) != seconds {
		return nil, fault.InvalidRequest("expiresIn: %d is more than any address holds", seconds)
	}
	data, err := f.run(r.WithContext(embed.WithBase(r.Context(), f.base(r))), "CreateEmbed", variables{"videoId": idIn(r), "input": input})
	if err != nil {
		return nil, err
	}
	return &reply{status: http.StatusCreated, body: data}, nil
}

// openToConfined are the routes that answer callers who may ask for one video alone, as their paths know it. What
// those tell of, the domain holds against that video.
var openToConfined = map[string][]string{
	"/v1/videos/{id}":               {http.MethodGet, http.MethodHead},
	"/v1/videos/{id}/captions":      {http.MethodGet, http.MethodHead},
	"/v1/videos/{id}/transcript":    {http.MethodGet, http.MethodHead},
	"/v1/events/playback":           {http.MethodPost},
	"/v1/events/player-interaction": {http.MethodPost},
}

// confine refuses to such callers whatever is not listed for them. path is that of the route; "": of no route.
func confine(path string, next http.Handler) http.Handler {
	open := openToConfined[path]
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if caller := account.CallerOf(r.Context()); caller != nil && caller.Video != "" {
			if id := idIn(r); !slices.Contains(open, r.Method) || id != "" && id != string(caller.Video) {
				httperror.WriteError(w, r, fault.Errorf(fault.Forbidden, "the token is good for the video %s alone", caller.Video))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
