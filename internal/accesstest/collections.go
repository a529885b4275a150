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
func (p *probe) collections(rules []catalogue.AccessRule) func() {
	readable := func(id string) bool {
		at := slices.IndexFunc(rules, func(r catalogue.AccessRule) bool { return r.Type == catalogue.IncludedCollections })
		return at < 0 || slices.Contains(rules[at].Values, id)
	}
	return func() {
		var listed []string
		for _, id := range collectionIDs {
			if readable(string(id)) {
				listed = append(listed, string(id))
			}
			p.collection(string(id), p.world.collections[id], readable(string(id)))
		}
		all := p.collectionOfAll()
		if all == "" {
			return
		}
		p.collection(all, videoIDs, readable(all))
		p.send(Operator, "DELETE", "/v1/collections/"+all, "")
		p.discovered(listed)
	}
}

// discovered searches for collections over HAL and GraphQL, and expects these of the collections that rules may name,
// each with its visible videos.
func (p *probe) discovered(want []string) {
	shown := map[string][]string{}
	for _, one := range p.list("/v1/collections?size=100&projection=details").Embedded.Collections {
		shown[one.ID] = idsIn(one.Videos)
	}
	p.sameCollections("a search over collections", shown, want)

	var answer struct {
		Collections struct {
			Collections []struct {
				ID     string
				Videos []identified
			}
		}
	}
	codes := p.ask(`query { collections(size: 100) { collections { id videos { ...V } } } } `+videoFields, nil, &answer)
	if len(codes) > 0 {
		p.fault("a search over collections by GraphQL answers with %v", codes)
	}
	clear(shown)
	for _, one := range answer.Collections.Collections {
		shown[one.ID] = idsIn(one.Videos)
	}
	p.sameCollections("a search over collections by GraphQL", shown, want)
}

// sameCollections compares the collections that rules may name, and their videos, with those wanted.
func (p *probe) sameCollections(where string, shown map[string][]string, want []string) {
	var listed []string
	for _, id := range collectionIDs {
		if videos, found := shown[string(id)]; found {
			listed = append(listed, string(id))
			p.same(where+": "+string(id), videos, p.seen.of(p.world, p.world.collections[id]))
		}
	}
	p.same(where, listed, want)
}

// collectionOfAll creates a collection of all videos; "" after a reported fault.
func (p *probe) collectionOfAll() (id string) {
	videos, err := json.Marshal(map[string]any{"title": "All", "videos": videoIDs, "discoverable": true})
	p.fail(err)
	status, answer := p.send(Operator, "POST", "/v1/collections", string(videos))
	if status != http.StatusCreated {
		p.fault("POST /v1/collections: got %d %.200s", status, answer)
		return ""
	}
	var made identified
	p.fail(json.Unmarshal(answer, &made))
	return made.ID
}

// collection requests a collection in both projections, over HAL and GraphQL.
func (p *probe) collection(id string, holds []catalogue.ID, readable bool) {
	want := p.seen.of(p.world, holds)
	for _, projection := range []string{"list", "details"} {
		p.projection("/v1/collections/"+id, projection, want, readable)
	}
	var found struct {
		Collection *struct {
			References []string
			Videos     []graphVideo
			Assets     []struct{ Video graphVideo }
		}
	}
	query := fmt.Sprintf(`query { collection(id: %q) { references videos { ...V } assets { video { ...V } } } } %s`, id, videoFields)
	codes := p.ask(query, nil, &found)
	if len(codes) > 0 || (found.Collection != nil) != readable {
		p.fault("the collection %s over GraphQL is there: %t, want %t, codes %v", id, found.Collection != nil, readable, codes)
	}
	if found.Collection == nil {
		return
	}
	assets := mapped(found.Collection.Assets, func(asset struct{ Video graphVideo }) graphVideo { return asset.Video })
	p.sameVideos("a collection over GraphQL", found.Collection.Videos, want)
	p.sameVideos("assets of a collection over GraphQL", assets, want)
	if len(found.Collection.References) != len(want) {
		p.fault("a collection names %d references, of %d videos", len(found.Collection.References), len(want))
	}
}

func (p *probe) projection(path, projection string, want []string, readable bool) {
	status, answer := p.send(Limited, "GET", path+"?projection="+projection, "")
	if !readable {
		if status != http.StatusNotFound {
			p.fault("GET %s: got %d %.200s, want 404", path, status, answer)
		}
		return
	}
	var shown struct {
		Videos []identified
		Assets []struct{ Video identified }
	}
	if status != http.StatusOK {
		p.fault("GET %s: got %d %.200s", path, status, answer)
		return
	}
	if err := json.Unmarshal(answer, &shown); err != nil {
		p.fail(fmt.Errorf("GET %s: %w", path, err))
	}
	assets := mapped(shown.Assets, func(asset struct{ Video identified }) identified { return asset.Video })
	p.same(projection+" of a collection", idsIn(shown.Videos), want)
	p.same("assets in "+projection+" of a collection", idsIn(assets), want)
}
