package demo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/importer"
	"github.com/filmstrip/filmstrip/store"
	"github.com/filmstrip/filmstrip/web"
)

// FillCatalogue imports the generated videos of the demo into an empty catalogue.
func FillCatalogue(ctx context.Context, catalogue store.Catalogue) error {
	if n, err := catalogue.CountVideos(ctx); err != nil || n > 0 {
		return err
	}
	lines, writer := io.Pipe()
	go func() {
		options := generate.Options{
			Videos: Videos, Seed: seed, TranscriptWords: transcriptWords, Material: true, Schools: schools,
		}
		writer.CloseWithError(generate.Write(writer, options))
	}()
	summary, err := importer.Run(ctx, catalogue, importer.Options{Inputs: []importer.Input{{
		Name: "the demo catalogue", Size: -1, Open: func() (io.ReadCloser, error) { return lines, nil },
	}}})
	if err == nil && summary.Rejected > 0 {
		err = fmt.Errorf("%d lines of the demo catalogue were rejected", summary.Rejected)
	}
	return err
}

// PlayablePage returns the path of the page that plays a video whose stream the program contains, or "" if there is
// none.
func PlayablePage(ctx context.Context, videos store.Catalogue) string {
	scanned, err := videos.Scan(ctx, 0, Videos)
	if err != nil {
		return ""
	}
	for _, video := range scanned {
		if strings.HasPrefix(video.Playback.Stream, catalogue.DemoStreamScheme) && !video.Retired {
			return web.WatchPath + string(video.ID)
		}
	}
	return ""
}
