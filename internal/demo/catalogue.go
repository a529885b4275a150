package demo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/internal/media"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/web"
)

// FillCatalogue imports the catalogue of the demo into an empty one.
func FillCatalogue(ctx context.Context, videos store.Catalogue) error {
	if n, err := videos.CountVideos(ctx); err != nil || n > 0 {
		return err
	}
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(contents().write(writer)) }()
	var first importer.Fault
	summary, err := importer.Run(ctx, videos, importer.Options{
		Inputs: []importer.Input{{
			Name: "the demo catalogue", Size: -1, Open: func() (io.ReadCloser, error) { return lines, nil },
		}},
		Client: Actor,
		Report: func(fault importer.Fault) {
			if first == (importer.Fault{}) {
				first = fault
			}
		},
	})
	if err == nil && summary.Rejected > 0 {
		err = fmt.Errorf("%d lines of the demo catalogue were rejected; the first: %s", summary.Rejected, first)
	}
	return err
}

// Contains reports whether a catalogue is that of the demo, and not an operator's own.
func Contains(ctx context.Context, videos store.Catalogue) (bool, error) {
	found, err := videos.Videos(ctx, []catalogue.ID{id(featured)})
	return len(found) > 0, err
}

// featured is the video that the demo recommends to play first.
const featured = "why-ice-floats"

// shownVideos is the number of videos on the landing page.
const shownVideos = 9

// View returns what the landing page shows of the demo: its accounts, and videos if the server shows the demo's catalogue.
func View(showsCatalogue bool) *web.DemoView {
	view := &web.DemoView{
		User: Teacher, Secret: Secret, Staff: staffNames(),
		Clients: []web.DemoClient{
			{ID: Account, Name: customerNames[Account], Sees: "The whole catalogue"},
			{ID: PlusAccount, Name: customerNames[PlusAccount], Sees: "Everything but news"},
			{ID: BasicAccount, Name: customerNames[BasicAccount], Sees: "Lessons without war and death"},
			{ID: OperatorAccount, Name: operatorName, Sees: "Everything, and it may change everything over GraphQL"},
		},
	}
	if showsCatalogue {
		view.Catalogue = catalogueView()
	}
	return view
}

// catalogueView returns the size of the catalogue and the videos of its first collection.
func catalogueView() *web.DemoCatalogue {
	c := contents()
	view := &web.DemoCatalogue{VideoCount: VideoCount(), SubjectCount: len(c.categories), Play: pageOf(featured)}
	for _, listed := range c.collections[0].Videos[:shownVideos] {
		name := cardName(listed.Ref)
		view.Videos = append(view.Videos, web.DemoVideo{
			Title: c.cards[name].Title, Page: pageOf(listed.Ref), Poster: strings.TrimPrefix(media.CardPath(name, 640), "/"),
		})
	}
	return view
}

// pageOf returns the path of the page that plays a video, relative to the landing page.
func pageOf(ref string) string { return strings.TrimPrefix(web.WatchPath, "/") + string(id(ref)) }
