package hal

import (
	"context"
	"slices"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/graph/model"
)

// maxDetailedVideos is the number of videos that one answer about collections writes in full. Later videos are written
// as in lists: an answer must not fail because of the number of videos that other users added.
const maxDetailedVideos = 5_000

// Collections writes a template in which "videos" is a list of references and "video" is a single reference. If details
// is true, it replaces the references with the documents of the videos, otherwise with their IDs and links only.
func (d *Documents) Collections(ctx context.Context, view *View, template []byte, details bool) (Page, error) {
	places, err := videoPlaces(template)
	if err != nil {
		return Page{}, err
	}
	videos, exact := videoWriter(writeStub), true
	if details {
		if videos, exact, err = d.wholeVideos(ctx, places); err != nil {
			return Page{}, err
		}
	}
	page := newPage()
	b, written := page.Body, 0
	for _, place := range places {
		b = view.Fill(b, template[written:place.start])
		written = place.end
		if place.list {
			b = append(b, '[')
		}
		for i, ref := range place.refs {
			if i > 0 {
				b = append(b, ',')
			}
			b = videos(b, view, ref)
		}
		if place.list {
			b = append(b, ']')
		}
	}
	page.Body, page.Exact = view.Fill(b, template[written:]), exact
	return page, nil
}

// videoWriter appends a video to b.
type videoWriter func(b []byte, view *View, ref catalogue.Ref) []byte

// writeStub appends only the ID and the links of a video.
func writeStub(b []byte, view *View, ref catalogue.Ref) []byte {
	stub := append(append(make([]byte, 0, 320), `{"id":"`...), ref.ID...)
	stub = appendLinks(append(stub, `","_links":`...), model.LinksOfVideo(ref.ID))
	return view.Fill(b, append(stub, '}'))
}

// wholeVideos reads the documents of the first maxDetailedVideos videos that places name, each once. A video that was
// removed since it was named is written as a stub.
func (d *Documents) wholeVideos(ctx context.Context, places []videoPlace) (videoWriter, bool, error) {
	refs := firstNamed(places, maxDetailedVideos)
	documents, exact := make(map[catalogue.ID][]byte, len(refs)), true
	for some := range slices.Chunk(refs, catalogue.MaxVideosAtOnce) {
		templates, all, err := d.each(ctx, some)
		if err != nil {
			return nil, false, err
		}
		exact = exact && all
		for i, template := range templates {
			documents[some[i].ID] = template
		}
	}
	written := 0
	return func(b []byte, view *View, ref catalogue.Ref) []byte {
		written++
		if template := documents[ref.ID]; template != nil && written <= maxDetailedVideos {
			return view.Fill(b, template)
		}
		return writeStub(b, view, ref)
	}, exact, nil
}

// firstNamed returns the videos among the first n references of places, each once.
func firstNamed(places []videoPlace, n int) (refs []catalogue.Ref) {
	met := map[catalogue.ID]bool{}
	for _, place := range places {
		some := place.refs[:min(n, len(place.refs))]
		n -= len(some)
		for _, ref := range some {
			if !met[ref.ID] {
				met[ref.ID] = true
				refs = append(refs, ref)
			}
		}
	}
	return refs
}
