package accesstest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
)

// collections requests the collections that rules may name, and one of all videos, which the operator creates. Each shows
// what may be seen, or is hidden if rules name others.
func (p *probe) collections(rules []catalogue.AccessRule) func() error {
	readable := func(id string) bool {
		at := slices.IndexFunc(rules, func(r catalogue.AccessRule) bool { return r.Type == catalogue.IncludedCollections })
		return at < 0 || slices.Contains(rules[at].Values, id)
	}
	return func() error {
		var listed []string
		for _, id := range collectionIDs {
			if readable(string(id)) {
				listed = append(listed, string(id))
			}
			if err := p.collection(string(id), p.world.collections[id], readable(string(id))); err != nil {
				return err
			}
		}
		all, err := p.collectionOfAll()
		if err != nil || all == "" {
			return err
		}
		if err := p.collection(all, videoIDs, readable(all)); err != nil {
			return err
		}
		if _, _, err := p.send(Operator, "DELETE", "/v1/collections/"+all, ""); err != nil {
			return err
		}
		return p.discovered(listed)
	}
}

// discovered searches for collections over HAL and GraphQL, and expects these of the collections that rules may name,
// each with its visible videos.
func (p *probe) discovered(want []string) error {
	var found struct {
		Embedded struct {
			Collections []struct {
				identified
				Videos []identified
			}
		} `json:"_embedded"`
	}
	if err := p.get("/v1/collections?size=100&projection=details", &found); err != nil {
		return err
	}
	shown := map[string][]string{}
	for _, one := range found.Embedded.Collections {
		shown[one.ID] = idsIn(one.Videos)
	}
	p.sameCollections("a search over collections", shown, want)

	var answer struct {
		Collections struct {
			Collections []struct {
				ID     string
				Videos []graphVideo
			}
		}
	}
	codes, err := p.ask(`query { collections(size: 100) { collections { id videos { ...V } } } } `+videoFields, nil, &answer)
	if err != nil {
		return err
	}
	if len(codes) > 0 {
		p.fault("a search over collections by GraphQL answers with %v", codes)
	}
	clear(shown)
	for _, one := range answer.Collections.Collections {
		shown[one.ID] = []string{}
		for _, video := range one.Videos {
			shown[one.ID] = append(shown[one.ID], video.ID)
		}
	}
	p.sameCollections("a search over collections by GraphQL", shown, want)
	return nil
}

// sameCollections compares the collections that rules may name, and their videos, with those wanted.
func (p *probe) sameCollections(where string, shown map[string][]string, want []string) {
	var listed []string
	for _, id := range collectionIDs {
		if videos, found := shown[string(id)]; found {
			listed = append(listed, string(id))
			p.same(where+": "+string(id), videos, p.seen.of(p.world.collections[id]))
		}
	}
	p.same(where, listed, want)
}

// collectionOfAll creates a collection of all videos; "" after a reported fault.
func (p *probe) collectionOfAll() (id string, err error) {
	videos, err := json.Marshal(map[string]any{"title": "All", "videos": videoIDs, "discoverable": true})
	if err != nil {
		return "", err
	}
	status, answer, err := p.send(Operator, "POST", "/v1/collections", string(videos))
	if err != nil {
		return "", err
	}
	if status != http.StatusCreated {
		p.fault("POST /v1/collections: got %d %.200s", status, answer)
		return "", nil
	}
	var made identified
	err = json.Unmarshal(answer, &made)
	return made.ID, err
}

// collection requests a collection in both projections, over HAL and GraphQL.
func (p *probe) collection(id string, holds []catalogue.ID, readable bool) error {
	want := p.seen.of(holds)
	for _, projection := range []string{"list", "details"} {
		if err := p.projection("/v1/collections/"+id, projection, want, readable); err != nil {
			return err
		}
	}
	var found struct {
		Collection *struct {
			References []string
			Videos     []graphVideo
			Assets     []struct{ Video graphVideo }
		}
	}
	query := fmt.Sprintf(`query { collection(id: %q) { references videos { ...V } assets { video { ...V } } } } %s`, id, videoFields)
	codes, err := p.ask(query, nil, &found)
	if err != nil {
		return err
	}
	if len(codes) > 0 || (found.Collection != nil) != readable {
		p.fault("the collection %s over GraphQL is there: %t, want %t, codes %v", id, found.Collection != nil, readable, codes)
	}
	if found.Collection == nil {
		return nil
	}
	assets := make([]graphVideo, len(found.Collection.Assets))
	for i, asset := range found.Collection.Assets {
		assets[i] = asset.Video
	}
	p.sameVideos("a collection over GraphQL", found.Collection.Videos, want)
	p.sameVideos("assets of a collection over GraphQL", assets, want)
	if len(found.Collection.References) != len(want) {
		p.fault("a collection names %d references, of %d videos", len(found.Collection.References), len(want))
	}
	return nil
}

func (p *probe) projection(path, projection string, want []string, readable bool) error {
	status, answer, err := p.send(Limited, "GET", path+"?projection="+projection, "")
	if err != nil {
		return err
	}
	if !readable {
		if status != http.StatusNotFound {
			p.fault("GET %s: got %d %.200s, want 404", path, status, answer)
		}
		return nil
	}
	var shown struct {
		Videos []identified
		Assets []struct{ Video identified }
	}
	if status != http.StatusOK {
		p.fault("GET %s: got %d %.200s", path, status, answer)
		return nil
	}
	if err := json.Unmarshal(answer, &shown); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	assets := make([]identified, len(shown.Assets))
	for i, asset := range shown.Assets {
		assets[i] = asset.Video
	}
	p.same(projection+" of a collection", idsIn(shown.Videos), want)
	p.same("assets in "+projection+" of a collection", idsIn(assets), want)
	return nil
}
