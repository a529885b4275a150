package accesstest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// collections asks for a collection of all videos, which the operator makes, in both projections and over both
// doors: each shows what may be seen, in the order of the collection.
func (p *probe) collections() error {
	videos, err := json.Marshal(map[string]any{"title": "All", "videos": videoIDs, "discoverable": true})
	if err != nil {
		return err
	}
	status, answer, err := p.send(Operator, "POST", "/v1/collections", string(videos))
	if err != nil {
		return err
	}
	if status != http.StatusCreated {
		p.fault("POST /v1/collections: got %d %.200s", status, answer)
		return nil
	}
	var made identified
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	path := "/v1/collections/" + made.ID
	for _, projection := range []string{"list", "details"} {
		var shown struct {
			Videos []identified
			Assets []struct{ Video identified }
		}
		if err := p.get(path+"?projection="+projection, &shown); err != nil {
			return err
		}
		assets := make([]identified, len(shown.Assets))
		for i, asset := range shown.Assets {
			assets[i] = asset.Video
		}
		p.same(projection+" of a collection", idsIn(shown.Videos), p.seen.all())
		p.same("assets in "+projection+" of a collection", idsIn(assets), p.seen.all())
	}
	var found struct {
		Collection struct {
			References []string
			Videos     []graphVideo
			Assets     []struct{ Video graphVideo }
		}
	}
	query := fmt.Sprintf(`query { collection(id: %q) { references videos { ...V } assets { video { ...V } } } } %s`, made.ID, videoFields)
	codes, err := p.ask(query, nil, &found)
	if err != nil {
		return err
	}
	if len(codes) > 0 {
		p.fault("a collection over GraphQL answers with %v", codes)
	}
	assets := make([]graphVideo, len(found.Collection.Assets))
	for i, asset := range found.Collection.Assets {
		assets[i] = asset.Video
	}
	p.sameVideos("a collection over GraphQL", found.Collection.Videos, p.seen.all())
	p.sameVideos("assets of a collection over GraphQL", assets, p.seen.all())
	if len(found.Collection.References) != len(p.seen.all()) {
		p.fault("a collection names %d references, of %d videos", len(found.Collection.References), len(p.seen.all()))
	}
	_, _, err = p.send(Operator, "DELETE", path, "")
	return err
}
