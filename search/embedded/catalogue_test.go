package embedded_test

import (
	"iter"

	"github.com/filmstrip/filmstrip/catalogue"
	"github.com/filmstrip/filmstrip/internal/generate"
	"github.com/filmstrip/filmstrip/internal/projection"
	"github.com/filmstrip/filmstrip/search"
)

// documents yields the documents of a generated catalogue as the follower makes them.
func documents(options generate.Options) iter.Seq2[search.Document, error] {
	return func(yield func(search.Document, error) bool) {
		var small []catalogue.Item
		var directory *catalogue.Directory
		sequence := int64(0)
		for item := range generate.Items(options) {
			video, isVideo := item.(*catalogue.Video)
			if !isVideo {
				small = append(small, item)
				continue
			}
			if directory == nil {
				directory = catalogue.NewDirectory(1, small)
			}
			sequence++
			video.Sequence, video.Version = sequence, sequence
			transcript := ""
			if video.Transcript != nil {
				transcript = *video.Transcript
			}
			if !yield(projection.Document(video, transcript, nil, directory), nil) {
				return
			}
		}
	}
}
